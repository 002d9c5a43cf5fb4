package crdcheck

import (
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/schema"
)

// A compiledSchema is one of the schemas of a definition, with its path and the results of its check.
type compiledSchema struct {
	props *schema.JSONSchemaProps
	root  *field.Path // spec.validation.openAPIV3Schema or spec.versions[0].schema.openAPIV3Schema

	status   bool // the status subresource is enabled (SCH-002)
	same     bool // it equals that of the stored definition (CWH-011)
	required bool // it has to be structural (SCH-005)

	facts facts
	minor int // the minor version for which rules are checked; 0 is the newest

	// checked says that checkStructural has set the following fields. violations are the reasons why the schema is not
	// structural. unsupported says that the only violation is that the schema has something that no structural schema
	// can express.
	checked      bool
	isStructural bool
	violations   field.List
	unsupported  bool

	rules *ruleset.Rules // nil: none; the schemas of a definition share compiled rules

	once     sync.Once
	compiled *schema.Structural // set by checkStructural if it has rules or may not compile, otherwise by structural
}

// checkStructural checks whether the schema is structural, and sets its violations, up to the limit. It does so once.
func (s *compiledSchema) checkStructural(limit field.Limit) {
	if s.checked {
		return
	}
	s.checked = true
	root := s.root
	var errs field.List
	if s.facts.hasRules || s.facts.unsure {
		s.compiled, errs = schema.Compile(s.props)
	} else {
		errs = schema.Violations(nil, s.props, field.Limit{Errors: -1})
	}
	if errs == nil {
		s.isStructural = true
		return
	}
	s.violations = schema.Violations(root, s.props, limit)
	if len(s.violations) == 0 {
		// It is structural, but too large for a compiled schema.
		s.violations, s.unsupported = field.List{moved(errs[0], root)}, true
		return
	}
	// The violation for what no structural schema can express has the path of the whole schema. All others have the
	// path of a part of it.
	s.unsupported = len(s.violations) == 1 && s.violations[0].Path == root
}

// structural returns the compiled schema, or nil if checkStructural has not found the schema to be structural.
func (s *compiledSchema) structural() *schema.Structural {
	if !s.isStructural {
		return nil
	}
	s.once.Do(func() {
		if s.compiled == nil {
			s.compiled, _ = schema.Compile(s.props) // cannot fail if facts.unsure is false
		}
	})
	return s.compiled
}

// unsupportedError returns the error about the first thing in the schema that no structural schema can express, or nil
// if there is none.
func (s *compiledSchema) unsupportedError() *field.Error {
	if s.checkStructural(field.Limit{}); s.unsupported {
		return s.violations[0]
	}
	return nil
}

// moved returns e with another path.
func moved(e *field.Error, at *field.Path) *field.Error {
	out := *e
	out.Field, out.Path = at.String(), at
	return &out
}

// openAPISchema returns the schema in v, or nil.
func openAPISchema(v *crd.Validation) *schema.JSONSchemaProps {
	if v == nil {
		return nil
	}
	return v.OpenAPIV3Schema
}
