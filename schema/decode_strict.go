package schema

import "github.com/crdkit/crdkit/internal/strictjson"

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
func DecodeStrict(data []byte) (p *JSONSchemaProps, findings []string, err error) {
	p, err = Decode(data)
	if err != nil {
		return nil, nil, err
	}
	findings, err = strictjson.Findings(data, new(strictjson.SchemaKeys))
	if err != nil {
		return nil, nil, &DecodeError{Detail: err.Error()}
	}
	return p, findings, nil
}
