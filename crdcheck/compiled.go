package crdcheck

import (
	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
)

// A compiledSchema is one of the schemas of a definition, where it stands, and what there is to say about it.
type compiledSchema struct {
	props *schema.JSONSchemaProps
	at    *field.Path // spec.validation or spec.versions[0].schema

	status   bool // the status subresource is enabled (SCH-002)
	same     bool // it is the stored definition's (CWH-011)
	required bool // it has to be structural (SCH-005)

	// compiled says that compile has set what follows. structural is nil if violations keep the schema from being so, and unsupported
	// says that they are one: that it has something that no structural schema can say.
	compiled    bool
	structural  *schema.Structural
	violations  field.List
	unsupported bool

	rules *cel.Rules // those of the schemas of a definition share what they compile
}

// root returns the path of the openAPIV3Schema.
func (s *compiledSchema) root() *field.Path { return s.at.Child("openAPIV3Schema") }

// compile sets structural, or what keeps the schema from having one. It does so once.
func (s *compiledSchema) compile() {
	if s.compiled {
		return
	}
	s.compiled = true
	var errs field.List
	if s.structural, errs = schema.Compile(s.props); errs == nil {
		return
	}
	root := s.root()
	if s.violations = schema.Violations(root, s.props); len(s.violations) == 0 {
		// It is structural, and more than a compiled schema can hold.
		s.violations, s.unsupported = field.List{field.Invalid(root, "", errs[0].Detail)}, true
		return
	}
	// A violation is about something in the schema. Only what no structural schema can say is about all of it.
	s.unsupported = len(s.violations) == 1 && s.violations[0].Path == root
}

// unsupportedText returns the first thing in the schema that no structural schema can say, in a server's words; empty if there is none.
func (s *compiledSchema) unsupportedText() string {
	if s.compile(); s.unsupported {
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
