package resource_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/validate"
)

// This file has behaviours that are best tested with whole requests.

// DEC-024: a version that the definition does not have knows only the fields of every object; all others are unknown.
// The request is refused later, because of the version.
func TestDecodeOfAnUnknownVersion(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	body := `{"apiVersion":"example.com/v9","kind":"Gadget","metadata":{"name":"a","zz":1},"spec":{"replicas":1},"status":{}}`
	obj, warnings, refusal := v.Decode([]byte(body))
	require.Nil(t, obj)
	require.Equal(t, "400 BadRequest: the API version in the data (example.com/v9) does not match the expected API version (example.com/v1)",
		encodeStatus(refusal))
	require.Equal(t, []string{`unknown field "metadata.zz"`, `unknown field "spec"`, `unknown field "status"`}, warnings)
}

// EMB-003: the object's own metadata is always decoded and written back. Pruning and embedded resources apply only to
// objects of the definition's group and kind.
func TestOwnMetadataIsAlwaysRewritten(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	const members = `"metadata":{"name":"a","namespace":"ns","labels":{},"zz":1},"extra":1,"spec":{"replicas":2,"template":{"metadata":{"zz":1}}}`

	obj, warnings, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget",` + members + `}`))
	require.NoError(t, refusal)
	require.Equal(t, []string{`unknown field "metadata.zz"`, `unknown field "extra"`, `unknown field "spec.template.metadata.zz"`}, warnings)
	require.JSONEq(t, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns"},"spec":{"replicas":2,"template":{"metadata":{}}}}`,
		encode(t, obj))

	obj, warnings, refusal = v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Other",` + members + `}`))
	require.NoError(t, refusal)
	require.Equal(t, []string{`unknown field "metadata.zz"`}, warnings)
	require.JSONEq(t, `{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"a","namespace":"ns"},"extra":1,"spec":{"replicas":2,"template":{"metadata":{"zz":1}}}}`,
		encode(t, obj))

	_, _, refusal = v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":5}}`))
	require.Equal(t, `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`,
		encodeStatus(refusal))
}

// EMB-004: decoding of embedded resources, and errors that are left to validation.
func TestDecodeEmbedded(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	refused := func(template, why string) {
		t.Helper()
		_, _, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"template":` + template + `}}`))
		require.NotNil(t, refusal, template)
		require.Equal(t, `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: spec.template.`+why, encodeStatus(refusal))
	}
	refused(`{"kind":5}`, "kind: Invalid value: 5: must be a string")
	refused(`{"kind":"Pod","apiVersion":null}`, "apiVersion: Invalid value: null: must be a string")
	refused(`{"kind":5,"apiVersion":[]}`, "apiVersion: Invalid value: []: must be a string") // the first by name

	for _, template := range []string{`{}`, `{"spec":{}}`, `5`, `[1]`} {
		obj, warnings, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"replicas":1,"template":` + template + `}}`))
		require.NoError(t, refusal, template)
		require.Empty(t, warnings, template)
		require.JSONEq(t, template, encode(t, obj["spec"].(map[string]any)["template"]), "nothing is added, and what is no object stays")
	}
}

// EMB-006: the rules for an embedded resource, in their order.
func TestCreateWithWrongEmbedded(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	const label1035 = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and ` +
		`end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`
	for _, c := range []struct {
		name, template string
		errors         []string
	}{
		{"nothing", `{}`, []string{"FieldValueRequired spec.template.apiVersion: Required value", "FieldValueRequired spec.template.kind: Required value"}},
		{"empty", `{apiVersion: "", kind: ""}`, []string{
			`FieldValueInvalid spec.template.apiVersion: Invalid value: "": must not be empty`,
			`FieldValueInvalid spec.template.kind: Invalid value: "": must not be empty`,
		}},
		{"malformed", `{apiVersion: a/b/c, kind: a.b}`, []string{
			`FieldValueInvalid spec.template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
			`FieldValueInvalid spec.template.kind: Invalid value: "a.b": may have mixed case, but should otherwise match: ` + label1035,
		}},
		{"metadata", `{apiVersion: v1, kind: Pod, metadata: {name: a/b%, namespace: x, generateName: .}}`, []string{
			`FieldValueInvalid spec.template.metadata.name: Invalid value: "a/b%": may not contain '/'`,
			`FieldValueInvalid spec.template.metadata.name: Invalid value: "a/b%": may not contain '%'`,
		}},
		{"no metadata, or one without a name", `{apiVersion: v1, kind: pOD, metadata: {}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := v.Create(t.Context(), gadget(t, "{metadata: {name: a, namespace: ns}, spec: {template: "+c.template+"}}"))
			require.Nil(t, result.Failure)
			require.Equal(t, c.errors, given.Typed(result.Errors))
		})
	}
}

// OME-022: a create checks embedded resources. Validating a value only by its schema, as an update of a status does,
// does not.
func TestEmbeddedIsACheckOfItsOwn(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	obj := gadget(t, "{metadata: {name: a, namespace: ns}, spec: {replicas: 1, template: {kind: Pod}}}")
	result := v.Create(t.Context(), obj)
	require.Equal(t, []string{"FieldValueRequired spec.template.apiVersion: Required value"}, given.Typed(result.Errors))

	spec := v.Schema().Root().Property("spec")
	require.Empty(t, validate.Value(spec, field.NewPath("spec"), obj["spec"]))
	require.Len(t, validate.Embedded(spec, field.NewPath("spec"), obj["spec"]), 1)
}

// PRU-012: for a client that does not ask for warnings about unknown fields, the same fields are pruned without
// warnings.
func TestPrunedWithoutAWord(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"colour":"red","template":{"spec":{"x":1,"image":"i"}}},"extra":[{"a":1}]}`)
	told, warnings, refusal := v.Decode(body)
	require.NoError(t, refusal)
	require.Equal(t, []string{`unknown field "extra"`, `unknown field "spec.colour"`, `unknown field "spec.template.spec.x"`}, warnings)
	silent, warnings, refusal := v.With(resource.RequestOptions{FieldValidation: "Ignore"}).Decode(body)
	require.NoError(t, refusal)
	require.Empty(t, warnings)
	require.Equal(t, told, silent)
	require.JSONEq(t, `{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"replicas":1,"template":{"spec":{"image":"i"}}}}`, encode(t, silent))
}

