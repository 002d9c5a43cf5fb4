package resource_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// causes has the errors of a create, or of an update, with their causes.
func causes(t *testing.T, d *crd.CustomResourceDefinition, obj, old map[string]any, onStatus bool) (errs, ratcheted []field.Cause) {
	t.Helper()
	compiled, err := resource.Compile(d)
	require.NoError(t, err)
	v := compiled.Version("v1")
	r := v.Create(t.Context(), obj)
	switch {
	case onStatus:
		r = v.UpdateStatus(t.Context(), obj, old)
	case old != nil:
		r = v.Update(t.Context(), obj, old)
	}
	require.Nil(t, r.Failure)
	for _, e := range r.Errors {
		errs = append(errs, e.Cause())
	}
	for _, e := range r.Ratcheted {
		ratcheted = append(ratcheted, e.Cause())
		require.Contains(t, r.Warnings, e.Error())
	}
	return errs, ratcheted
}

func TestCauses(t *testing.T) {
	const spec = `{type: object, required: [name], x-kubernetes-validations: [{rule: "self.name != 'b'", message: not b}, {rule: "self.name != 'c'", fieldPath: .name, reason: FieldValueForbidden}], properties: {
		name: {type: string, maxLength: 3, nullable: false},
		either: {x-kubernetes-int-or-string: true},
		count: {type: integer, format: int32, minimum: 1, x-kubernetes-validations: [{rule: "self != oldSelf || self < 5"}]},
		list: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		map: {type: object, additionalProperties: {type: object, properties: {a.b: {type: array, maxItems: 1, items: {type: string, enum: [x]}}}}},
		embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true},
		choice: {type: object, properties: {a: {type: string}}, anyOf: [{required: [a], properties: {a: {allOf: [{minLength: 1}, {pattern: "^z"}]}}}]}}}`
	d := given.Definition(t, given.KindWithStatus("Cluster", "things.example.com", "Thing", spec, `{type: object, properties: {size: {type: integer, maximum: 9}}}`))
	object := func(spec string) map[string]any {
		return given.Object(t, `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, spec: `+spec+`}`)
	}
	const at = "properties[spec]"
	keyword := func(keyword, schema string) field.Cause {
		return field.Cause{Keyword: keyword, Schema: schema, Rule: -1}
	}
	rule := func(schema string, i int) field.Cause {
		return field.Cause{Keyword: "x-kubernetes-validations", Schema: schema, Rule: i}
	}
	for _, c := range []struct {
		spec string
		want []field.Cause
	}{
		{`{name: a}`, nil},
		{`{}`, []field.Cause{keyword("required", at), {}}}, // and that rules were not evaluated
		{`{name: abcd}`, []field.Cause{keyword("maxLength", at+".properties[name]"), {}}},
		{`{name: 1}`, []field.Cause{keyword("type", at+".properties[name]"), {}}},
		{`{name: a, list: [null]}`, []field.Cause{keyword("nullable", at+".properties[list].items"), {}}},
		{`{name: a, either: true}`, []field.Cause{keyword("x-kubernetes-int-or-string", at+".properties[either]"), {}}},
		{`{name: a, count: 3000000000}`, []field.Cause{keyword("format", at+".properties[count]")}},
		{`{name: a, list: [x, x]}`, []field.Cause{keyword("x-kubernetes-list-type", at+".properties[list]")}},
		{`{name: a, map: {k: {a.b: [x, z]}}}`, []field.Cause{
			keyword("enum", at+".properties[map].additionalProperties.properties[a.b].items"), keyword("maxItems", at+".properties[map].additionalProperties.properties[a.b]"), {}}},
		{`{name: a, embedded: {apiVersion: v1, kind: Pod, metadata: {name: a, labels: {_: b}}}}`, []field.Cause{keyword("x-kubernetes-embedded-resource", at+".properties[embedded]")}},
		{`{name: a, choice: {a: x}}`, []field.Cause{keyword("anyOf", at+".properties[choice]"),
			keyword("pattern", at+".properties[choice].anyOf[0].properties[a].allOf[1]"), keyword("allOf", at+".properties[choice].anyOf[0].properties[a]")}},
		{`{name: b}`, []field.Cause{rule(at, 0)}},
		{`{name: c}`, []field.Cause{rule(at, 1)}},
	} {
		got, _ := causes(t, d, object(c.spec), nil, false)
		require.ElementsMatch(t, c.want, got, c.spec)
	}

	old := object(`{name: a, count: 7}`)
	got, ratcheted := causes(t, d, object(`{name: a, count: 7, list: [x]}`), old, false)
	require.Equal(t, []field.Cause{rule(at+".properties[count]", 0)}, got, "a transition rule is not ratcheted")
	require.Empty(t, ratcheted)
	got, ratcheted = causes(t, d, object(`{name: b}`), object(`{name: b}`), false)
	require.Empty(t, got)
	require.Equal(t, []field.Cause{rule(at, 0)}, ratcheted)

	status := object(`{name: a}`)
	status["status"] = given.Object(t, `{size: 10}`)
	got, _ = causes(t, d, status, object(`{name: a}`), true)
	require.Equal(t, []field.Cause{keyword("maximum", "properties[status].properties[size]")}, got)
	noName := object(`{name: a}`)
	noName["metadata"] = map[string]any{}
	got, _ = causes(t, d, noName, nil, false)
	require.Equal(t, []field.Cause{{}, {}}, got, "metadata, and that rules were not evaluated")
}

