package openapi

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// PV3-002, PV3-001: a version need not be served, but must exist.
func TestVersions(t *testing.T) {
	d := define(t, `
group: shop.example.com
scope: Namespaced
names: {plural: shirts, kind: Shirt}
versions: [{name: v1, served: true, storage: true}, {name: v2, served: false, storage: false}]
`)
	_, err := V3(d, "v9")
	require.EqualError(t, err, "version v9 not found in apiextensionsv1.CustomResourceDefinition: shirts.shop.example.com")
	require.Contains(t, keys(t, v3(t, d, "v2"), "components", "schemas"), "com.example.shop.v2.Shirt")

	_, err = V3(nil, "v1")
	require.Error(t, err)
	_, err = V2(nil)
	require.Error(t, err)

	// PV2-010, PV2-012: version 2 has the served versions.
	require.Equal(t, []string{"com.example.shop.v1.Shirt", "com.example.shop.v1.ShirtList"},
		keys(t, v2(t, d), "definitions")[:2])
	require.NotContains(t, keys(t, v2(t, d), "definitions"), "com.example.shop.v2.Shirt")
	d.Spec.Versions[0].Served = false
	require.JSONEq(t, `{}`, raw(t, v2(t, d), "paths"))
	require.JSONEq(t, `{}`, raw(t, v2(t), "definitions"))
}

// PV3-003: names are those of the spec.
func TestNamesOfTheSpec(t *testing.T) {
	d := shirts(t, "")
	d.Status.AcceptedNames = crd.Names{Plural: "blouses", Kind: "Blouse", ListKind: "BlouseList"}
	require.Contains(t, keys(t, v3(t, d, "v1"), "paths"), "/apis/shop.example.com/v1/shirts")
	// No defaults are set.
	d.Spec.Names.ListKind = ""
	require.Contains(t, keys(t, v3(t, d, "v1"), "components", "schemas"), "com.example.shop.v1.")
}

func TestBareObjects(t *testing.T) {
	const full, bare = "full", "bare"
	for _, c := range []struct {
		name, schema string
		change       func(d *crd.CustomResourceDefinition)
		v3, v2       string
	}{
		{name: "PV3-006 no schema", v3: bare, v2: bare},
		{name: "PV3-006 an empty one", change: func(d *crd.CustomResourceDefinition) { d.Spec.Versions[0].Schema = &crd.Validation{} },
			v3: bare, v2: bare},
		{name: "PV3-006 not structural: no type", schema: "{type: object, properties: {a: {}}}", v3: bare, v2: bare},
		{name: "PV3-006 not structural: a type in a branch", schema: "{type: object, allOf: [{type: object}]}", v3: bare, v2: bare},
		{name: "PV3-006 an unknown type", schema: "{type: object, properties: {a: {type: array, items: {type: date}}}}", v3: bare, v2: bare},
		{name: "PV3-006 an unknown type of other keys", schema: "{type: object, properties: {a: {type: object, additionalProperties: {type: date}}}}", v3: bare, v2: bare},
		{name: "PV3-006 a list of items", schema: "{type: object, properties: {a: {type: array, items: [{type: string}]}}}", v3: bare, v2: bare},
		{name: "PV3-006 definitions", schema: "{type: object, definitions: {a: {type: string}}}", v3: bare, v2: bare},
		{name: "PV3-006 an object", schema: "{type: object}", v3: full, v2: full},
		{name: "PV2-003 preserveUnknownFields", schema: "{type: object}", v3: full, v2: bare,
			change: func(d *crd.CustomResourceDefinition) { *d.Spec.PreserveUnknownFields = true }},
		{name: "PV2-003 a root that preserves unknown fields", schema: "{type: object, x-kubernetes-preserve-unknown-fields: true}", v3: full, v2: bare},
		{name: "PV3-006 made in Go, contains itself", v3: bare, v2: bare, change: func(d *crd.CustomResourceDefinition) {
			p := &schema.JSONSchemaProps{Type: "object"}
			p.Properties = map[string]*schema.JSONSchemaProps{"a": p}
			d.Spec.Versions[0].Schema = &crd.Validation{OpenAPIV3Schema: p}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shirts(t, c.schema)
			d.Spec.Versions[0].SelectableFields = []crd.SelectableField{{JSONPath: ".a"}}
			if c.change != nil {
				c.change(d)
			}
			const kind = "com.example.shop.v1.Shirt"
			for _, p := range []struct{ want, got string }{
				{c.v3, raw(t, v3(t, d, "v1"), "components", "schemas", kind)},
				{c.v2, raw(t, v2(t, d), "definitions", kind)},
			} {
				const extensions = `"x-kubernetes-group-version-kind":[{"group":"shop.example.com","kind":"Shirt","version":"v1"}]`
				if p.want == bare {
					require.Equal(t, `{"type":"object",`+extensions+`,"x-kubernetes-selectable-fields":[{"fieldPath":"a"}]}`, p.got)
				} else {
					require.Contains(t, p.got, `"properties":{"apiVersion":`)
					require.Contains(t, p.got, extensions)
				}
			}
			// PV3-022: all other definitions are always present.
			require.Len(t, keys(t, v3(t, d, "v1"), "components", "schemas"), 15)
		})
	}
}

