package unstructured_test

import (
	"fmt"

	"github.com/crdkit/crdkit/unstructured"
)

func ExampleDecode() {
	obj, err := unstructured.Decode([]byte(`
kind: Widget
spec: {replicas: 3, ratio: 0.5, big: 9223372036854775808}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := obj["spec"].(map[string]any)
	fmt.Printf("%T %T %T\n", spec["replicas"], spec["ratio"], spec["big"])
	// Output:
	// int64 float64 float64
}

func ExampleDecodeStrict() {
	_, findings, err := unstructured.DecodeStrict([]byte(`{"spec": {"replicas": 1, "replicas": 2}}`))
	fmt.Println(findings, err)
	// Output:
	// [duplicate field "spec.replicas"] <nil>
}

func ExampleDecodeAll() {
	objects, err := unstructured.DecodeAll([]byte("kind: A\n---\n# nothing\n---\nkind: B\n"))
	fmt.Println(objects, err)
	// Output:
	// [map[kind:A] map[kind:B]] <nil>
}

func ExampleFromStruct() {
	type spec struct {
		Replicas int32   `json:"replicas"`
		Ratio    float32 `json:"ratio"`
		Note     string  `json:"note,omitempty"`
	}
	obj, err := unstructured.FromStruct(&struct {
		Kind string `json:"kind"`
		Spec spec   `json:"spec"`
	}{"Widget", spec{Replicas: 3, Ratio: 0.1}})
	fmt.Printf("%#v %v\n", obj["spec"], err)
	// Output:
	// map[string]interface {}{"ratio":0.1, "replicas":3} <nil>
}

func ExampleToStruct() {
	var widget struct {
		Kind string `json:"kind"`
		Spec struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}
	err := unstructured.ToStruct(map[string]any{"kind": "Widget", "spec": map[string]any{"replicas": int64(3)}}, &widget)
	fmt.Println(widget.Kind, widget.Spec.Replicas, err)
	// Output:
	// Widget 3 <nil>
}

func ExampleClone() {
	obj := map[string]any{"spec": map[string]any{"replicas": int64(3)}}
	clone := unstructured.Clone(obj)
	clone["spec"].(map[string]any)["replicas"] = int64(5)
	fmt.Println(obj, clone)
	// Output:
	// map[spec:map[replicas:3]] map[spec:map[replicas:5]]
}

// A server reads a YAML body in these steps.
func ExampleYAMLToJSONStrict() {
	body := []byte("kind: Widget\nkind: Gadget\nspec: {n: 1}\n")
	converted, findings, err := unstructured.YAMLToJSONStrict(body)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj, more, err := unstructured.DecodeJSONStrict(converted)
	fmt.Println(obj, err)
	fmt.Printf("%q\n", append(findings, more...))
	// Output:
	// map[kind:Gadget spec:map[false:1]] <nil>
	// ["yaml: unmarshal errors:\n  line 2: key \"kind\" already set in map"]
}

func ExampleDecodeJSONStrict() {
	obj, findings, err := unstructured.DecodeJSONStrict([]byte(`{"spec":{"replicas":1,"replicas":2}}`))
	fmt.Println(obj, findings, err)
	// Output:
	// map[spec:map[replicas:2]] [duplicate field "spec.replicas"] <nil>
}

// A struct that was filled before must not keep what is gone.
func ExampleReplaceStruct() {
	type spec struct {
		Color string `json:"color,omitempty"`
		Size  int    `json:"size,omitempty"`
	}
	stored := map[string]any{"size": int64(3)} // the server has dropped the color
	merged, replaced := spec{Color: "red"}, spec{Color: "red"}
	if err := unstructured.ToStruct(stored, &merged); err != nil {
		fmt.Println(err)
	}
	if err := unstructured.ReplaceStruct(stored, &replaced); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%+v %+v\n", merged, replaced)
	// Output: {Color:red Size:3} {Color: Size:3}
}