// TestRecordedCauses requires a cause of each error about a recorded object that is not about its metadata, its type or
// the request, and that the schema has the keyword or rule in the place that the cause names.
func TestRecordedCauses(t *testing.T) {
	dir := os.Getenv(conformanceVariable)
	if dir == "" {
		t.Skip(conformanceVariable + " names no directory")
	}
	type recorded struct {
		CRD, Version, Op string
		Object, Old      jsonObject
	}
	count, rules, ratcheted := 0, 0, 0
	for _, file := range given.Files(t, filepath.Join(dir, "*", "*.jsonl")) {
		folder := filepath.Base(filepath.Dir(file))
		if folder != "suites" && folder != "random" {
			continue
		}
		var d *crd.CustomResourceDefinition
		var r *resource.Resource
		for row := range given.Rows[recorded](t, file) {
			if d == nil {
				d = given.Definition(t, given.File(t, filepath.Join(filepath.Dir(file), row.CRD)))
				var err error
				r, err = resource.Compile(d)
				require.NoError(t, err, file)
			}
			v := r.Version(row.Version)
			var result resource.Result
			switch row.Op {
			case "create":
				result = v.Create(t.Context(), row.Object)
			case "update":
				result = v.Update(t.Context(), row.Object, row.Old)
			case "updateStatus":
				result = v.UpdateStatus(t.Context(), row.Object, row.Old)
			}
			props, err := d.Lookup().Schema(row.Version)
			require.NoError(t, err)
			for _, e := range append(append(field.List(nil), result.Errors...), result.Ratcheted...) {
				if fromSchema(e) {
					require.NotZero(t, e.Cause(), "%s: %v", file, e)
					if !strings.HasPrefix(e.Cause().Keyword, "spec.versions.subresources.scale.") {
						given.Without(t, props, e.Cause())
					}
					count++
				} else {
					require.Zero(t, e.Cause(), "%s: %v", file, e)
				}
				if e.Cause().Keyword == "x-kubernetes-validations" {
					rules++
				}
			}
			ratcheted += len(result.Ratcheted)
		}
	}
	t.Logf("%d errors, %d of them of rules, %d ratcheted", count, rules, ratcheted)
	require.Positive(t, ratcheted)
}

// fromSchema reports whether an error comes from the schema, by its path.
func fromSchema(e *field.Error) bool {
	at := e.Path.Segments()
	return !e.RulesSkipped() && !(len(at) > 0 && (at[0].Key == "metadata" || len(at) == 1 && (at[0].Key == "apiVersion" || at[0].Key == "kind")))
}

// A jsonObject is an object as a server decodes it.
type jsonObject map[string]any

func (o *jsonObject) UnmarshalJSON(data []byte) error {
	obj, err := unstructured.DecodeJSON(data)
	*o = obj
	return err
}
