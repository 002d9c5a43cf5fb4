package schema

import "github.com/crdkit/crdkit/internal/keyword"

// JSONSchemaProps is an openAPIV3Schema as Go data: every field that a Kubernetes API server knows, with the server's
// name. The tag is the keyword in documents. As in a server, nil and empty lists and maps differ: `allOf: []` is an
// empty list.
//
// Default, Example and the items of Enum are JSON values: nil, bool, int64, float64, string, []any and map[string]any.
// A nil Default or Example means that there is none, as JSON's null does there.
type JSONSchemaProps struct {
	ID          string  `keyword:"id"`
	Schema      string  `keyword:"$schema"`
	Ref         *string `keyword:"$ref"`
	Description string  `keyword:"description"`
	Type        string  `keyword:"type"`
	Format      string  `keyword:"format"`
	Title       string  `keyword:"title"`
	Default     any     `keyword:"default"`

	Maximum       *float64 `keyword:"maximum"`
	Minimum       *float64 `keyword:"minimum"`
	MaxLength     *int64   `keyword:"maxLength"`
	MinLength     *int64   `keyword:"minLength"`
	Pattern       string   `keyword:"pattern"`
	MaxItems      *int64   `keyword:"maxItems"`
	MinItems      *int64   `keyword:"minItems"`
	MultipleOf    *float64 `keyword:"multipleOf"`
	Enum          []any    `keyword:"enum"`
	MaxProperties *int64   `keyword:"maxProperties"`
	MinProperties *int64   `keyword:"minProperties"`
	Required      []string `keyword:"required"`

	// Elements of lists and maps of schemas are never nil.
	Items                *SchemaOrArray              `keyword:"items"`
	AllOf                []*JSONSchemaProps          `keyword:"allOf"`
	OneOf                []*JSONSchemaProps          `keyword:"oneOf"`
	AnyOf                []*JSONSchemaProps          `keyword:"anyOf"`
	Not                  *JSONSchemaProps            `keyword:"not"`
	Properties           map[string]*JSONSchemaProps `keyword:"properties"`
	AdditionalProperties *SchemaOrBool               `keyword:"additionalProperties"`
	PatternProperties    map[string]*JSONSchemaProps `keyword:"patternProperties"`
	Dependencies         map[string]SchemaOrStrings  `keyword:"dependencies"`
	AdditionalItems      *SchemaOrBool               `keyword:"additionalItems"`
	Definitions          map[string]*JSONSchemaProps `keyword:"definitions"`
	ExternalDocs         *ExternalDocumentation      `keyword:"externalDocs"`
	Example              any                         `keyword:"example"`

	XPreserveUnknownFields *bool            `keyword:"x-kubernetes-preserve-unknown-fields"`
	XListMapKeys           []string         `keyword:"x-kubernetes-list-map-keys"`
	XListType              *string          `keyword:"x-kubernetes-list-type"`
	XMapType               *string          `keyword:"x-kubernetes-map-type"`
	XValidations           []ValidationRule `keyword:"x-kubernetes-validations"`

	// The bools are declared together to save memory: a large definition has thousands of schemas.
	Nullable          bool `keyword:"nullable"`
	ExclusiveMaximum  bool `keyword:"exclusiveMaximum"`
	ExclusiveMinimum  bool `keyword:"exclusiveMinimum"`
	UniqueItems       bool `keyword:"uniqueItems"`
	XEmbeddedResource bool `keyword:"x-kubernetes-embedded-resource"`
	XIntOrString      bool `keyword:"x-kubernetes-int-or-string"`
}

// The tables of keywords, built from the tags.
var (
	keywords     = keyword.Of[JSONSchemaProps]()
	ruleKeywords = keyword.Of[ValidationRule]()
	docsKeywords = keyword.Of[ExternalDocumentation]()
)

// SchemaOrArray is the value of items: one schema, a list of them (Schemas is not nil), or neither, if the document had
// a value of another type.
type SchemaOrArray struct {
	Schema  *JSONSchemaProps
	Schemas []*JSONSchemaProps
}

// SchemaOrBool is the value of additionalProperties or additionalItems. Allows is true if there is a schema.
type SchemaOrBool struct {
	Allows bool
	Schema *JSONSchemaProps
}

// SchemaOrStrings is one of the dependencies: a schema, the names of properties, or neither.
type SchemaOrStrings struct {
	Schema   *JSONSchemaProps
	Property []string
}

// ExternalDocumentation is the value of externalDocs.
type ExternalDocumentation struct {
	Description string `keyword:"description"`
	URL         string `keyword:"url"`
}

// A ValidationRule is one of the x-kubernetes-validations.
type ValidationRule struct {
	Rule              string  `keyword:"rule"`
	Message           string  `keyword:"message"`
	MessageExpression string  `keyword:"messageExpression"`
	Reason            *string `keyword:"reason"`
	FieldPath         string  `keyword:"fieldPath"`
	OptionalOldSelf   *bool   `keyword:"optionalOldSelf"`
}
