package openapi_test

import (
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/openapi"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec: {type: string, default: 5 0 * * *}
              replicas: {type: integer, nullable: true}
              port: {x-kubernetes-int-or-string: true}
`

func ExampleV3() {
	d, err := crd.Parse([]byte(definition))
	if err != nil {
		log.Fatal(err)
	}
	doc, err := openapi.V3(d, "v1")
	if err != nil {
		log.Fatal(err)
	}
	var v struct {
		OpenAPI    string
		Paths      map[string]any
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(doc.AppendJSON(nil), &v); err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.OpenAPI)
	for _, path := range slices.Sorted(maps.Keys(v.Paths)) {
		fmt.Println(path)
	}
	fmt.Println(string(v.Components.Schemas["com.example.stable.v1.CronTab"].Properties["spec"]))
	// Output:
	// 3.0.0
	// /apis/stable.example.com/v1/crontabs
	// /apis/stable.example.com/v1/namespaces/{namespace}/crontabs
	// /apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}
	// {"type":"object","properties":{"cronSpec":{"type":"string","default":"5 0 * * *"},"port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},"replicas":{"type":"integer","nullable":true}}}
}

// Version 2 omits what its readers do not support.
func ExampleV2() {
	d, err := crd.Parse([]byte(definition))
	if err != nil {
		log.Fatal(err)
	}
	doc, err := openapi.V2(d)
	if err != nil {
		log.Fatal(err)
	}
	var v struct {
		Swagger     string
		Definitions map[string]struct {
			Properties map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(doc.AppendJSON(nil), &v); err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Swagger)
	fmt.Println(string(v.Definitions["com.example.stable.v1.CronTab"].Properties["spec"]))
	// Output:
	// 2.0
	// {"type":"object","properties":{"cronSpec":{"type":"string"},"port":{"x-kubernetes-int-or-string":true},"replicas":{}}}
}

// A server for kubectl needs documents by key, and their index.
func ExampleV3All() {
	d, err := crd.Parse([]byte(definition))
	if err != nil {
		log.Fatal(err)
	}
	documents, err := openapi.V3All(d)
	if err != nil {
		log.Fatal(err)
	}
	for key, doc := range documents {
		fmt.Println("/openapi/v3/"+key, len(doc.Hash()))
	}
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal(openapi.Index(documents).AppendJSON(nil), &index); err != nil {
		log.Fatal(err)
	}
	fmt.Println(index.Paths["apis/stable.example.com/v1"].ServerRelativeURL[:len("/openapi/v3/apis/stable.example.com/v1?hash=")])
	// Output:
	// /openapi/v3/apis/stable.example.com/v1 128
	// /openapi/v3/apis/stable.example.com/v1?hash=
}

func ExampleMergeV3() {
	d, err := crd.Parse([]byte(definition))
	if err != nil {
		log.Fatal(err)
	}
	doc, err := openapi.V3(d, "v1")
	if err != nil {
		log.Fatal(err)
	}
	_, err = openapi.MergeV3(doc, doc)
	fmt.Println(err)
	// Output:
	// OpenAPI V3 merge schema conflict on com.example.stable.v1.CronTab
}

func ExampleKey() {
	fmt.Println(openapi.Key("stable.example.com", "v1"))
	fmt.Println(openapi.Key("", "v1"))
	// Output:
	// apis/stable.example.com/v1
	// api/v1
}

func ExampleIndex() {
	fmt.Println(string(openapi.Index(nil).AppendJSON(nil)))
	// Output:
	// {"paths":{}}
}
