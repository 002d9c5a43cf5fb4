package crdcheck

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/schema"
)

// Whatever the errors are about, a list is the beginning of all of them, and counts the others. What is cut does not
// change what is checked.
func TestLimit(t *testing.T) {
	limited := func(most int) *checker {
		limit := field.Limit{Errors: most}
		return &checker{list: refusal.Within(limit), violations: refusal.Within(limit)}
	}
	no := false
	properties := func(of *schema.JSONSchemaProps) *schema.JSONSchemaProps {
		root := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{}}
		for i := range 20 {
			root.Properties[fmt.Sprintf("p%02d", i)] = of
		}
		return root
	}
	for name, p := range map[string]*schema.JSONSchemaProps{
		"not structural":    properties(&schema.JSONSchemaProps{}),
		"unique items":      properties(&schema.JSONSchemaProps{Type: "array", UniqueItems: true, Items: &schema.SchemaOrArray{Schema: &schema.JSONSchemaProps{Type: "string"}}}),
		"rules":             properties(&schema.JSONSchemaProps{Type: "string", XValidations: []schema.ValidationRule{{Rule: "self.x"}, {Rule: "self +"}}}),
		"fields of rules":   properties(&schema.JSONSchemaProps{Type: "string", XValidations: []schema.ValidationRule{{}}}),
		"defaults":          properties(&schema.JSONSchemaProps{Type: "string", Default: int64(1)}),
		"unknown fields":    properties(&schema.JSONSchemaProps{Type: "object", Default: map[string]any{"x": int64(1)}}),
		"nothing supported": properties(&schema.JSONSchemaProps{Type: "string", Definitions: map[string]*schema.JSONSchemaProps{"x": {}}}),
	} {
		t.Run(name, func(t *testing.T) {
			d := &crd.CustomResourceDefinition{
				APIVersion: crd.APIVersionV1, Metadata: map[string]any{"name": "things.example.com", "labels": map[string]any{"?": "?"}},
				Spec: crd.Spec{
					Group: "example.com", Scope: crd.NamespaceScoped, PreserveUnknownFields: &no,
					Names:    crd.Names{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
					Versions: []crd.Version{{Name: "v1", Served: true, Storage: true, Schema: &crd.Validation{OpenAPIV3Schema: p}}},
				},
			}
			all := Validate(d)
			require.Greater(t, len(all), 20)
			c := limited(len(all))
			c.checkCreate(d)
			require.Equal(t, all, c.result().Errors())
			for _, most := range []int{1, 2, 3, 5, len(all) - 1} {
				create, update := limited(most), limited(most)
				create.checkCreate(d)
				update.checkUpdate(d, d)
				for _, got := range []field.List{create.result().Errors(), update.result().Errors()} {
					if len(got) <= most {
						continue // an update of itself may keep what is wrong
					}
					require.Len(t, got, most+1)
					require.Equal(t, field.ErrorTypeTooManyErrors, got[most].Type)
				}
				got := create.result().Errors()
				require.Equal(t, all[:most], got[:most])
				require.Equal(t, len(all)-most, got[most].BadValue.(*field.Omitted).Errors)
			}
		})
	}
}
