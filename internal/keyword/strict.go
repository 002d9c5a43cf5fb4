package keyword

import (
	stdjson "encoding/json"

	"sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/unstructured"
)

// Findings returns the findings of strict decoding for data, one object as JSON or YAML. known is a pointer to a struct
// with the known keys as JSON tags. Its fields have the type json.RawMessage if strict decoding does not examine the
// value, and [SchemaKeys] if the value is a schema. Each text occurs once, and there are at most 100. If YAML has
// duplicate keys, the first text is the error of the YAML reader, with their lines; the others are sorted by the bytes
// of their keys. It is an error if data cannot be decoded, or does not fit known. Findings leaves undefined values in
// known.
//
// Clauses: CDC-003, CDC-004.
func Findings(data []byte, known any) (findings []string, err error) {
	text := data
	if !stdjson.Valid(data) {
		// As in a server, the YAML reader reports duplicate keys, and YAML is converted to JSON with sorted keys.
		var obj map[string]any
		if obj, findings, err = unstructured.DecodeStrict(data); err != nil {
			return nil, err
		}
		if text, err = stdjson.Marshal(obj); err != nil {
			return nil, err
		}
	}
	own, err := UnmarshalStrict(text, known)
	if err != nil {
		return nil, err
	}
	return append(findings, own...), nil
}

// UnmarshalStrict decodes JSON into a struct with the server's own decoder, and returns the findings of strict
// decoding, as [Findings] does. The struct may have fields of other types.
func UnmarshalStrict(text []byte, into any) (findings []string, err error) {
	if jsonscan.LongPaths(text) {
		return []string{jsonscan.LongPathsFinding}, json.UnmarshalCaseSensitivePreserveInts(text, into)
	}
	strict, err := json.UnmarshalStrict(text, into)
	for _, e := range strict {
		findings = append(findings, e.Error())
	}
	return findings, err
}

// Opaque is the type of a value that strict decoding does not examine, or of a scalar.
type Opaque = stdjson.RawMessage

// SchemaKeys represents a schema in the struct that [Findings] decodes a document into. Every value that package schema
// can decode fits it. It repeats the keywords of schema.JSONSchemaProps, which cannot be used because it has an
// UnmarshalJSON method: the decoder reports no unknown keys for such a type. reflect.StructOf cannot build SchemaKeys
// from the tags of JSONSchemaProps, because it makes no recursive types. A test of package schema compares the two.
//
// Clauses: CDC-003, CDC-004.
type SchemaKeys struct {
	ID          Opaque `json:"id"`
	Schema      Opaque `json:"$schema"`
	Ref         Opaque `json:"$ref"`
	Description Opaque `json:"description"`
	Type        Opaque `json:"type"`
	Format      Opaque `json:"format"`
	Title       Opaque `json:"title"`
	Default     Opaque `json:"default"`
	Nullable    Opaque `json:"nullable"`

	Maximum          Opaque `json:"maximum"`
	ExclusiveMaximum Opaque `json:"exclusiveMaximum"`
	Minimum          Opaque `json:"minimum"`
	ExclusiveMinimum Opaque `json:"exclusiveMinimum"`
	MultipleOf       Opaque `json:"multipleOf"`
	MaxLength        Opaque `json:"maxLength"`
	MinLength        Opaque `json:"minLength"`
	Pattern          Opaque `json:"pattern"`
	MaxItems         Opaque `json:"maxItems"`
	MinItems         Opaque `json:"minItems"`
	UniqueItems      Opaque `json:"uniqueItems"`
	MaxProperties    Opaque `json:"maxProperties"`
	MinProperties    Opaque `json:"minProperties"`
	Enum             Opaque `json:"enum"`
	Required         Opaque `json:"required"`

	Properties           map[string]SchemaKeys `json:"properties"`
	PatternProperties    map[string]SchemaKeys `json:"patternProperties"`
	Definitions          map[string]SchemaKeys `json:"definitions"`
	AllOf                []SchemaKeys          `json:"allOf"`
	OneOf                []SchemaKeys          `json:"oneOf"`
	AnyOf                []SchemaKeys          `json:"anyOf"`
	Not                  *SchemaKeys           `json:"not"`
	Items                Opaque                `json:"items"`
	AdditionalProperties Opaque                `json:"additionalProperties"`
	AdditionalItems      Opaque                `json:"additionalItems"`
	Dependencies         map[string]Opaque     `json:"dependencies"`

	ExternalDocs struct {
		Description Opaque `json:"description"`
		URL         Opaque `json:"url"`
	} `json:"externalDocs"`
	Example Opaque `json:"example"`

	XPreserveUnknownFields Opaque `json:"x-kubernetes-preserve-unknown-fields"`
	XEmbeddedResource      Opaque `json:"x-kubernetes-embedded-resource"`
	XIntOrString           Opaque `json:"x-kubernetes-int-or-string"`
	XListMapKeys           Opaque `json:"x-kubernetes-list-map-keys"`
	XListType              Opaque `json:"x-kubernetes-list-type"`
	XMapType               Opaque `json:"x-kubernetes-map-type"`
	XValidations           []struct {
		Rule              Opaque `json:"rule"`
		Message           Opaque `json:"message"`
		MessageExpression Opaque `json:"messageExpression"`
		Reason            Opaque `json:"reason"`
		FieldPath         Opaque `json:"fieldPath"`
		OptionalOldSelf   Opaque `json:"optionalOldSelf"`
	} `json:"x-kubernetes-validations"`
}