// GEN-005: errors of one check are sorted by name and by index, and always have the same order.
func TestOrderOfErrors(t *testing.T) {
	r := withProperties(t, `
	map: {type: object, additionalProperties: {type: integer}},
	list: {type: array, items: {type: integer}},
	sets: {type: object, additionalProperties: {type: array, x-kubernetes-list-type: set, items: {type: string}}}`)
	values, sets := map[string]any{}, map[string]any{}
	var want []string
	list := make([]any, 12)
	for i := range list {
		list[i] = "x"
		want = append(want, fmt.Sprintf("list[%d]", i))
	}
	for i := range 12 {
		values[fmt.Sprintf("k%02d", i)] = "x"
		want = append(want, fmt.Sprintf("map.k%02d", i))
	}
	for i := range 12 {
		sets[fmt.Sprintf("s%02d", i)] = []any{"a", "a"}
		want = append(want, fmt.Sprintf("sets[s%02d][1]", i))
	}
	for range 20 {
		result := r.Version("v1").Create(t.Context(), map[string]any{
			"apiVersion": "example.com/v1", "kind": "A", "metadata": map[string]any{"name": "a"}, "map": values, "list": list, "sets": sets,
		})
		var got []string
		for _, e := range result.Errors {
			got = append(got, e.Field)
		}
		require.Equal(t, want, got)
	}
}

// PUF-002: a version without a schema, which only preserveUnknownFields allows, accepts everything except unknown
// metadata.
func TestCreateWithoutASchema(t *testing.T) {
	r := compile(t, given.OldHead("Namespaced", "olds.example.com", "Old")+`
  version: v1
`)
	v := r.Version("v1")
	require.Nil(t, v.Schema())
	answer{
		object:   gadget(t, "{kind: Old, metadata: {name: a, namespace: ns, generation: 1}, spec: null, any: [{metadata: {x: 1}}]}"),
		warnings: []string{`unknown field "metadata.x"`},
	}.require(t, v.Create(t.Context(), gadget(t, "{kind: Old, metadata: {name: a, namespace: ns, x: 1}, spec: null, any: [{metadata: {x: 1}}]}")))
}

// SCL-001: the values at the paths of a scale.
func TestPathsOfAScale(t *testing.T) {
	v := things(t, `subresources: {scale: {specReplicasPath: spec.a.n, statusReplicasPath: .status.n}},
		schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`).Version("v1")
	for _, c := range []struct{ name, spec, want string }{
		{"a number", `{"a":{"n":3}}`, ""},
		{"nothing at the end", `{"a":{}}`, ""},
		{"nothing on the way", `{}`, ""},
		{"a null on the way", `{"a":null}`, ""},
		{"a null at the end", `{"a":{"n":null}}`, ".spec.a.n accessor error: <nil> is of the type <nil>, expected int64"},
		{"a whole number written as a fraction", `{"a":{"n":3.0}}`, ".spec.a.n accessor error: 3 is of the type float64, expected int64"},
		{"text", `{"a":{"n":"3"}}`, ".spec.a.n accessor error: 3 is of the type string, expected int64"},
		{"no object on the way", `{"a":"s"}`, ".spec.a.n accessor error: s is of the type string, expected map[string]interface{}"},
		{"no object at the start", `"s"`, ".spec.a accessor error: s is of the type string, expected map[string]interface{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj, _, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":` + c.spec + `}`))
			require.NoError(t, refusal)
			result := v.Create(t.Context(), obj)
			if c.want == "" {
				require.NoError(t, result.Err())
				return
			}
			require.Equal(t, []string{"FieldValueInvalid spec.a.n: Invalid value: 0: " + c.want}, given.Typed(result.Errors))
		})
	}
	// Numbers of all Go types are accepted.
	obj := thing(t, "{spec: {a: {}}}")
	obj["spec"].(map[string]any)["a"].(map[string]any)["n"] = json.Number("-1")
	answer{errors: []string{"FieldValueInvalid spec.a.n: Invalid value: -1: should be a non-negative integer"}}.require(t, v.Create(t.Context(), obj))
}
