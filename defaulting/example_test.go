package defaulting_test

import (
	"fmt"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/schema"
)

// compile returns the compiled schema of the examples' widgets.
func compile() *schema.Structural {
	p, err := schema.Decode([]byte(`
type: object
properties:
  spec:
    type: object
    default: {}
    properties:
      size: {type: integer, default: 3}
      colour: {type: string}
      owner: {type: string, nullable: true, default: nobody}
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

// widget has a null for each of the three fields.
func widget() map[string]any {
	return map[string]any{"spec": map[string]any{"size": nil, "colour": nil, "owner": nil}}
}

func ExampleDefault() {
	fmt.Println(defaulting.Default(compile(), map[string]any{}))
	fmt.Println(defaulting.Default(compile(), widget()))
	// Output:
	// map[spec:map[owner:nobody size:3]]
	// map[spec:map[owner:<nil> size:3]]
}

// After a mutating webhook nulls are not dropped.
func ExampleFill() {
	fmt.Println(defaulting.Fill(compile(), widget()))
	// Output:
	// map[spec:map[colour:<nil> owner:<nil> size:3]]
}

// After a conversion defaults are not filled in.
func ExampleDropNulls() {
	fmt.Println(defaulting.DropNulls(compile(), widget()))
	// Output:
	// map[spec:map[owner:<nil> size:<nil>]]
}

// A part of an object, with the node that describes it. The node's own default is not used.
func ExampleValue() {
	spec := compile().Root().Property("spec")
	fmt.Println(defaulting.Value(spec, map[string]any{"colour": "red"}))
	fmt.Println(defaulting.Value(spec, nil))
	// Output:
	// map[colour:red owner:nobody size:3]
	// <nil>
}
