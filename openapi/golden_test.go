package openapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// Each case has a schema of the property spec or of the whole kind, and compares the published schema of that.
func TestSchemas(t *testing.T) {
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		doc := map[string]any{"type": "object"}
		path := []string{"com.example.shop.v1.Shirt"}
		if c.Has("spec") {
			doc["properties"] = map[string]any{"spec": c.Value("spec")}
			path = append(path, "properties", "spec")
		} else {
			doc = c.Object("root")
		}
		props, err := schema.FromValue(doc)
		require.NoError(t, err)
		d := shirts(t, "")
		d.Spec.Versions[0].Schema = &crd.Validation{OpenAPIV3Schema: props}
		c.WantText("v3.json", indented(t, raw(t, v3(t, d, "v1"), append([]string{"components", "schemas"}, path...)...)))
		c.WantText("v2.json", indented(t, raw(t, v2(t, d), append([]string{"definitions"}, path...)...)))
	})
}

// Whole documents: member order, paths, parameters, definitions. PV3-050, PV3-010, PV2-010.
func TestWholeDocuments(t *testing.T) {
	d := define(t, `
group: shop.example.com
scope: Namespaced
names: {plural: shirts, kind: Shirt, shortNames: [sh]}
versions:
- name: v1
  served: true
  storage: true
  selectableFields: [{jsonPath: .spec.colour}]
  subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
  schema:
    openAPIV3Schema:
      type: object
      description: A shirt & what it costs.
      properties:
        spec:
          type: object
          required: [colour]
          properties:
            colour: {type: string, enum: [red, blue], default: red}
            count: {type: integer, format: int32}
            size: {x-kubernetes-int-or-string: true}
        status: {type: object, properties: {count: {type: integer}}}
`)
	requireFile(t, "shirts.v3.json", string(v3(t, d, "v1").AppendJSON(nil))+"\n")
	requireFile(t, "shirts.v2.json", string(v2(t, d).AppendJSON(nil))+"\n")
}
