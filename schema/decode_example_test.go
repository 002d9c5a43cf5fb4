package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit/schema"
)

func ExampleDecode() {
	p, err := schema.Decode([]byte("type: object\nproperties:\n  size: {type: integer, minimum: 1}\n"))
	fmt.Println(p.Properties["size"].Type, *p.Properties["size"].Minimum, err)

	_, err = schema.Decode([]byte("properties:\n  size: {type: integer, maximum: ten}\n"))
	fmt.Println(err)
	// Output:
	// integer 1 <nil>
	// schema: properties.size.maximum: must be a number, not a string
}

func ExampleDecodeStrict() {
	_, findings, err := schema.DecodeStrict([]byte(`{"type": "object", "readOnly": true, "type": "object"}`))
	for _, f := range findings {
		fmt.Println(f)
	}
	fmt.Println(err)
	// Output:
	// unknown field "readOnly"
	// duplicate field "type"
	// <nil>
}

func ExampleFromValue() {
	p, err := schema.FromValue(map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": int64(1)})
	fmt.Println(p.Items.Schema.Type, *p.MinItems, err)
	// Output: string 1 <nil>
}

func ExampleJSONSchemaProps_Value() {
	zero := 0.0
	p := &schema.JSONSchemaProps{Type: "integer", Minimum: &zero, Required: []string{}}
	text, err := json.Marshal(p.Value())
	fmt.Println(string(text), err)
	// Output: {"minimum":0,"type":"integer"} <nil>
}
