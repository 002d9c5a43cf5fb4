package schema_test

import (
	"fmt"

	"github.com/crdkit/crdkit/schema"
)

func ExampleCompile() {
	props, err := schema.Decode([]byte(`
type: object
required: [spec]
properties:
  spec:
    type: object
    properties:
      size: {type: integer, minimum: 1, default: 3}
`))
	if err != nil {
		panic(err)
	}
	s, errs := schema.Compile(props)
	fmt.Println(errs)

	size := s.Root().Property("spec").Property("size")
	fmt.Println(size.Type(), size.Default())

	props.Properties["spec"].Properties["size"].Type = ""
	_, errs = schema.Compile(props)
	fmt.Println(errs)
	// Output:
	// []
	// integer 3
	// properties[spec].properties[size].type: Required value: must not be empty for specified object fields
}

// What is not structural can be compiled all the same, for a CustomResourceDefinition with preserveUnknownFields: true.
func ExampleCompileLoose() {
	props, err := schema.Decode([]byte(`{properties: {a: {minimum: 1}}}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(schema.Violations(nil, props))
	s, err := schema.CompileLoose(props)
	fmt.Println(s.Root().Property("a").IsZero(), err)

	ref := "#/definitions/a"
	_, err = schema.CompileLoose(&schema.JSONSchemaProps{Ref: &ref})
	fmt.Println(err)
	// Output:
	// [properties[a].type: Required value: must not be empty for specified object fields, type: Required value: must not be empty at the root]
	// false <nil>
	// schema: OpenAPIV3Schema '$ref' is not supported
}

func ExampleNode_Child() {
	props, err := schema.Decode([]byte(`
type: object
properties: {name: {type: string}}
additionalProperties: {type: integer}
`))
	if err != nil {
		panic(err)
	}
	s, err := schema.CompileLoose(props)
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"name", "other"} {
		n, declared := s.Root().Child(key)
		fmt.Println(key, n.Type(), declared)
	}
	// Output:
	// name string true
	// other integer false
}