// PV3-022, PV3-035, PV3-040, PV2-005: the other definitions; Scale's only with that subresource.
func TestDefinitions(t *testing.T) {
	d := shirts(t, "{type: object}")
	names := []string{"DeleteOptions", "FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "Patch", "Preconditions",
		"ShardInfo", "Status", "StatusCause", "StatusDetails", "Time"}
	want := []string{"com.example.shop.v1.Shirt", "com.example.shop.v1.ShirtList"}
	for _, name := range names {
		want = append(want, "io.k8s.apimachinery.pkg.apis.meta.v1."+name)
	}
	require.Equal(t, want, keys(t, v3(t, d, "v1"), "components", "schemas"))
	require.Equal(t, want, keys(t, v2(t, d), "definitions"))

	d.Spec.Versions[0].Subresources = &crd.Subresources{Scale: &crd.SubresourceScale{}}
	scale := []string{"io.k8s.api.autoscaling.v1.Scale", "io.k8s.api.autoscaling.v1.ScaleSpec", "io.k8s.api.autoscaling.v1.ScaleStatus"}
	want = append(append(want[:2:2], scale...), want[2:]...)
	three, two := v3(t, d, "v1"), v2(t, d)
	require.Equal(t, want, keys(t, three, "components", "schemas"))
	require.Equal(t, want, keys(t, two, "definitions"))

	// All references resolve, and all definitions have a description.
	for _, doc := range []*Document{three, two} {
		start := `"$ref":"#/components/schemas/`
		if doc == two {
			start = `"$ref":"#/definitions/`
		}
		parts := strings.Split(string(doc.AppendJSON(nil)), start)
		require.Greater(t, len(parts), 20)
		for _, part := range parts[1:] {
			name, _, _ := strings.Cut(part, `"`)
			require.Contains(t, want, name)
		}
	}
	for _, list := range [][]definition{commonDefinitions, scaleDefinitions} {
		for _, def := range list {
			require.NotEmpty(t, def.text, def.name)
			last := ""
			for _, f := range def.fields {
				require.NotEmpty(t, f.text, def.name)
				require.Less(t, last, f.name, "fields of %s are sorted", def.name)
				last = f.name
			}
		}
	}

	owner := func(doc *Document, path ...string) any {
		return withoutDescriptions(at(t, doc, append(path, metaV1+"OwnerReference")...))
	}
	require.Equal(t, map[string]any{"type": "string", "default": ""},
		owner(three, "components", "schemas").(map[string]any)["properties"].(map[string]any)["uid"])
	// PV2-006
	require.NotContains(t, raw(t, two, "definitions"), `"default"`)
	status := withoutDescriptions(at(t, three, "components", "schemas", metaV1+"Status", "properties", "metadata"))
	require.Equal(t, map[string]any{"default": map[string]any{}, "allOf": []any{map[string]any{"$ref": "#/components/schemas/" + metaV1 + "ListMeta"}}}, status)
	status = withoutDescriptions(at(t, two, "definitions", metaV1+"Status", "properties", "metadata"))
	require.Equal(t, map[string]any{"$ref": "#/definitions/" + metaV1 + "ListMeta"}, status)

	// PV3-041
	kinds := at(t, three, "components", "schemas", metaV1+"DeleteOptions", "x-kubernetes-group-version-kind").([]any)
	require.Len(t, kinds, 55)
	require.Equal(t, map[string]any{"group": "", "kind": "DeleteOptions", "version": "v1"}, kinds[0])
	require.Equal(t, map[string]any{"group": "storagemigration.k8s.io", "kind": "DeleteOptions", "version": "v1beta1"}, kinds[54])
}

