package resource_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const backups = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: backups, kind: Backup}
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
            required: [schedule]
            properties:
              schedule: {type: string, pattern: '^(\S+ ){4}\S+$'}
              keep: {type: integer, minimum: 1, default: 7}
`

func version(options resource.RequestOptions) *resource.Version {
	d, err := crd.Parse([]byte(backups))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	return r.Version("v1").With(options)
}

// A server would store most objects without changes. Settled finds this out from their text, without decoding it.
func ExampleVersion_Settled() {
	v := version(resource.RequestOptions{Namespace: "default"})
	for _, body := range []string{
		`{"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "nightly", "namespace": "default"}, "spec": {"schedule": "0 3 * * *", "keep": 7}}`,
		`{"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "nightly", "namespace": "default"}, "spec": {"schedule": "0 3 * * *"}}`,
	} {
		if v.Settled([]byte(body)) {
			fmt.Println("settled")
			continue
		}
		result := v.CreateBody(context.Background(), []byte(body))
		fmt.Println(result.Object["spec"], result.Errors)
	}
	// Output:
	// settled
	// map[keep:7 schedule:0 3 * * *] []
}

func ExampleVersion_Create() {
	v := version(resource.RequestOptions{Namespace: "default"})
	obj, err := unstructured.Decode([]byte(`{apiVersion: example.com/v1, kind: Backup, metadata: {name: nightly}, spec: {keep: 0}}`))
	if err != nil {
		log.Fatal(err)
	}
	result := v.Create(context.Background(), obj)
	for _, e := range result.Errors {
		fmt.Println(e)
	}
	fmt.Println(result.Err())
	// Output:
	// spec.keep: Invalid value: 0: spec.keep in body should be greater than or equal to 1
	// spec.schedule: Required value
	// Backup.example.com "nightly" is invalid: [spec.keep: Invalid value: 0: spec.keep in body should be greater than or equal to 1, spec.schedule: Required value]
}

func ExampleVersion_Decode() {
	v := version(resource.RequestOptions{FieldValidation: "Strict"})
	_, _, err := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Backup","spec":{"schedule":"a","schedule":"b","x":1}}`))
	var status *field.Status
	if errors.As(err, &status) {
		fmt.Println(status.Code, status.Reason)
	}
	fmt.Println(err)
	// Output:
	// 400 BadRequest
	// Backup in version "v1" cannot be handled as a Backup: strict decoding error: duplicate field "spec.schedule", unknown field "spec.x"
}

func ExampleCompile() {
	d, err := crd.Parse([]byte(backups))
	if err != nil {
		log.Fatal(err)
	}
	d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Type = ""
	_, err = resource.Compile(d)
	fmt.Println(err)
	// Output:
	// resource: version v1: properties[spec].type: Required value: must not be empty for specified object fields
}

func ExampleResult_Status() {
	v := version(resource.RequestOptions{})
	result := v.Create(context.Background(), map[string]any{
		"apiVersion": "example.com/v1", "kind": "Backup", "metadata": map[string]any{"name": "nightly"},
		"spec": map[string]any{"schedule": "30 2 * * *"},
	})
	status, _ := json.MarshalIndent(result.Status(), "", "  ")
	fmt.Println(string(status))
	// Output:
	// {
	//   "kind": "Status",
	//   "apiVersion": "v1",
	//   "metadata": {},
	//   "status": "Failure",
	//   "message": "Backup.example.com \"nightly\" is invalid: metadata.namespace: Required value",
	//   "reason": "Invalid",
	//   "details": {
	//     "name": "nightly",
	//     "group": "example.com",
	//     "kind": "Backup",
	//     "causes": [
	//       {
	//         "reason": "FieldValueRequired",
	//         "message": "Required value",
	//         "field": "metadata.namespace"
	//       }
	//     ]
	//   },
	//   "code": 422
	// }
}

func ExampleVersion_CreateBody() {
	v := version(resource.RequestOptions{Namespace: "default", ContentType: "application/yaml"})
	result := v.CreateBody(context.Background(), []byte(`
apiVersion: example.com/v1
kind: Backup
metadata: {name: nightly}
spec: {schedule: 30 2 * * *, keepMonthly: 3}
`))
	if err := result.Err(); err != nil {
		log.Fatal(err)
	}
	stored, _ := json.Marshal(result.Object["spec"])
	fmt.Println(result.Warnings, string(stored))
	// Output:
	// [unknown field "spec.keepMonthly"] {"keep":7,"schedule":"30 2 * * *"}
}

func ExampleVersion_With() {
	v := version(resource.RequestOptions{Namespace: "default"})
	strict := v.With(resource.RequestOptions{Namespace: "default", FieldValidation: resource.FieldValidationStrict})
	obj := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Backup", "metadata": map[string]any{"name": "nightly"},
		"spec": map[string]any{"schedule": "30 2 * * *", "colour": "red"},
	}
	fmt.Println(v.Create(context.Background(), obj).Err())
	fmt.Println(strict.Create(context.Background(), obj).Err())
	// Output:
	// <nil>
	// Backup in version "v1" cannot be handled as a Backup: strict decoding error: unknown field "spec.colour"
}
