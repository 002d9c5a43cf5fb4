package sample_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/resource"
)

// ECT-019: for the definitions of this repository, there is a valid sample of each version, and nine of ten constraints
// have an object that breaks just them.
func TestOwnDefinitions(t *testing.T) {
	var total tally
	for _, glob := range []string{
		"../../../crdtest/testdata/*.yaml", "../../../examples/quickstart/crd.yaml", "../../../admission/testdata/crds.yaml",
		"../../../examples/unittest/config/crd/*.yaml", "../../../parity/testdata/*.crd.yaml",
	} {
		total.add(tallyOf(t, glob))
	}
	t.Log(total)
	require.Equal(t, total.versions, total.minimal)
	require.GreaterOrEqual(t, total.full*10, total.versions*8)
	require.GreaterOrEqual(t, total.broken*10, total.constraints*9)
	require.GreaterOrEqual(t, total.ruled*2, total.rules)
	require.Positive(t, total.causes)
}

// definition returns one whose only version has a schema.
func definition(t testing.TB, openAPIV3Schema any) (*crd.CustomResourceDefinition, *resource.Resource) {
	doc, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Thing", "plural": "things"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": openAPIV3Schema}}},
		},
	})
	require.NoError(t, err)
	d, err := crd.Parse(doc)
	if err != nil {
		return nil, nil
	}
	r, err := resource.Compile(d)
	if err != nil {
		return nil, nil
	}
	return d, r
}

func schemaOf(t testing.TB, text string) any {
	return given.Schema(t, text).Value()
}

