package schema

import (
	stdjson "encoding/json"

	"sigs.k8s.io/json"

	"github.com/crdkit/crdkit/unstructured"
)

// DecodeStrict is [Decode], and also returns what strict decoding refuses, in the server's words and order:
//
//	unknown field "properties.a.readOnly"
//	duplicate field "type"
//
// The paths begin at the schema. Each text comes once, and after a hundred there are no more. Of YAML with repeated keys the
// first text is the YAML reader's, which names the lines; the order of the others is that of the keys' bytes. There are no findings
// (nil) with an error.
//
// As in a server, nobody looks into the values of items, additionalProperties, additionalItems and dependencies, nor into
// default, example and enum.
//
// Clauses: CDC-003, CDC-004.
func DecodeStrict(data []byte) (p *JSONSchemaProps, findings []string, err error) {
	p, err = Decode(data)
	if err != nil {
		return nil, nil, err
	}
	findings, err = StrictFindings(data, new(KnownKeys))
	if err != nil {
		return nil, nil, &DecodeError{Detail: err.Error()}
	}
	return p, findings, nil
}

// StrictFindings returns what strict decoding refuses in data, one object as JSON or YAML, where known is a pointer to a struct that has
// the keys which are known, as fields with JSON tags: of type json.RawMessage where strict decoding does not look into
// the value, and [KnownKeys] where it is a schema. Texts and order are as for [DecodeStrict]. There is an error if data cannot be decoded,
// or does not fit into known, which holds nothing of use afterwards.
//
// Clauses: CDC-003, CDC-004.
func StrictFindings(data []byte, known any) (findings []string, err error) {
	text := data
	if !stdjson.Valid(data) {
		// As in a server, the YAML reader tells of repeated keys, and the JSON that YAML becomes has its keys sorted.
		var obj map[string]any
		if obj, findings, err = unstructured.DecodeStrict(data); err != nil {
			return nil, err
		}
		if text, err = stdjson.Marshal(obj); err != nil {
			return nil, err
		}
	}
	// The server's own decoder.
	strict, err := json.UnmarshalStrict(text, known)
	if err != nil {
		return nil, err
	}
	for _, e := range strict {
		findings = append(findings, e.Error())
	}
	return findings, nil
}

// KnownKeys stands for a schema in the struct that [StrictFindings] decodes a document into. Every value that [FromValue] accepts
// fits into it.
//
// Clauses: CDC-003, CDC-004.
type KnownKeys struct{ knownKeys }

// blind is a value that strict decoding does not look into, or a scalar.
type blind = stdjson.RawMessage

type knownKeys struct {
	ID          blind `json:"id"`
	Schema      blind `json:"$schema"`
	Ref         blind `json:"$ref"`
	Description blind `json:"description"`
	Type        blind `json:"type"`
	Format      blind `json:"format"`
	Title       blind `json:"title"`
	Default     blind `json:"default"`
	Nullable    blind `json:"nullable"`

	Maximum          blind `json:"maximum"`
	ExclusiveMaximum blind `json:"exclusiveMaximum"`
	Minimum          blind `json:"minimum"`
	ExclusiveMinimum blind `json:"exclusiveMinimum"`
	MultipleOf       blind `json:"multipleOf"`
	MaxLength        blind `json:"maxLength"`
	MinLength        blind `json:"minLength"`
	Pattern          blind `json:"pattern"`
	MaxItems         blind `json:"maxItems"`
	MinItems         blind `json:"minItems"`
	UniqueItems      blind `json:"uniqueItems"`
	MaxProperties    blind `json:"maxProperties"`
	MinProperties    blind `json:"minProperties"`
	Enum             blind `json:"enum"`
	Required         blind `json:"required"`

	Properties           map[string]KnownKeys `json:"properties"`
	PatternProperties    map[string]KnownKeys `json:"patternProperties"`
	Definitions          map[string]KnownKeys `json:"definitions"`
	AllOf                []KnownKeys          `json:"allOf"`
	OneOf                []KnownKeys          `json:"oneOf"`
	AnyOf                []KnownKeys          `json:"anyOf"`
	Not                  *KnownKeys           `json:"not"`
	Items                blind                `json:"items"`
	AdditionalProperties blind                `json:"additionalProperties"`
	AdditionalItems      blind                `json:"additionalItems"`
	Dependencies         map[string]blind     `json:"dependencies"`

	ExternalDocs struct {
		Description blind `json:"description"`
		URL         blind `json:"url"`
	} `json:"externalDocs"`
	Example blind `json:"example"`

	XPreserveUnknownFields blind `json:"x-kubernetes-preserve-unknown-fields"`
	XEmbeddedResource      blind `json:"x-kubernetes-embedded-resource"`
	XIntOrString           blind `json:"x-kubernetes-int-or-string"`
	XListMapKeys           blind `json:"x-kubernetes-list-map-keys"`
	XListType              blind `json:"x-kubernetes-list-type"`
	XMapType               blind `json:"x-kubernetes-map-type"`
	XValidations           []struct {
		Rule              blind `json:"rule"`
		Message           blind `json:"message"`
		MessageExpression blind `json:"messageExpression"`
		Reason            blind `json:"reason"`
		FieldPath         blind `json:"fieldPath"`
		OptionalOldSelf   blind `json:"optionalOldSelf"`
	} `json:"x-kubernetes-validations"`
}
