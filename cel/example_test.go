package cel_test

import (
	"context"
	"fmt"
	"math"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

func compileSchema(text string) *schema.Structural {
	props, err := schema.Decode([]byte(text))
	if err != nil {
		panic(err)
	}
	s, errs := schema.Compile(props)
	if len(errs) > 0 {
		panic(errs)
	}
	return s
}

// What a definition is told about its rules.
func ExampleCompile() {
	s := compileSchema(`
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations:
    - rule: self.min <= self.max
    properties:
      min: {type: integer}
      hosts:
        type: array
        items:
          type: string
          x-kubernetes-validations:
          - rule: self.matches('^[a-z.]+$')
`)
	_, errs := cel.Compile(s, &cel.Options{Path: "spec.versions[0].schema.openAPIV3Schema"})
	for _, e := range errs {
		fmt.Println(e.Field)
		fmt.Println("  ", e.Detail)
	}
	// Output:
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[hosts].items.x-kubernetes-validations[0].rule
	//    estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule
	//    compilation failed: ERROR: <input>:1:17: undefined field 'max'
	//  | self.min <= self.max
	//  | ................^
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[hosts].items.x-kubernetes-validations[0].rule
	//    contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema
	// spec.versions[0].schema.openAPIV3Schema
	//    x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
}

func ExampleRules_Costs() {
	s := compileSchema(`
type: object
x-kubernetes-validations:
- rule: "!has(oldSelf.hosts) || has(self.hosts)"
properties:
  hosts:
    type: array
    maxItems: 10
    items:
      type: string
      maxLength: 253
      x-kubernetes-validations:
      - rule: self.matches('^[a-z.]+$')
        messageExpression: self + ' is no host'
  ports:
    type: array
    items: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}
`)
	rules, _ := cel.Compile(s, nil)
	for _, c := range rules.Costs() {
		times := fmt.Sprint(c.Cardinality)
		if c.Cardinality == math.MaxUint64 {
			times = "any number of"
		}
		fmt.Printf("%q[%d] transition %t: %d, %s times, message %d\n", c.Path, c.Index, c.Transition, c.Cost, times, c.MessageCost)
	}
	// Output:
	// ""[0] transition true: 3, 1 times, message 0
	// "properties[hosts].items"[0] transition false: 307, 10 times, message 104
	// "properties[ports].items"[0] transition false: 2, any number of times, message 0
}

func ExampleRules_Evaluate() {
	rules := cel.Prepare(compileSchema(`
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations:
    - rule: self.min <= self.max
      messageExpression: "'min is %d, but max is %d'.format([self.min, self.max])"
      fieldPath: .min
    - rule: self.class == oldSelf.class
      message: class is immutable
    properties:
      min: {type: integer}
      max: {type: integer}
      class: {type: string}
`))
	decode := func(text string) map[string]any {
		obj, err := unstructured.Decode([]byte(text))
		if err != nil {
			panic(err)
		}
		return obj
	}
	ctx := context.Background()
	old := decode(`{"spec": {"min": 5, "max": 3, "class": "a"}}`)

	created := rules.Evaluate(ctx, old, nil, nil)
	fmt.Println(created.Errors, created.Cost)

	// On an update, what was wrong before may stay.
	update := &cel.EvalOptions{Ratchet: true}
	same := rules.Evaluate(ctx, old, old, update)
	fmt.Println(same.Errors, same.Warnings)

	changed := rules.Evaluate(ctx, decode(`{"spec": {"min": 2, "max": 3, "class": "b"}}`), old, update)
	fmt.Println(changed.Errors)
	// Output:
	// spec.min: Invalid value: min is 5, but max is 3 22
	// [] spec.min: Invalid value: min is 5, but max is 3
	// spec: Invalid value: class is immutable
}

func ExampleRules_EvaluateValue() {
	s := compileSchema(`{type: object, properties: {ports: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}}}`)
	rules := cel.Prepare(s)
	ports := s.Root().Property("ports")
	r := rules.EvaluateValue(context.Background(), ports, field.NewPath("variables", "ports"), []any{int64(80), int64(-1)}, nil, nil)
	fmt.Println(r.Errors)
	// Output:
	// variables.ports[1]: Invalid value: -1: failed rule: self > 0
}

// What an update of a definition is refused for: expressions that are stored may stay.
func ExampleCompile_stored() {
	s := compileSchema(`
type: object
properties:
  tags: {type: array, maxItems: 5, items: {type: string, maxLength: 9}, x-kubernetes-validations: [{rule: self.includes('a')}]}
  size: {type: integer, x-kubernetes-validations: [{rule: self.zz}]}
`)
	_, all := cel.Compile(s, nil)
	_, errs := cel.Compile(s, &cel.Options{
		Path:   "spec.validation.openAPIV3Schema",
		Stored: func(text string) bool { return text == "self.includes('a')" },
	})
	fmt.Println(len(errs), len(all))
	// Output: 1 2
}
