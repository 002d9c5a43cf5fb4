package crd

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// top returns the names of the top-level fields that are set in the unversioned form.
func top(s Spec) (fields []string) {
	if s.Validation != nil {
		fields = append(fields, "validation")
	}
	if s.Subresources != nil {
		fields = append(fields, "subresources")
	}
	if s.AdditionalPrinterColumns != nil {
		fields = append(fields, "columns")
	}
	if s.SelectableFields != nil {
		fields = append(fields, "selectable")
	}
	return fields
}

// BET-002.
func TestUnversioned(t *testing.T) {
	schemas := func(a, b string) string {
		return headV1 + "spec: {versions: [{name: v1, schema: " + a + "}, {name: v2, schema: " + b + "}]}"
	}
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"one version has all at the top", headV1 + `spec: {versions: [{name: v1, schema: {}, subresources: {},
			additionalPrinterColumns: [{name: a}], selectableFields: [{jsonPath: .a}]}]}`, []string{"validation", "subresources", "columns", "selectable"}},
		{"each field on its own", headV1 + `spec: {versions: [
			{name: v1, schema: {openAPIV3Schema: {type: object}}, subresources: {status: {}}, additionalPrinterColumns: [{name: a}], selectableFields: [{jsonPath: .a}]},
			{name: v2, schema: {openAPIV3Schema: {type: object}}, subresources: {}, additionalPrinterColumns: [{name: a}]}]}`,
			[]string{"validation", "columns"}},
		{"no schemas", headV1 + "spec: {versions: [{name: v1}, {name: v2}]}", nil},
		{"schema: {} and none differ", schemas("{}", "null"), nil},
		{"null and {} are both no schema", schemas("{}", "{openAPIV3Schema: null}"), []string{"validation"}},
		{"empty and absent lists and maps are equal", schemas("{openAPIV3Schema: {properties: {}, required: [], enum: [], allOf: []}}", "{openAPIV3Schema: {}}"),
			[]string{"validation"}},
		{"empty lists in a default are equal to themselves only", schemas("{openAPIV3Schema: {default: {a: []}}}", "{openAPIV3Schema: {default: {a: null}}}"), nil},
		{"defaults 1 and 1.0 differ", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[
			{"schema":{"openAPIV3Schema":{"default":1}}},{"schema":{"openAPIV3Schema":{"default":1.0}}}]}}`, nil},
		{"bounds 1 and 1.0 do not", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[
			{"schema":{"openAPIV3Schema":{"minimum":1}}},{"schema":{"openAPIV3Schema":{"minimum":1.0}}}]}}`, []string{"validation"}},
		{"deep down", schemas("{openAPIV3Schema: {properties: {a: {items: {type: string}}}}}", "{openAPIV3Schema: {properties: {a: {items: {type: integer}}}}}"), nil},
		{"v1beta1 stays as it is", headV1beta1 + "spec: {versions: [{name: v1, schema: {}}]}", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := mustParse(t, row.text)
			before := mustParse(t, row.text)
			s := d.Unversioned()
			require.Equal(t, row.want, top(s))
			require.Equal(t, d.Spec.Versions[0].Name, s.Version)
			require.Len(t, s.Versions, len(d.Spec.Versions))
			for _, v := range s.Versions {
				for _, field := range row.want {
					require.Nil(t, map[string]any{"validation": v.Schema, "subresources": v.Subresources}[field], field)
				}
			}
			require.Equal(t, before, d, "d is modified")
		})
	}
}

func TestUnversionedWithoutVersions(t *testing.T) {
	require.Equal(t, Spec{PreserveUnknownFields: ptr(false)}, (&CustomResourceDefinition{}).Unversioned())
	s := mustParse(t, headV1+"spec: {versions: []}").Unversioned()
	require.Equal(t, []Version{}, s.Versions)
	require.Empty(t, s.Version)
}

