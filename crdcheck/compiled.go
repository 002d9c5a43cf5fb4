package crdcheck

import (
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/schema"
)

// A compiledSchema is one of the schemas of a definition, where it stands, and what there is to say about it.
type compiledSchema struct {
	props *schema.JSONSchemaProps
	root  *field.Path // spec.validation.openAPIV3Schema or spec.versions[0].schema.openAPIV3Schema

	status   bool // the status subresource is enabled (SCH-002)
	same     bool // it is the stored definition's (CWH-011)
	required bool // it has to be structural (SCH-005)

	facts facts
	minor int // for which rules are judged; 0 is the newest

	// judged says that judge has set what follows. Violations keep the schema from being structural, and unsupported says that they are
	// one: that it has something that no structural schema can say.
	judged       bool
	isStructural bool
	violations   field.List
	unsupported  bool

	rules *ruleset.Rules // nil: none; those of the schemas of a definition share what they compile

	once     sync.Once
	compiled *schema.Structural // set by judge where the check needs it, else by structural
}

// judge finds out whether the schema is structural, or what keeps it from being so. It does so once. The violations end at the limit.
func (s *compiledSchema) judge(limit field.Limit) {
	if s.judged {
		return
	}
	s.judged = true
	root := s.root
	var errs field.List
	if s.facts.hasRules || s.facts.hasDefault || s.facts.unsure {
		s.compiled, errs = schema.Compile(s.props)
	} else {
		errs = schema.ViolationsWithin(nil, s.props, field.Limit{Errors: -1})
	}
	if errs == nil {
		s.isStructural = true
		return
	}
	s.violations = schema.ViolationsWithin(root, s.props, limit)
	if len(s.violations) == 0 {
		// It is structural, and more than a compiled schema can hold.
		s.violations, s.unsupported = field.List{field.Invalid(root, "", errs[0].Detail)}, true
		return
	}
	// A violation is about something in the schema. Only what no structural schema can say is about all of it.
	s.unsupported = len(s.violations) == 1 && s.violations[0].Path == root
}

// structural returns the compiled schema, or nil if judge has not found that it is structural.
func (s *compiledSchema) structural() *schema.Structural {
	if !s.isStructural {
		return nil
	}
	s.once.Do(func() {
		if s.compiled == nil {
			s.compiled, _ = schema.Compile(s.props) // without anything unsure, it cannot fail
		}
	})
	return s.compiled
}

// unsupportedText returns the first thing in the schema that no structural schema can say, in a server's words; empty if there is none.
func (s *compiledSchema) unsupportedText() string {
	if s.judge(field.Limit{}); s.unsupported {
		return s.violations[0].Detail
	}
	return ""
}

// openAPISchema returns the schema in v, or nil.
func openAPISchema(v *crd.Validation) *schema.JSONSchemaProps {
	if v == nil {
		return nil
	}
	return v.OpenAPIV3Schema
}
