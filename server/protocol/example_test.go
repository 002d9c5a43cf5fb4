package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/protocol"
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
`

func ExampleDiscover() {
	d, err := crd.Parse([]byte(kites))
	if err != nil {
		log.Fatal(err)
	}
	discovery := protocol.Discover([]*crd.CustomResourceDefinition{d})
	group, err := json.Marshal(discovery.Group("example.com"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(group))
	fmt.Println(len(discovery.Resources("example.com", "v1").Resources), discovery.Resources("example.com", "v2"))

	const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	if answer, err := protocol.NegotiateDiscovery(accept, protocol.DiscoveryV2); err == nil && answer.As != "" {
		fmt.Println(discovery.Aggregated().ContentType())
	}
	// Output:
	// {"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}
	// 2 <nil>
	// application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList
}

func ExampleAPIResources() {
	d, err := crd.Parse([]byte(kites))
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range protocol.APIResources(d, "v1") {
		fmt.Println(r.Name, r.SingularName, r.Kind, r.Verbs, r.ShortNames, r.Categories, r.StorageVersionHash)
	}
	// Output:
	// kites kite Kite [delete deletecollection get list patch create update watch] [ki] [toys] P1lIx1WModI=
	// kites/status  Kite [get patch update] [] []
}

func ExampleNegotiateObject() {
	const kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
	answer, err := protocol.NegotiateObject(kubectl)
	fmt.Println(answer.MediaType, answer.As, answer.APIVersion, err)
	_, err = protocol.NegotiateObject("text/html")
	var status *field.Status
	fmt.Println(errors.As(err, &status), status.Code, err)
	// Output:
	// application/json Table meta.k8s.io/v1 <nil>
	// true 406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf
}

func ExampleWarningHeaders() {
	for _, header := range protocol.WarningHeaders([]string{`unknown field "spec.colour"`, "example.com/v1beta1 Kite is deprecated"}) {
		fmt.Println("Warning:", header)
	}
	// Output:
	// Warning: 299 - "unknown field \"spec.colour\""
	// Warning: 299 - "example.com/v1beta1 Kite is deprecated"
}
