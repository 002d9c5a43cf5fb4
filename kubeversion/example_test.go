package kubeversion_test

import (
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/kubeversion"
)

func ExampleCheck() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: peers.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: peers, kind: Peer}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          address: {type: string, maxLength: 45, x-kubernetes-validations: [{rule: isIP(self)}]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, version := range []string{"1.30", "1.31"} {
		v, err := kubeversion.Check(d, version)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v.Version, v.Accepted())
		for _, n := range v.Notes {
			fmt.Println(n.Rule, "-", n.Text)
		}
	}
	// Output:
	// 1.30 false
	// isIP(self) - isIP came with 1.31
	// 1.31 true
}

// A rule that compares CIDRs: 1.31 knows them, but not what a comparison costs at most.
func ExampleRange() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: pools, kind: Pool}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          cidr: {type: string, maxLength: 43, x-kubernetes-validations: [{rule: cidr(self) == cidr(self).masked()}]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range kubeversion.Range(d)[2:5] {
		fmt.Println(v.Version, v.Accepted())
		for _, e := range v.Errors {
			fmt.Println(" ", e.Type, e.Field)
		}
	}
	// Output:
	// 1.30 false
	//   FieldValueInvalid spec.validation.openAPIV3Schema.properties[cidr].x-kubernetes-validations[0].rule
	// 1.31 false
	//   FieldValueForbidden spec.validation.openAPIV3Schema.properties[cidr].x-kubernetes-validations[0].rule
	//   FieldValueForbidden spec.validation.openAPIV3Schema.properties[cidr].x-kubernetes-validations[0].rule
	//   FieldValueForbidden spec.validation.openAPIV3Schema
	// 1.32 true
}
