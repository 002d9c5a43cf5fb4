package schema

import "github.com/crdkit/crdkit/internal/keyword"

// DecodeStrict is [Decode], and also returns the findings of strict decoding, with the server's texts and order:
//
//	unknown field "properties.a.readOnly"
//	duplicate field "type"
//
// The paths begin at the schema. Findings are not repeated, and end after a hundred. If YAML has repeated keys, the
// first finding is the error of the YAML parser, with their lines; the others are sorted by the bytes of their keys. If
// there is an error, findings is nil.
//
// As in a server, the values of items, additionalProperties, additionalItems and dependencies are not checked, nor are
// default, example and enum.
func DecodeStrict(data []byte) (p *JSONSchemaProps, findings []string, err error) {
	p, err = Decode(data)
	if err != nil {
		return nil, nil, err
	}
	findings, err = keyword.Findings(data, new(keyword.SchemaKeys))
	if err != nil {
		return nil, nil, &DecodeError{Detail: err.Error()}
	}
	return p, findings, nil
}
