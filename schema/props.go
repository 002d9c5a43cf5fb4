package schema

// JSONSchemaProps is an openAPIV3Schema as Go data: every field that a Kubernetes API server knows, under the name it has there.
// Nil and empty lists and maps differ, as they do in a server: `allOf: []` is an empty list.
//
// Default, Example and the items of Enum are JSON values: nil, bool, int64, float64, string, []any and map[string]any. A nil
// Default or Example is none, since JSON's null means none there (CDC-009).
type JSONSchemaProps struct {
	ID          string  // id
	Schema      string  // $schema
	Ref         *string // $ref
	Description string
	Type        string
	Format      string
	Title       string
	Default     any

	Maximum       *float64
	Minimum       *float64
	MaxLength     *int64
	MinLength     *int64
	Pattern       string
	MaxItems      *int64
	MinItems      *int64
	MultipleOf    *float64
	Enum          []any
	MaxProperties *int64
	MinProperties *int64
	Required      []string

	Items                *SchemaOrArray
	AllOf                []*JSONSchemaProps // items are never nil
	OneOf                []*JSONSchemaProps
	AnyOf                []*JSONSchemaProps
	Not                  *JSONSchemaProps
	Properties           map[string]*JSONSchemaProps // values are never nil
	AdditionalProperties *SchemaOrBool
	PatternProperties    map[string]*JSONSchemaProps
	Dependencies         map[string]SchemaOrStrings
	AdditionalItems      *SchemaOrBool
	Definitions          map[string]*JSONSchemaProps
	ExternalDocs         *ExternalDocumentation
	Example              any

	XPreserveUnknownFields *bool            // x-kubernetes-preserve-unknown-fields
	XListMapKeys           []string         // x-kubernetes-list-map-keys
	XListType              *string          // x-kubernetes-list-type
	XMapType               *string          // x-kubernetes-map-type
	XValidations           []ValidationRule // x-kubernetes-validations

	// The bools stand together: a large definition has thousands of schemas.
	Nullable          bool
	ExclusiveMaximum  bool
	ExclusiveMinimum  bool
	UniqueItems       bool
	XEmbeddedResource bool // x-kubernetes-embedded-resource
	XIntOrString      bool // x-kubernetes-int-or-string
}

// SchemaOrArray is the value of items: one schema, a list of them (Schemas not nil), or neither, where the document had
// something else there (CDC-010).
type SchemaOrArray struct {
	Schema  *JSONSchemaProps
	Schemas []*JSONSchemaProps
}

// SchemaOrBool is the value of additionalProperties or additionalItems. Allows is true where there is a schema (CDC-011).
type SchemaOrBool struct {
	Allows bool
	Schema *JSONSchemaProps
}

// SchemaOrStrings is one of the dependencies: a schema, the names of properties, or neither (CDC-012).
type SchemaOrStrings struct {
	Schema   *JSONSchemaProps
	Property []string
}

// ExternalDocumentation is the value of externalDocs.
type ExternalDocumentation struct {
	Description string
	URL         string
}

// A ValidationRule is one of the x-kubernetes-validations.
type ValidationRule struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            *string
	FieldPath         string
	OptionalOldSelf   *bool
}
