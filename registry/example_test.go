package registry_test

import (
	"context"
	"embed"
	"fmt"

	"github.com/crdkit/crdkit/registry"
)

//go:embed testdata
var crds embed.FS

// A program validates objects by the definitions that are embedded in it.
func ExampleLoadFS() {
	reg, err := registry.LoadFS(crds, "testdata")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, size := range []int{3, 11} {
		body := fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}, "spec": {"size": %d}}`, size)
		result := reg.CreateBody(context.Background(), []byte(body))
		if err := result.Err(); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Object["spec"])
	}
	// Output:
	// map[color:red size:3]
	// Gadget.example.com "g" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10
}

func ExampleRegistry_Find() {
	reg, err := registry.Load("testdata/gadgets.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	d := reg.Find("example.com/v1beta1", "Gadget")
	fmt.Println(d.Name(), d.Namespaced(), d.StorageVersion(), d.Served(), d.Source)
	fmt.Println(reg.Find("v1", "Pod") == nil)
	// Output:
	// gadgets.example.com true v1 [v1 v1beta1] testdata/gadgets.yaml:1
	// true
}

// A document that cannot be read does not hide the others.
func ExampleParse() {
	reg, err := registry.Parse([]byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec: none
`))
	fmt.Println(err)
	fmt.Println(len(reg.Definitions()), reg.Compile())
	// Output:
	// line 10: crd: spec: must be an object, not a string
	// 1 <nil>
}
