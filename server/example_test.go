package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/crdkit/crdkit/server"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.demo.example.com}
spec:
  group: demo.example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
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
              size: {type: integer, maximum: 10}
              color: {type: string, default: red}
`

// post creates an object, and prints the spec or the refusal.
func post(c *http.Client, path, body string) {
	answer, err := c.Post("http://server"+path, "application/yaml", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	var obj struct {
		Message string
		Spec    struct{ Size, Color any }
	}
	text, err := io.ReadAll(answer.Body)
	if err == nil {
		err = json.Unmarshal(text, &obj)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.StatusCode, obj.Message, obj.Spec.Size, obj.Spec.Color)
}

// A server in memory, and a client of it without a network.
func ExampleServer_RoundTripper() {
	s, err := server.New(context.Background(), server.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	c := &http.Client{Transport: s.RoundTripper()}

	post(c, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets)
	const path = "/apis/demo.example.com/v1/namespaces/default/widgets"
	post(c, path, "{apiVersion: demo.example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 3}}")
	post(c, path, "{apiVersion: demo.example.com/v1, kind: Widget, metadata: {name: b}, spec: {size: 11}}")
	// Output:
	// 201  <nil> <nil>
	// 201  3 red
	// 422 Widget.demo.example.com "b" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10 <nil> <nil>
}

// A webhook takes part in the admission of writes. This one refuses widgets with the name admin.
func ExampleWebhook() {
	deny := func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct{ UID, Name string }
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		response := map[string]any{"uid": review.Request.UID, "allowed": review.Request.Name != "admin"}
		json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
	}
	s, err := server.New(context.Background(), server.Options{Webhooks: []server.Webhook{{
		Name: "names.demo.example.com", Resources: []string{"widgets.demo.example.com"}, Handler: http.HandlerFunc(deny),
	}}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	c := &http.Client{Transport: s.RoundTripper()}
	post(c, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets)
	post(c, "/apis/demo.example.com/v1/namespaces/default/widgets", "{apiVersion: demo.example.com/v1, kind: Widget, metadata: {name: admin}}")
	// Output:
	// 201  <nil> <nil>
	// 400 admission webhook "names.demo.example.com" denied the request without explanation <nil> <nil>
}

// With credentials, clients can reach a server over TLS. kubectl uses the kubeconfig.
func ExampleCredentials_Kubeconfig() {
	c, err := server.NewCredentials()
	if err != nil {
		log.Fatal(err)
	}
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
	}
	if err := json.Unmarshal(c.Kubeconfig("https://127.0.0.1:6443"), &config); err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Clusters[0].Cluster.Server)
	// Output:
	// https://127.0.0.1:6443
}
