package resource_test

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const kites = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kites.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: kites, kind: Kite, shortNames: [ki], categories: [toys]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Height, type: integer, jsonPath: .status.height}
    - {name: Flying, type: string, jsonPath: ".status.conditions[?(@.type=='Flying')].status"}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
`

func ExampleVersion_Table() {
	d, err := crd.Parse([]byte(kites))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	kite, err := unstructured.Decode([]byte(`
apiVersion: example.com/v1
kind: Kite
metadata: {name: dragon, creationTimestamp: "2026-03-04T09:30:00Z"}
spec: {color: red}
status: {height: 120, conditions: [{type: Flying, status: "True"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	table := r.Version("v1").Table([]map[string]any{kite}, time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
	for i, cell := range table.Rows[0].Cells {
		fmt.Println(table.Columns[i].Name, cell)
	}

	// A server sets the metadata of the list, and the objects that the client has asked for.
	table.ResourceVersion = "129"
	if err := table.Include("None"); err != nil {
		log.Fatal(err)
	}
	table.Columns = nil // as in the second event of a watch
	body, err := json.Marshal(table)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
	// Output:
	// Name dragon
	// Color red
	// Height 120
	// Flying True
	// Age 150m
	// {"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"129"},"columnDefinitions":null,"rows":[{"cells":["dragon","red",120,"True","150m"],"object":null}]}
}

func ExampleGroupResource() {
	kites := resource.GroupResource{Group: "example.com", Resource: "kites"}
	fmt.Println(kites.AlreadyExists("dragon"))
	body, err := json.Marshal(kites.NotFound("dragon"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
	// Output:
	// kites.example.com "dragon" already exists
	// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"kites.example.com \"dragon\" not found","reason":"NotFound","details":{"name":"dragon","group":"example.com","kind":"kites"},"code":404}
}
func ExampleVersion_APIResources() {
	d, err := crd.Parse([]byte(kites))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range r.Version("v1").APIResources() {
		fmt.Println(entry.Name, entry.SingularName, entry.Kind, entry.Verbs, entry.ShortNames, entry.Categories, entry.StorageVersionHash)
	}
	// Output:
	// kites kite Kite [delete deletecollection get list patch create update watch] [ki] [toys] P1lIx1WModI=
	// kites/status  Kite [get patch update] [] []
}
