package admission_test

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/crdkit/crdkit/admission"
	"github.com/crdkit/crdkit/registry"
)

func Example() {
	definitions, err := registry.Load("testdata/crds.yaml")
	if err != nil {
		log.Fatal(err)
	}
	webhook, err := admission.Compile(definitions, &admission.Options{Observe: func(o admission.Observation) {
		fmt.Println(o.Code, o.Operation, o.Resource, "allowed:", o.Allowed)
	}})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(webhook.Handler())
	defer server.Close()
	answer, err := server.Client().Post(server.URL+admission.ValidatePath, "application/json", strings.NewReader(`{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
			"uid": "1", "operation": "CREATE", "namespace": "team",
			"kind": {"group": "example.org", "version": "v1", "kind": "Widget"},
			"resource": {"group": "example.org", "version": "v1", "resource": "widgets"},
			"object": {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "team"},
				"spec": {"size": 2}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// 200 CREATE example.org/v1 widgets allowed: true
	// {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1","allowed":true}}
}