// PV3-021: the kind of the list.
func TestListKind(t *testing.T) {
	d := shirts(t, "{type: object}")
	d.Spec.Versions[0].SelectableFields = []crd.SelectableField{{JSONPath: ".spec.a"}, {JSONPath: "..b"}, {JSONPath: ".spec.c"}}
	list := at(t, v3(t, d, "v1"), "components", "schemas", "com.example.shop.v1.ShirtList").(map[string]any)
	require.Equal(t, "ShirtList is a list of Shirt", list["description"])
	items := list["properties"].(map[string]any)["items"].(map[string]any)
	require.True(t, strings.HasPrefix(items["description"].(string), "List of shirts. More info: https://"))
	require.Equal(t, map[string]any{
		"type": "object", "required": []any{"items"},
		"properties": map[string]any{
			"apiVersion": map[string]any{"type": "string"},
			"kind":       map[string]any{"type": "string"},
			"items":      map[string]any{"type": "array", "items": map[string]any{"$ref": "#/components/schemas/com.example.shop.v1.Shirt"}},
			"metadata":   map[string]any{"allOf": []any{map[string]any{"$ref": "#/components/schemas/" + metaV1 + "ListMeta"}}},
		},
		"x-kubernetes-group-version-kind": []any{map[string]any{"group": "shop.example.com", "kind": "ShirtList", "version": "v1"}},
		"x-kubernetes-selectable-fields": []any{
			map[string]any{"fieldPath": "spec.a"}, map[string]any{"fieldPath": ".b"}, map[string]any{"fieldPath": "spec.c"},
		},
	}, withoutDescriptions(list))
}

// A v1beta1 document is published like the equivalent v1 document (PV3-001, BET-004).
func TestOldDocuments(t *testing.T) {
	old := given.Definition(t, given.OldHead("Namespaced", "shirts.shop.example.com", "Shirt")+`
  version: v1
  preserveUnknownFields: false
  subresources: {status: {}}
  validation: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}
`)
	d := shirts(t, "{type: object, properties: {a: {type: string}}}")
	d.Spec.Versions[0].Subresources = &crd.Subresources{Status: &crd.SubresourceStatus{}}
	require.Equal(t, string(v3(t, d, "v1").AppendJSON(nil)), string(v3(t, old, "v1").AppendJSON(nil)))
	require.Equal(t, string(v2(t, d).AppendJSON(nil)), string(v2(t, old).AppendJSON(nil)))
}