// ECT-019: values that are not found by looking at one keyword.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       any // of spec in the minimal sample; nil: any
	}{
		{"a default is left to the server", `{type: object, required: [a], properties: {a: {type: integer, default: 7}}}`, map[string]any{"a": int64(7)}},
		{"an enum", `{type: string, enum: [a, b]}`, "a"},
		{"a pattern", `{type: string, pattern: "^[a-z]{3}-[0-9]+$"}`, "aaa-0"},
		{"a pattern and a length", `{type: string, pattern: "^[a-z]+(\\.[a-z]+)*$", minLength: 20, maxLength: 25}`, nil},
		{"a format", `{type: string, format: date-time}`, "2024-01-02T03:04:05Z"},
		{"a number between bounds", `{type: number, minimum: 0.5, exclusiveMinimum: true, maximum: 0.75}`, 0.75},
		{"a multiple", `{type: integer, minimum: 10, multipleOf: 7}`, int64(14)},
		{"a set of enums", `{type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string, enum: [a, b]}}`, []any{"a", "b"}},
		{"a list map", `{type: array, minItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: integer}}}}`, nil},
		{"entries of a map", `{type: object, minProperties: 2, additionalProperties: {type: boolean}}`, map[string]any{"key0": true, "key1": true}},
		{"one of two", `{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}`, map[string]any{"a": "a"}},
		{"one of two, but not the first", `{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}], not: {required: [a]}}`, map[string]any{"b": "a"}},
		{"an integer or a string", `{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: "^[0-9]+%?$"}`, int64(1)},
		{"an embedded resource", `{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`, map[string]any{"apiVersion": "v1", "kind": "Example", "metadata": map[string]any{"name": "example"}}},
		{"a rule about two fields", `{type: object, required: [a, b], properties: {a: {type: integer}, b: {type: integer}}, x-kubernetes-validations: [{rule: self.a > self.b}]}`, nil},
		{"a rule about a text", `{type: string, x-kubernetes-validations: [{rule: "self.startsWith('x-')"}]}`, nil},
		{"a rule about a format", `{type: string, maxLength: 40, x-kubernetes-validations: [{rule: "isIP(self) && ip(self).family() == 6"}]}`, "fd00::1"},
		{"a value that may not become less", `{type: integer, minimum: 0, maximum: 9, x-kubernetes-validations: [{rule: self >= oldSelf}]}`, nil},
		{"a union", `{type: object, required: [type], properties: {type: {type: string, enum: [B, C]}, b: {type: object, properties: {x: {type: string}}}, c: {type: string}},
			x-kubernetes-validations: [{rule: "self.type == 'B' ? has(self.b) : !has(self.b)"}, {rule: "self.type == 'C' ? has(self.c) : !has(self.c)"}]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, r := definition(t, map[string]any{"type": "object", "required": []any{"spec"}, "properties": map[string]any{"spec": schemaOf(t, c.spec)}})
			require.NotNil(t, d)
			m := sample.For(d, r.Version("v1"), constraint.VersionRules(d, "v1"))
			obj, err := m.Minimal(t.Context())
			require.NoError(t, err)
			submitted := m.Submit(t.Context(), obj, nil)
			require.NoError(t, submitted.Err())
			if c.want != nil {
				require.Equal(t, c.want, submitted.Object["spec"])
			}
			counts := look(t, d, r, "v1", c.name)
			require.Equal(t, counts.constraints, counts.broken)
			require.Equal(t, counts.rules, counts.ruled)
		})
	}
}

// ECT-019: where there is none, the error says what is wrong with the best attempt.
func TestNoSample(t *testing.T) {
	d, r := definition(t, map[string]any{"type": "object", "required": []any{"spec"}, "properties": map[string]any{
		"spec": map[string]any{"type": "string", "minLength": 5, "maxLength": 3}}})
	m := sample.For(d, r.Version("v1"), constraint.VersionRules(d, "v1"))
	obj, err := m.Minimal(t.Context())
	require.ErrorContains(t, err, "spec: ")
	require.Contains(t, obj, "spec")
	_, err = m.Full(t.Context())
	require.Error(t, err)
	constraints, _ := constraint.List(r.Version("v1").Schema())
	for _, c := range constraints {
		if c.Kind == constraint.MaxLength { // every text breaks one of the bounds
			_, err := m.Break(t.Context(), c)
			require.NoError(t, err)
		}
	}
}

// Whatever the schema is, nothing panics, a sample that is called valid is accepted, and an object that is said to
// break something is refused.
func check(t testing.TB, openAPIV3Schema any) {
	d, r := definition(t, openAPIV3Schema)
	if r == nil {
		return
	}
	props, err := d.Lookup().Schema("v1")
	require.NoError(t, err)
	ctx := context.Background()
	m := sample.New(r.Version("v1"), constraint.Rules(props), map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "namespace": "b"}}, false)
	for _, get := range []func(context.Context) (map[string]any, error){m.Minimal, m.Full} {
		if obj, err := get(ctx); err == nil {
			require.NoError(t, m.Submit(ctx, obj, nil).Err())
		}
	}
	constraints, _ := constraint.List(r.Version("v1").Schema())
	for i, c := range constraints {
		if b, err := m.Break(ctx, c); err == nil {
			require.Error(t, m.Submit(ctx, b.Object, b.Old).Err())
		}
		if i == 20 {
			break
		}
	}
}

func FuzzRandomSchemas(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { check(t, given.NewMaker(seed).Schema()) })
}

func FuzzSamples(f *testing.F) {
	f.Add(`{"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a|b)*$", "minLength": 3}}}`)
	f.Add(`{"type": "object", "minProperties": 9, "properties": {"a": {"type": "array", "minItems": 1e9, "items": {"enum": [1]}}}}`)
	f.Add(`{"type": "object", "properties": {"a": {"type": "string", "pattern": "((a{1000}){1000}", "maxLength": -1}, "b": {"type": "number", "multipleOf": 0.1, "minimum": -1e300}}}`)
	f.Add(`{"type": "object", "properties": {"a": {"type": "string", "maxLength": -1}, "b": {"type": "array", "maxItems": -1}}, "maxProperties": -1}`)
	f.Add(`{"type": "object", "x-kubernetes-validations": [{"rule": "self.a == oldSelf.a || self.metadata.name == 'x'"}], "properties": {"a": {"type": "integer"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var doc map[string]any
		if len(text) > 2000 || json.Unmarshal([]byte(text), &doc) != nil {
			t.Skip()
		}
		check(t, doc)
	})
}
