package compat_test

import (
	"context"
	"fmt"
	"log"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
)

func example(spec string) *crd.CustomResourceDefinition {
	d, err := crd.Parse([]byte(definitionText(spec)))
	if err != nil {
		log.Fatal(err)
	}
	return d
}

func ExampleCompare() {
	old := example(`{type: object, properties: {replicas: {type: integer, maximum: 10}, mode: {type: string, enum: [fast, safe]}}}`)
	new := example(`{type: object, properties: {replicas: {type: integer, maximum: 5}, mode: {type: string, enum: [safe, fast]}}}`)
	r, err := compat.Compare(context.Background(), old, new, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r)
	fmt.Println("worst:", r.Worst())
	// Output:
	// breaks: v1 maximum spec.replicas: maximum refuses what was accepted. (10, now 5)
	//   object: {"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"sample"},"spec":{"replicas":6}}
	// worst: breaks
}

func ExampleCompare_rule() {
	old := example(`{type: object, properties: {min: {type: integer}, max: {type: integer}}}`)
	new := example(`{type: object, x-kubernetes-validations: [{rule: "!has(self.min) || !has(self.max) || self.min <= self.max"}],
  properties: {min: {type: integer}, max: {type: integer}}}`)
	r, err := compat.Compare(context.Background(), old, new, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Findings {
		fmt.Println(f.Verdict, f.Check, f.Path, f.Witness.Object["spec"])
	}
	// Output:
	// breaks rule spec map[max:1 min:2]
}

func ExampleVersions() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}, color: {type: string}}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := compat.Versions(context.Background(), d, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Findings {
		fmt.Println(f.String())
	}
	// Output:
	// loses data: v2 to v1 existingFieldRemoval color: The field is dropped now. (described, now dropped)
}

func ExampleReport_JSON() {
	old := example(`{type: object, properties: {a: {type: string}}}`)
	new := example(`{type: object, properties: {a: {type: string, maxLength: 3}}}`)
	r, err := compat.Compare(context.Background(), old, new, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", r.JSON())
	// Output:
	// {
	//   "worst": "breaks",
	//   "findings": [
	//     {
	//       "name": "v1 maxLength spec.a",
	//       "verdict": "breaks",
	//       "request": "create",
	//       "version": "v1",
	//       "path": "spec.a",
	//       "check": "maxLength",
	//       "detail": "maxLength refuses what was accepted.",
	//       "before": "none",
	//       "after": "3",
	//       "witness": {
	//         "object": {
	//           "apiVersion": "example.com/v1",
	//           "kind": "Widget",
	//           "metadata": {
	//             "name": "sample"
	//           },
	//           "spec": {
	//             "a": "aaaa"
	//           }
	//         }
	//       }
	//     }
	//   ]
	// }
}
