package audit_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/crd"
)

// exampleDefinition returns the definition of a Backup with the given schema of spec.retention.
func exampleDefinition(retention string) *crd.CustomResourceDefinition {
	d, err := crd.Parse([]byte(`
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
            properties:
              schedule: {type: string}
              retention: ` + retention + `
`))
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// The output of kubectl get backups -A -o json.
const exampleObjects = `{
    "apiVersion": "v1",
    "items": [
        {"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "daily", "namespace": "shop", "uid": "1", "resourceVersion": "7", "generation": 1},
         "spec": {"schedule": "@daily", "retention": 7}},
        {"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "monthly", "namespace": "shop", "uid": "2", "resourceVersion": "8", "generation": 1},
         "spec": {"schedule": "@monthly", "retention": 365}},
        {"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "never", "namespace": "lab", "uid": "3", "resourceVersion": "9", "generation": 1},
         "spec": {"schedule": "@daily", "retention": -1}}
    ],
    "kind": "List"
}`

// Which objects does a new maximum break?
func ExampleAudit_Run() {
	a, err := audit.New(exampleDefinition("{type: integer, minimum: 0, maximum: 90}"), &audit.Options{
		Old: exampleDefinition("{type: integer, minimum: 0}"),
	})
	if err != nil {
		log.Fatal(err)
	}
	report, err := a.Run(context.Background(), audit.Objects(strings.NewReader(exampleObjects)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report)
	// Output:
	// Backup.example.com: 3 objects, 1 clean, 0 changed, 2 broken (1 by the change), 0 of another kind, 0 damaged
	//
	// create v1 spec.retention FieldValueInvalid: 2, 1 of them before
	//   spec.retention: Invalid value: 365: spec.retention in body should be less than or equal to 90
	//   shop/monthly, lab/never
}

func ExampleAudit_Object() {
	a, err := audit.New(exampleDefinition("{type: integer, default: 7}"), nil)
	if err != nil {
		log.Fatal(err)
	}
	o := a.Object(context.Background(), []byte(`{"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "daily", "namespace": "shop"},
		"spec": {"schedule": "@daily", "retain": 3}}`))
	fmt.Println(o.Name, o.Class)
	for _, f := range o.Findings {
		fmt.Println(f.Question, f.Path)
	}
	// Output:
	// shop/daily changed
	// prune spec.retain
	// default spec.retention
}