// Values that no document can have, and values that are decoded differently.
func TestValuesMadeInGo(t *testing.T) {
	loop := map[string]any{}
	loop["a"] = loop
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		schema schema.JSONSchemaProps
		want   string // the error, or the published property
	}{
		{"a channel", schema.JSONSchemaProps{Default: map[string]any{"a": make(chan int)}}, "openapi: schema of version v1: default: a value of type chan int is not JSON"},
		{"a loop", schema.JSONSchemaProps{Example: loop}, "openapi: schema of version v1: example: must not be nested deeper than 10000 levels"},
		{"infinity", schema.JSONSchemaProps{Maximum: &inf}, "openapi: schema of version v1: maximum: +Inf is not a JSON number"},
		{"no number", schema.JSONSchemaProps{Enum: []any{math.NaN()}}, "openapi: schema of version v1: enum: NaN is not a JSON number"},
		{"other numbers", schema.JSONSchemaProps{Enum: []any{int8(3), json.Number("1.50"), float32(0.5)}}, `{"type":"string","enum":[3,1.5,0.5]}`},
		{"nil containers", schema.JSONSchemaProps{Default: []any{[]any(nil), map[string]any(nil)}}, `{"type":"string","default":[[],{}]}`},
		{"no UTF-8", schema.JSONSchemaProps{Description: "a\xffb"}, `{"description":"a\ufffdb","type":"string"}`},
		{"characters", schema.JSONSchemaProps{Description: "\x00\x1f\b\f\n\r\t\"\\<>&\u2028\u2029\x7fé😀"},
			`{"description":"\u0000\u001f\b\f\n\r\t\"\\\u003c\u003e\u0026\u2028\u2029` + "\x7fé😀" + `","type":"string"}`},
		{"PV3-050 numbers", schema.JSONSchemaProps{Enum: []any{1e21, 1e20, 1e-7, 1e-6, -0.5, 5e-324, 1.7976931348623157e308, int64(-9007199254740993)}},
			`{"type":"string","enum":[1e+21,100000000000000000000,1e-7,0.000001,-0.5,5e-324,1.7976931348623157e+308,-9007199254740993]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.schema.Type = "string"
			d := shirts(t, "{type: object}")
			d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties = map[string]*schema.JSONSchemaProps{"a": &c.schema}
			doc, err := V3(d, "v1")
			if err != nil {
				require.EqualError(t, err, c.want)
				require.Nil(t, doc)
				return
			}
			require.Equal(t, c.want, raw(t, doc, "components", "schemas", "com.example.shop.v1.Shirt", "properties", "a"))
		})
	}
	// PV3-050: version 2 escapes less.
	d := shirts(t, `{type: object, properties: {a: {type: string, description: "<&>\L\P\x00"}}}`)
	require.Equal(t, `{"description":"<&>`+"\u2028\u2029"+`\u0000","type":"string"}`,
		raw(t, v2(t, d), "definitions", "com.example.shop.v1.Shirt", "properties", "a"))
}

// Names that are invalid in a definition still have a document.
func TestOddNames(t *testing.T) {
	d := shirts(t, "{type: object}")
	d.Spec.Group, d.Spec.Scope = `a"/~b`, `"`
	d.Spec.Names = crd.Names{Plural: `p"{`, Kind: `Kü"<`, ListKind: `"`}
	d.Spec.Versions[0].Name = `v"`
	for _, doc := range []*Document{v3(t, d, `v"`), v2(t, d)} {
		require.Contains(t, keys(t, doc, "paths"), `/apis/a"/~b/v"/p"{/{name}`)
		// PV3-020: a reference is a JSON pointer in a URI.
		require.Contains(t, string(doc.AppendJSON(nil)), `/a%22~1~0b.v%22.K%C3%BC%22%3C"`)
	}
	d.Spec.Names = crd.Names{}
	require.True(t, json.Valid(v3(t, d, `v"`).AppendJSON(nil)))
}

// Documents share nothing with the definitions, do not modify them, and are deterministic.
func TestPure(t *testing.T) {
	d := shirts(t, `{type: object, required: [a, b], properties: {b: {type: object, x-kubernetes-embedded-resource: true, required: [x], properties: {x: {type: string}}},
		a: {type: string, nullable: true, default: q, enum: [q]}}}`)
	before := given.JSON(t, d)
	three, two := string(v3(t, d, "v1").AppendJSON(nil)), string(v2(t, d).AppendJSON(nil))
	given.Concurrently(20, func() {
		a, err := V3(d, "v1")
		if err != nil || string(a.AppendJSON(nil)) != three {
			panic("another document")
		}
		b, err := V2(d)
		if err != nil || string(b.AppendJSON(nil)) != two {
			panic("another document")
		}
	})
	require.Equal(t, string(before), string(given.JSON(t, d)))
}
