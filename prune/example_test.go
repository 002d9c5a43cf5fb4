package prune_test

import (
	"fmt"

	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// compile returns the compiled schema of the examples' widgets.
func compile() *schema.Structural {
	props, err := schema.Decode([]byte(`
type: object
properties:
  spec:
    type: object
    properties:
      size: {type: integer}
      parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
`))
	if err != nil {
		panic(err)
	}
	s, errs := schema.Compile(props)
	if len(errs) > 0 {
		panic(errs.Err())
	}
	return s
}

func widget() map[string]any {
	obj, err := unstructured.Decode([]byte(`
apiVersion: example.org/v1
kind: Widget
metadata: {name: a}
spec: {size: 3, colour: red, parts: [{name: axle}, {name: wheel, weight: 5}]}
`))
	if err != nil {
		panic(err)
	}
	return obj
}

func ExamplePrune() {
	obj := widget()
	pruned := prune.Prune(compile(), obj)
	fmt.Println(pruned["spec"])
	fmt.Println(obj["spec"])
	// Output:
	// map[parts:[map[name:axle] map[name:wheel]] size:3]
	// map[colour:red parts:[map[name:axle] map[name:wheel weight:5]] size:3]
}

func ExampleUnknown() {
	for _, path := range prune.Unknown(compile(), widget()) {
		fmt.Println(path)
	}
	// Output:
	// spec.colour
	// spec.parts[1].weight
}

// A part of an object, with the node that describes it.
func ExampleValue() {
	spec := compile().Root().Property("spec")
	fmt.Println(prune.Value(spec, widget()["spec"]))
	// Output:
	// map[parts:[map[name:axle] map[name:wheel]] size:3]
}

func ExampleUnknownValue() {
	parts := compile().Root().Property("spec").Property("parts")
	fmt.Println(prune.UnknownValue(parts, widget()["spec"].(map[string]any)["parts"]))
	// Output:
	// [[1].weight]
}
