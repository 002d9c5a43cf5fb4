package validate_test

import (
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

// compile returns the compiled schema of the examples' widgets.
func compile() *schema.Structural {
	p, err := schema.Decode([]byte(`
type: object
properties:
  spec:
    type: object
    required: [size]
    properties:
      size: {type: integer, maximum: 5}
      colour: {type: string, enum: [red, green]}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
`))
	if err != nil {
		panic(err)
	}
	s, errs := schema.Compile(p)
	if len(errs) > 0 {
		panic(errs.Err())
	}
	return s
}

func decode(text string) map[string]any {
	obj, err := unstructured.Decode([]byte(text))
	if err != nil {
		panic(err)
	}
	return obj
}

func ExampleValidate() {
	s := compile()
	fmt.Println(validate.Validate(s, decode(`spec: {size: 3, colour: red}`)))
	errs := validate.Validate(s, decode(`spec: {size: 9, colour: blue, tags: [a, b, a], template: {kind: Pod}}`))
	for _, e := range errs {
		fmt.Println(e)
	}
	var first *field.Error
	fmt.Println(errors.As(errs.Err(), &first), first.Type)
	// Output:
	// []
	// spec.colour: Unsupported value: "blue": supported values: "red", "green"
	// spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5
	// spec.template.apiVersion: Required value
	// spec.tags[2]: Duplicate value: "a"
	// true FieldValueNotSupported
}

// A part of an object, with the node that describes it: messages name the place within the part alone, as on a server.
func ExampleValue() {
	spec := compile().Root().Property("spec")
	for _, e := range validate.Value(spec, field.NewPath("spec"), map[string]any{"size": "x"}) {
		fmt.Println(e)
	}
	// Output:
	// spec.size: Invalid value: "string": size in body must be of type integer: "string"
}

func ExampleLists() {
	obj := decode(`spec: {tags: [a, b, a, a]}`)
	fmt.Println(validate.Lists(compile().Root(), nil, obj))
	// Output:
	// spec.tags[2]: Duplicate value: "a"
}

func ExampleEmbedded() {
	obj := decode(`spec: {template: {apiVersion: v1, kind: Pod, metadata: {labels: {a: 5}}}}`)
	fmt.Println(validate.Embedded(compile().Root(), nil, obj))
	// Output:
	// spec.template.metadata: Invalid value: {"labels":{"a":5}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string
}
