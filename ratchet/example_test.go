package ratchet_test

import (
	"fmt"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/ratchet"
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
    properties:
      size: {type: integer, maximum: 5}
      colour: {type: string, enum: [red, green]}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  status:
    type: object
    properties:
      phase: {type: string, enum: [Ready]}
      message: {type: string}
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

// The size was fine when the object was stored, and is too big today. It may stay, but not grow.
func ExampleValidate() {
	s := compile()
	old := decode(`spec: {size: 9, colour: red}`)

	fmt.Println(validate.Validate(s, decode(`spec: {size: 9, colour: green}`)))
	fmt.Println(ratchet.Validate(s, decode(`spec: {size: 9, colour: green}`), old))
	fmt.Println(ratchet.Validate(s, decode(`spec: {size: 10, colour: blue}`), old))
	// Output:
	// spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5
	// []
	// [spec.colour: Unsupported value: "blue": supported values: "red", "green", spec.size: Invalid value: 10: spec.size in body should be less than or equal to 5]
}

// A status, as an update of the status subresource validates it. Where the old object has none, validate.Value is to be
// asked.
func ExampleValue() {
	n := compile().Root().Property("status")
	obj, old := decode(`status: {phase: Odd, message: done}`), decode(`status: {phase: Odd}`)
	fmt.Println(ratchet.Value(n, field.NewPath("status"), obj["status"], old["status"]))
	fmt.Println(validate.Value(n, field.NewPath("status"), obj["status"]))
	// Output:
	// []
	// status.phase: Unsupported value: "Odd": supported values: "Ready"
}

func ExampleLists() {
	n := compile().Root()
	obj := decode(`spec: {tags: [a, b, b]}`)
	fmt.Println(ratchet.Lists(n, nil, obj, decode(`spec: {tags: [a, b]}`)))
	fmt.Println(ratchet.Lists(n, nil, obj, decode(`spec: {tags: [c, c]}`)))
	// Output:
	// spec.tags[2]: Duplicate value: "b"
	// []
}
