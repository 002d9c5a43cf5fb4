package crdcheck

import (
	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
)

// A compiledSchema is one of the schemas of a definition.
type compiledSchema struct {
	props      *schema.JSONSchemaProps
	structural *schema.Structural // nil if the schema is not structural, or need not be
	rules      *cel.Rules         // share what they compile with those of the other schemas
}

// storedExpressions are the texts of the rules, and of the messageExpressions, of the definition that is stored (CWH-010).
type storedExpressions struct{ rules, messages map[string]bool }

// A placedSchema is a schema, where it stands, and what there is to say about it.
type placedSchema struct {
	compiledSchema
	at     *field.Path // spec.validation or spec.versions[0].schema
	status bool        // the status subresource is enabled (SCH-002)
	same   bool        // it is the stored definition's (CWH-011)
	// violations keep the schema from being structural, where it has to be. unsupported says that they are one: that it has something
	// that no structural schema can say.
	violations  field.List
	unsupported bool
}

// root returns the path of the openAPIV3Schema.
func (s *placedSchema) root() *field.Path { return s.at.Child("openAPIV3Schema") }

// openAPISchema returns the schema in v, or nil.
func openAPISchema(v *crd.Validation) *schema.JSONSchemaProps {
	if v == nil {
		return nil
	}
	return v.OpenAPIV3Schema
}
