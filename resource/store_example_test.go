package resource_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const routes = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: routes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: routes, kind: Route}
  versions:
  - name: v1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          address: {type: string}
          retries: {type: integer, default: 3}
  - name: v2
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          host: {type: string}
          port: {type: string}
          retries: {type: integer}
          weight: {type: integer, default: 1}
`

// splitAddress converts Routes. v1 has host and port in one field.
func splitAddress(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		obj["apiVersion"] = apiVersion
		switch apiVersion {
		case "example.com/v1":
			obj["address"] = fmt.Sprintf("%v:%v", obj["host"], obj["port"])
		case "example.com/v2":
			address, _ := obj["address"].(string)
			obj["host"], obj["port"], _ = strings.Cut(address, ":")
		}
	}
	return objects, nil
}

// A store keeps Result.Stored, which has the storage version, and passes it to each request as the old object, also to
// requests in other versions.
func ExampleResult_stored() {
	d, err := crd.Parse([]byte(routes))
	if err != nil {
		log.Fatal(err)
	}
	compiled, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	r := compiled.WithConverter(conversion.ConverterFunc(splitAddress))
	v1, v2 := r.Version("v1"), r.Version("v2")
	store := map[string]map[string]any{}
	write := func(result resource.Result) {
		if err := result.Err(); err != nil {
			log.Fatal(err)
		}
		store["sea/north"] = result.Stored // nil if the request deletes the object
		show(result.Object)
	}

	fmt.Println("A create through v1. Its default is stored; that of v2 comes with reading, and v1 has no field for it:")
	obj, err := unstructured.Decode([]byte(`{apiVersion: example.com/v1, kind: Route, metadata: {name: north, namespace: sea}, address: "a.example.com:80"}`))
	if err != nil {
		log.Fatal(err)
	}
	write(v1.Create(context.Background(), obj))
	fmt.Println(r.StorageVersion().Name(), "is stored:")
	show(store["sea/north"])

	fmt.Println("A read through v2:")
	show(v2.Read(store["sea/north"]).Object)

	fmt.Println("A patch through v1:")
	write(v1.Patch(context.Background(), "application/merge-patch+json", []byte(`{"address":"b.example.com:8080"}`), store["sea/north"]))
	show(store["sea/north"])
	// Output:
	// A create through v1. Its default is stored; that of v2 comes with reading, and v1 has no field for it:
	// {"address":"a.example.com:80","apiVersion":"example.com/v1","kind":"Route","metadata":{"generation":1,"name":"north","namespace":"sea"},"retries":3}
	// v2 is stored:
	// {"apiVersion":"example.com/v2","host":"a.example.com","kind":"Route","metadata":{"generation":1,"name":"north","namespace":"sea"},"port":"80","retries":3}
	// A read through v2:
	// {"apiVersion":"example.com/v2","host":"a.example.com","kind":"Route","metadata":{"generation":1,"name":"north","namespace":"sea"},"port":"80","retries":3,"weight":1}
	// A patch through v1:
	// {"address":"b.example.com:8080","apiVersion":"example.com/v1","kind":"Route","metadata":{"generation":2,"name":"north","namespace":"sea"},"retries":3}
	// {"apiVersion":"example.com/v2","host":"b.example.com","kind":"Route","metadata":{"generation":2,"name":"north","namespace":"sea"},"port":"8080","retries":3}
}
