package crdcheck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// EMD-003: all fields, in the server's order and under its names, nil lists and maps as null.
func TestValues(t *testing.T) {
	none := given.JSON(t, propsValue{new(schema.JSONSchemaProps)})
	require.Equal(t, `{"ID":"","Schema":"","Ref":null,"Description":"","Type":"","Nullable":false,"Format":"","Title":"","Default":null,`+
		`"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"",`+
		`"MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,`+
		`"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,`+
		`"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,`+
		`"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,`+
		`"XValidations":null}`, string(none))

	p := given.Schema(t, `{default: {b: 1.5, a: "<"}, enum: [], required: [a], properties: {b: {}, a: {type: string}}, items: [{}],
		dependencies: {a: {}, b: [c]}, additionalItems: false, externalDocs: {url: u}, x-kubernetes-validations: [{rule: r}]}`)
	text := given.JSON(t, propsValue{p})
	for _, part := range []string{
		`"Default":{"a":"\u003c","b":1.5},`, `"Enum":[],`, `"Required":["a"],`, `"Properties":{"a":{"ID":"",`, `"b":` + string(none) + `},`,
		`"Items":{"Schema":null,"JSONSchemas":[` + string(none) + `]},`,
		`"Dependencies":{"a":{"Schema":` + string(none) + `,"Property":null},"b":{"Schema":null,"Property":["c"]}},`,
		`"AdditionalItems":{"Allows":false,"Schema":null},`, `"ExternalDocs":{"Description":"","URL":"u"},`,
		`"XValidations":[{"Rule":"r","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}]`,
	} {
		require.Contains(t, string(text), part)
	}
	text = given.JSON(t, itemsValue{p.Items})
	require.Equal(t, `{"Schema":null,"JSONSchemas":[`+string(none)+`]}`, string(text))

	text = given.JSON(t, versionsValue{{Name: "v1", Schema: &crd.Validation{}, Subresources: &crd.Subresources{Status: &crd.SubresourceStatus{}}}})
	require.Equal(t, `[{"Name":"v1","Served":false,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":null},`+
		`"Subresources":{"Status":{},"Scale":null},"AdditionalPrinterColumns":null,"SelectableFields":null}]`, string(text))
	text = given.JSON(t, versionsValue(nil))
	require.Equal(t, "null", string(text))
}