// BET-004, BET-005.
func TestV1(t *testing.T) {
	d := mustParse(t, headV1beta1+`
spec:
  versions: [{name: v1, served: true, storage: true}, {name: v2, served: true, additionalPrinterColumns: [{JSONPath: .b}]}]
  validation: {openAPIV3Schema: {type: object}}
  subresources: {status: {}}
  additionalPrinterColumns: [{JSONPath: .a}]
  conversion: {strategy: Webhook, webhookClientConfig: {service: {name: a, namespace: b}}}
`)
	before := mustParse(t, string(must(d.MarshalJSON())))
	v := d.V1()
	for _, version := range v.Spec.Versions {
		require.Equal(t, "object", version.Schema.OpenAPIV3Schema.Type)
		require.NotNil(t, version.Subresources.Status)
		require.Equal(t, []Column{{JSONPath: ".a"}}, version.AdditionalPrinterColumns, "the top overwrites")
	}
	require.Empty(t, top(v.Spec))
	require.Empty(t, v.Spec.Version)
	require.Equal(t, &Conversion{Strategy: "Webhook", ConversionReviewVersions: []string{"v1beta1"},
		WebhookClientConfig: &WebhookClientConfig{Service: &ServiceReference{Name: "a", Namespace: "b", Port: 443}}}, v.Spec.Conversion)
	require.True(t, *v.Spec.PreserveUnknownFields)
	require.Equal(t, NamespaceScoped, v.Spec.Scope)
	require.Equal(t, []string{"v1"}, v.Status.StoredVersions)
	require.Equal(t, before, v)

	require.Equal(t, "validation", top(d.Spec)[0], "d is modified")
	require.Len(t, d.Spec.Versions[1].AdditionalPrinterColumns, 1)
	require.Equal(t, ".b", d.Spec.Versions[1].AdditionalPrinterColumns[0].JSONPath, "d is modified")
	require.Same(t, v, v.V1())

	require.Equal(t, []Version{{Name: "v3", Served: true, Storage: true}},
		(&CustomResourceDefinition{APIVersion: APIVersionV1beta1, Spec: Spec{Version: "v3"}}).V1().Spec.Versions)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// filled returns a pointer to a new value of the type with each of its fields set to something.
func filled(typ reflect.Type, depth int) reflect.Value {
	p := reflect.New(typ)
	if depth == 0 {
		return p
	}
	v := p.Elem()
	switch typ.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{"a": []any{int64(1), nil, "x", true, 1.5}}))
	case reflect.Pointer:
		v.Set(filled(typ.Elem(), depth-1))
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(typ.Elem(), depth-1).Elem()))
	case reflect.Map:
		v.Set(reflect.MakeMap(typ))
		v.SetMapIndex(reflect.ValueOf("k"), filled(typ.Elem(), depth-1).Elem())
	case reflect.Struct:
		for i := range typ.NumField() {
			v.Field(i).Set(filled(typ.Field(i).Type, depth-1).Elem())
		}
	}
	return p
}

// All fields are compared, at every level, and a nil list or map equals an empty one.
func TestEqual(t *testing.T) {
	var differ func(t *testing.T, path string, v reflect.Value, equal func() bool)
	differ = func(t *testing.T, path string, v reflect.Value, equal func() bool) {
		old := reflect.ValueOf(v.Interface())
		restore := func() {
			if old.IsValid() {
				v.Set(old)
			} else {
				v.SetZero()
			}
		}
		if v.Kind() != reflect.Struct && !v.IsZero() {
			v.SetZero()
			require.False(t, equal(), "%s does not count", path)
			restore()
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				differ(t, path+"."+v.Type().Field(i).Name, v.Field(i), equal)
			}
		case reflect.Pointer:
			if !v.IsNil() {
				differ(t, path, v.Elem(), equal)
			}
		case reflect.Slice:
			for i := range v.Len() {
				differ(t, path+"[]", v.Index(i), equal)
			}
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 0, 0))
				require.True(t, equal(), "%s is empty", path)
				restore()
			}
		case reflect.Map:
			if v.Len() == 0 {
				v.Set(reflect.MakeMap(v.Type()))
				require.True(t, equal(), "%s is empty", path)
				restore()
			}
		}
		require.True(t, equal(), "%s is not restored", path)
	}
	t.Run("Spec", func(t *testing.T) {
		const depth = 7
		a, b := filled(reflect.TypeFor[Spec](), depth), filled(reflect.TypeFor[Spec](), depth)
		same := func() bool {
			x, y := a.Interface().(*Spec), b.Interface().(*Spec)
			require.Equal(t, jsonval.EqualTyped(x, y), jsonval.EqualTyped(y, x))
			return jsonval.EqualTyped(x, y)
		}
		require.True(t, same())
		differ(t, "", a.Elem(), same)
	})
	t.Run("JSONSchemaProps", func(t *testing.T) {
		const depth = 4
		typ := reflect.TypeFor[schema.JSONSchemaProps]()
		a, b := filled(typ, depth), filled(typ, depth)
		same := func() bool {
			return jsonval.EqualTyped(a.Interface().(*schema.JSONSchemaProps), b.Interface().(*schema.JSONSchemaProps))
		}
		require.True(t, same())
		differ(t, "", a.Elem(), same)
	})
	t.Run("Names", func(t *testing.T) {
		require.True(t, jsonval.EqualTyped(Names{Kind: "a", ShortNames: []string{}}, Names{Kind: "a"}))
		require.False(t, jsonval.EqualTyped(Names{ShortNames: []string{"a", "b"}}, Names{ShortNames: []string{"b", "a"}}))
	})
}

// BET-002: a default equals only one with the same types, and one that contains itself equals nothing.
func TestEqualDefaults(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["a"] = cyclic
	for _, row := range []struct {
		name string
		a, b any
		want bool
	}{
		{"an integer", int64(1), int64(1), true},
		{"an integer and a float", int64(1), 1.0, false},
		{"nil and empty", map[string]any{"a": []any(nil)}, map[string]any{"a": []any{}}, true},
		{"null and empty", map[string]any{"a": nil}, map[string]any{"a": []any{}}, false},
		{"one that contains itself", cyclic, cyclic, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &schema.JSONSchemaProps{Default: row.a, Enum: []any{row.a}, Example: row.a}
			for _, other := range []*schema.JSONSchemaProps{
				{Default: row.b, Enum: s.Enum, Example: s.Example}, {Default: s.Default, Enum: []any{row.b}, Example: s.Example},
				{Default: s.Default, Enum: s.Enum, Example: row.b},
			} {
				require.Equal(t, row.want, jsonval.EqualTyped(s, other))
			}
		})
	}
}
