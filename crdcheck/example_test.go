package crdcheck_test

import (
	"context"
	"fmt"
	"log"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/validate"
)

const document = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: lamps, kind: Lamp}
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
              colour: {type: string, format: colour}
              watts: {type: integer, default: sixty}
`

func ExampleValidate() {
	d, err := crd.Parse([]byte(document))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range crdcheck.Validate(d) {
		fmt.Println(e)
	}
	// Output:
	// spec.validation.openAPIV3Schema.properties[spec].properties[watts].default: Invalid value: "string":  in body must be of type integer: "string"
}

func ExampleValidateUpdate() {
	old, err := crd.Parse([]byte(document))
	if err != nil {
		log.Fatal(err)
	}
	d := *old
	d.Spec.Versions = []crd.Version{old.Spec.Versions[0]}
	d.Spec.Versions[0].Name = "v2"
	d.Spec.Names.Plural = "lights"
	for _, e := range crdcheck.ValidateUpdate(&d, old) {
		if e.Field != "status.storedVersions[0]" {
			fmt.Println(e)
		} else {
			fmt.Println(e.Field, e.Type)
		}
	}
	// Output:
	// spec.validation.openAPIV3Schema.properties[spec].properties[watts].default: Invalid value: "string":  in body must be of type integer: "string"
	// spec.names.plural: Invalid value: "lights": field is immutable
	// status.storedVersions[0] FieldValueInvalid
}

func ExampleValidateStatusUpdate() {
	old, err := crd.Parse([]byte(document))
	if err != nil {
		log.Fatal(err)
	}
	d := *old
	d.Status.AcceptedNames = crd.Names{Plural: "Lamps", Kind: "Lamp", ListKind: "Lamp"}
	for _, e := range crdcheck.ValidateStatusUpdate(&d, old) {
		fmt.Println(e.Field, e.Type)
	}
	// Output:
	// status.acceptedNames.plural FieldValueInvalid
	// status.acceptedNames.listKind FieldValueInvalid
}

// A test of one rule, or of one pattern, needs no whole object: values are evaluated with the schema of the field. Each
// call has a budget of its own (LIB-002).
func ExampleChecked() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: lamps, kind: Lamp}
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
              colour:
                type: string
                maxLength: 20
                pattern: "^[a-z]+$"
                x-kubernetes-validations: [{rule: "self == oldSelf || oldSelf == 'white'", message: only white lamps can be painted}]
`))
	if err != nil {
		log.Fatal(err)
	}
	checked := crdcheck.Compile(d)
	if err := checked.Errors().Err(); err != nil {
		log.Fatal(err)
	}
	for _, c := range checked.Rules("v1").Costs() {
		fmt.Println(c.Path, "costs", c.Estimate)
	}
	spec, at := checked.Schema("v1").Root().Property("spec"), field.NewPath("spec", "colour")
	colour := spec.Property("colour")

	check := func(v, old any) {
		result := checked.Rules("v1").EvaluateValue(context.Background(), colour, at, v, old, nil)
		fmt.Println(append(validate.Value(colour, at, v), result.Errors...))
	}
	check("red", "white")
	check("red", "blue")
	check("Red", nil)
	// Output:
	// properties[spec].properties[colour] costs 12
	// []
	// spec.colour: Invalid value: "red": only white lamps can be painted
	// spec.colour: Invalid value: "Red":  in body should match '^[a-z]+$'
}

// A server says that this rule is 18 times over its limit. A report says which bound makes it fit, as a patch and as a
// marker for kubebuilder.
func ExampleCosts() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: nodes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: nodes, kind: Node}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          tags:
            type: array
            maxItems: 64
            items: {type: string}
            x-kubernetes-validations: [{rule: "self.all(tag, tag.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'))"}]
`))
	if err != nil {
		log.Fatal(err)
	}
	report := crdcheck.Costs(d)
	fmt.Print(report)
	fix := report.Schemas[0].Rules[0].Fixes[0]
	fmt.Println(fix.Marker)
	fmt.Printf("%s\n", fix.Patch)
	// Output:
	// spec.versions[0].schema.openAPIV3Schema: total 181194306, 181.2% of the limit
	//   properties[tags].x-kubernetes-validations[0]: 181194306, 1811.9% of the limit
	//     rule: self.all(tag, tag.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'))
	//     most expensive part: tag.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'), 181194112
	//     fix: maxLength: 32768 at spec.versions[0].schema.openAPIV3Schema.properties[tags].items: 7550466
	//     hint: matches-of-constant: spec.versions[0].schema.openAPIV3Schema.properties[tags].items: the rule matches each item with a constant: the keyword pattern does so without a cost
	//   fix for all rules: maxLength: 32768 at spec.versions[0].schema.openAPIV3Schema.properties[tags].items: 7550466
	// +kubebuilder:validation:items:MaxLength=32768
	// [{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/tags/items/maxLength","value":32768}]
}

func ExampleWarnings() {
	d, err := crd.Parse([]byte(document))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(crdcheck.Warnings(d, nil))
	// Output:
	// [unrecognized format "colour"]
}
