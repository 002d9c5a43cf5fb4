package crd_test

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/crd"
)

const lamps = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {plural: lamps, kind: Lamp}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    deprecated: true
    schema: {openAPIV3Schema: {type: object}}
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, readOnly: true}}}}
`

func ExampleParse() {
	d, err := crd.Parse([]byte(lamps))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Name(), d.Spec.Names.ListKind)
	fmt.Println(d.StorageVersion())

	_, err = crd.Parse([]byte(strings.Replace(lamps, "served: true", "served: oui", 1)))
	fmt.Println(err)
	// Output:
	// lamps.example.com LampList
	// v1 <nil>
	// crd: spec.versions[0].served: must be a boolean, not a string
}

func ExampleParseStrict() {
	_, findings, err := crd.ParseStrict([]byte(lamps))
	fmt.Println(strings.Join(findings, ", "), err)
	// Output:
	// unknown field "spec.versions[1].schema.openAPIV3Schema.properties.spec.readOnly" <nil>
}

func ExampleParseBundle() {
	manifest := "apiVersion: v1\nkind: Namespace\n---" + lamps
	all, err := crd.ParseBundle([]byte(manifest))
	fmt.Println(len(all), err)

	_, err = crd.ParseAll([]byte(manifest))
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// crd: document 1: kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "Namespace" of "v1"
}

func ExampleLookup_Schema() {
	d, _ := crd.Parse([]byte(lamps))
	versions := d.Lookup()
	props, err := versions.Schema("v1")
	fmt.Println(props.Properties["spec"].Type, err)
	_, err = versions.Schema("v2")
	fmt.Println(err)
	// Output:
	// object <nil>
	// crd: version v2 not found in CustomResourceDefinition: lamps.example.com
}

func ExampleLookup_DeprecationWarning() {
	d, _ := crd.Parse([]byte(lamps))
	fmt.Println(d.Lookup().DeprecationWarning("v1beta1"))
	// Output:
	// example.com/v1beta1 Lamp is deprecated; use example.com/v1 Lamp true
}

func ExampleCustomResourceDefinition_Unversioned() {
	one, _ := crd.Parse([]byte(strings.Split(lamps, "  - name: v1\n")[0]))
	two, _ := crd.Parse([]byte(lamps))
	fmt.Println("one version:", one.Unversioned().Validation != nil)
	fmt.Println("two versions with different schemas:", two.Unversioned().Validation != nil)
	// Output:
	// one version: true
	// two versions with different schemas: false
}

func ExampleParseAll() {
	all, err := crd.ParseAll([]byte(lamps + "---" + strings.NewReplacer("lamp", "light", "Lamp", "Light").Replace(lamps)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range all {
		fmt.Println(d.Name())
	}
	// Output:
	// lamps.example.com
	// lights.example.com
}
