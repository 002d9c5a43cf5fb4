package resource_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
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

	// A server sets what it knows besides, and what the client asked for.
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

func ExampleDiscover() {
	d, err := crd.Parse([]byte(kites))
	if err != nil {
		log.Fatal(err)
	}
	discovery := resource.Discover([]*crd.CustomResourceDefinition{d})
	group, err := json.Marshal(discovery.Group("example.com"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(group))
	fmt.Println(len(discovery.Resources("example.com", "v1").Resources), discovery.Resources("example.com", "v2"))

	const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	if answer, err := resource.NegotiateDiscovery(accept, resource.DiscoveryV2); err == nil && answer.As != "" {
		list := discovery.Aggregated()
		fmt.Println(list.ContentType(), list.Items[0].Versions[0].Resources[0].Subresources[0].Subresource)
	}
	// Output:
	// {"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}
	// 2 <nil>
	// application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList status
}

func ExampleNegotiateObject() {
	const kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
	answer, err := resource.NegotiateObject(kubectl)
	fmt.Println(answer.MediaType, answer.As, answer.APIVersion, err)
	_, err = resource.NegotiateObject("text/html")
	var status *field.Status
	fmt.Println(errors.As(err, &status), status.Code, err)
	// Output:
	// application/json Table meta.k8s.io/v1 <nil>
	// true 406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf
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

func ExampleWarningHeaders() {
	for _, header := range resource.WarningHeaders([]string{`unknown field "spec.colour"`, "example.com/v1beta1 Kite is deprecated"}) {
		fmt.Println("Warning:", header)
	}
	// Output:
	// Warning: 299 - "unknown field \"spec.colour\""
	// Warning: 299 - "example.com/v1beta1 Kite is deprecated"
}
