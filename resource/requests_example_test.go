package resource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const fleets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fleets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: fleets, kind: Fleet}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.ships, statusReplicasPath: .status.ships, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              ships: {type: integer, maximum: 10}
              home: {type: string, maxLength: 8, default: harbour}
          status:
            type: object
            properties:
              ships: {type: integer}
              selector: {type: string}
              phase: {type: string, enum: [Moored, AtSea]}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              ships: {type: integer}
              port: {type: string}
`

func fleetResource() *resource.Resource {
	d, err := crd.Parse([]byte(fleets))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// fleet returns a Fleet of v1 with those members.
func fleet(members string) map[string]any {
	obj, err := unstructured.Decode([]byte("{apiVersion: example.com/v1, kind: Fleet, " + members + "}"))
	if err != nil {
		log.Fatal(err)
	}
	return obj
}

func show(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}

func ExampleVersion_Update() {
	v := fleetResource().Version("v1")
	// The home is too long: the schema has become stricter.
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, home: Portsmouth}, status: {phase: Moored}`)

	obj := fleet(`metadata: {name: red, namespace: sea}, spec: {ships: 4, home: Portsmouth}, status: {phase: AtSea}`)
	result := v.Update(context.Background(), obj, old)
	show(result.Object)

	obj = fleet(`metadata: {name: red, namespace: sea}, spec: {ships: 11, home: Southampton}`)
	fmt.Println(v.Update(context.Background(), obj, old).Err())
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Fleet","metadata":{"generation":2,"name":"red","namespace":"sea"},"spec":{"home":"Portsmouth","ships":4},"status":{"phase":"Moored"}}
	// Fleet.example.com "red" is invalid: [spec.home: Too long: may not be more than 8 bytes, spec.ships: Invalid value: 11: spec.ships in body should be less than or equal to 10]
}

func ExampleVersion_UpdateStatus() {
	v := fleetResource().Version("v1")
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, home: harbour}`)
	obj := fleet(`metadata: {name: red, namespace: sea, labels: {a: b}}, spec: {ships: 99}, status: {phase: AtSea}`)
	result := v.UpdateStatus(context.Background(), obj, old)
	show(result.Object)

	obj["status"] = map[string]any{"phase": "Sunk"}
	fmt.Println(v.UpdateStatus(context.Background(), obj, old).Err())
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Fleet","metadata":{"generation":1,"name":"red","namespace":"sea"},"spec":{"home":"harbour","ships":3},"status":{"phase":"AtSea"}}
	// Fleet.example.com "red" is invalid: status.phase: Unsupported value: "Sunk": supported values: "Moored", "AtSea"
}

func ExampleVersion_Patch() {
	v := fleetResource().Version("v1")
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, home: dock}`)

	result := v.Patch(context.Background(), "application/merge-patch+json", []byte(`{"spec":{"ships":4,"home":null,"sails":8}}`), old)
	fmt.Println(result.Warnings)
	show(result.Object)

	patch := []byte(`[{"op":"test","path":"/spec/ships","value":5},{"op":"replace","path":"/spec/ships","value":6}]`)
	fmt.Println(v.Patch(context.Background(), "application/json-patch+json", patch, old).Err())
	// Output:
	// [unknown field "spec.sails"]
	// {"apiVersion":"example.com/v1","kind":"Fleet","metadata":{"generation":2,"name":"red","namespace":"sea"},"spec":{"home":"harbour","ships":4}}
	// the server rejected our request due to an error in our request
}

func ExampleVersion_PatchStatus() {
	v := fleetResource().Version("v1")
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, home: dock}, status: {phase: Moored}`)
	result := v.PatchStatus(context.Background(), "application/merge-patch+json", []byte(`{"spec":{"ships":4},"status":{"phase":"AtSea"}}`), old)
	show(result.Object["spec"])
	show(result.Object["status"])
	// Output:
	// {"home":"dock","ships":3}
	// {"phase":"AtSea"}
}

func ExampleVersion_Read() {
	// An object that was stored earlier, with a field that the schema no longer has, and without a default that was
	// added later.
	stored := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, oars: 40}`)
	show(fleetResource().Version("v1").Read(stored).Object)
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Fleet","metadata":{"generation":1,"name":"red","namespace":"sea"},"spec":{"home":"harbour","ships":3}}
}

func ExampleVersion_Scale() {
	scale, refused := fleetResource().Version("v1").Scale(fleet(`metadata: {name: red, namespace: sea}, spec: {ships: 3}, status: {ships: 2, selector: "fleet=red"}`))
	if refused != nil {
		log.Fatal(refused)
	}
	show(scale)
	// Output:
	// {"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"red","namespace":"sea"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"fleet=red"}}
}

func ExampleVersion_UpdateScale() {
	v := fleetResource().Version("v1")
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, home: dock}`)
	scale, refused := v.Scale(old)
	if refused != nil {
		log.Fatal(refused)
	}
	scale["spec"] = map[string]any{"replicas": int64(5)}
	show(v.UpdateScale(context.Background(), scale, old).Object)

	scale["spec"] = map[string]any{"replicas": int64(50)}
	fmt.Println(v.UpdateScale(context.Background(), scale, old).Err())
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Fleet","metadata":{"generation":2,"name":"red","namespace":"sea"},"spec":{"home":"dock","ships":5}}
	// Fleet.example.com "red" is invalid: spec.ships: Invalid value: 50: spec.ships in body should be less than or equal to 10
}

func ExampleVersion_PatchScale() {
	v := fleetResource().Version("v1")
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3, home: dock}`)
	show(v.PatchScale(context.Background(), "application/merge-patch+json", []byte(`{"spec":{"replicas":5}}`), old).Object["spec"])
	// Output:
	// {"home":"dock","ships":5}
}

func ExampleVersion_Delete() {
	v := fleetResource().Version("v1")
	old := fleet(`metadata: {name: red, namespace: sea, generation: 1, finalizers: [example.com/crew]}, spec: {home: dock}`)
	marked := v.Delete(context.Background(), old, resource.DeleteOptions{Now: time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)})
	fmt.Println(marked.Deleted)
	show(marked.Object["metadata"])

	// The crew has left.
	gone := v.Patch(context.Background(), "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), marked.Object)
	fmt.Println(gone.Deleted)
	// Output:
	// false
	// {"deletionGracePeriodSeconds":0,"deletionTimestamp":"2026-08-01T12:00:00Z","finalizers":["example.com/crew"],"generation":2,"name":"red","namespace":"sea"}
	// true
}

func ExampleResource_WithConverter() {
	// From v1 to v2, the field home becomes port, in capital letters.
	shout := func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for _, obj := range objects {
			obj["apiVersion"] = apiVersion
			if spec, ok := obj["spec"].(map[string]any); ok {
				home, _ := spec["home"].(string)
				spec["port"] = strings.ToUpper(home)
			}
		}
		return objects, nil
	}
	r := fleetResource().WithConverter(conversion.ConverterFunc(shout))
	show(r.Version("v2").Read(fleet(`metadata: {name: red, namespace: sea, generation: 1}, spec: {ships: 3}`)).Object["spec"])
	// Output:
	// {"port":"HARBOUR","ships":3}
}

func ExampleResult_Patch() {
	v := fleetResource().Version("v1")
	result := v.Create(context.Background(), fleet(`metadata: {name: red, namespace: sea}, spec: {ships: 3, oars: 40}, status: {phase: Moored}`))
	fmt.Println(string(result.Patch()))
	// Output:
	// [{"op":"add","path":"/spec/home","value":"harbour"},{"op":"remove","path":"/spec/oars"}]
}
