package v1_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/apiextensions/v1"
)

// The texts are those of kube-apiserver.
func TestDecodeError(t *testing.T) {
	schema := func(text string) string {
		return `{"spec":{"versions":[{"schema":{"openAPIV3Schema":` + text + `}}]}}`
	}
	for _, c := range []struct{ name, text, err string }{
		{"nothing", `{"spec":{},"status":null}`, ""},
		{"metadata", `{"metadata":1}`, "json: cannot unmarshal number into Go struct field CustomResourceDefinition.metadata of type v1.ObjectMeta"},
		{"a name", `{"metadata":{"name":1},"spec":1}`, "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string"},
		{"a uid", `{"metadata":{"uid":1}}`, "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID"},
		{"a spec", `{"spec":[]}`, "json: cannot unmarshal array into Go struct field CustomResourceDefinition.spec of type v1.CustomResourceDefinitionSpec"},
		{"a named type", `{"spec":{"scope":1}}`, "json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope"},
		{"the first of several", `{"spec":{"group":1,"names":2}}`, "json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.group of type string"},
		{"below a list", `{"spec":{"versions":[{},{"served":"yes"}]}}`, "json: cannot unmarshal string into Go struct field CustomResourceDefinitionVersion.spec.versions.served of type bool"},
		{"below properties", schema(`{"properties":{"a":{"minimum":"3"}}}`),
			"json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.minimum of type float64"},
		{"a fraction", schema(`{"maxLength":1.5}`), "json: cannot unmarshal number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maxLength of type int64"},
		{"below items", schema(`{"items":{"minimum":"3"}}`),
			"json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.minimum of type float64"},
		{"a list of items", schema(`{"items":[{"nullable":1}]}`),
			"json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.nullable of type bool"},
		{"items that are text", schema(`{"items":"3"}`), ""},
		{"additionalProperties", schema(`{"additionalProperties":1}`), "boolean or JSON schema expected"},
		{"all that may be false", schema(`{"additionalProperties":false,"additionalItems":true,"items":null,"default":1,"enum":[1,"a",null]}`), ""},
		{"below dependencies", schema(`{"dependencies":{"a":[1]}}`),
			"json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string"},
		{"bytes", `{"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"%"}}}}}`, "illegal base64 data at input byte 0"},
		{"a time", `{"status":{"conditions":[{"lastTransitionTime":"now"}]}}`, `parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"`},
		{"a time that is no text", `{"status":{"conditions":[{"lastTransitionTime":1}]}}`,
			"json: cannot unmarshal number into Go struct field CustomResourceDefinitionCondition.status.conditions.lastTransitionTime of type string"},
		{"deep items would be read again and again", schema(strings.Repeat(`{"items":`, 9000) + "1" + strings.Repeat("}", 9000)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := v1.DecodeError([]byte(c.text)); c.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.err)
			}
		})
	}
}
