package constraint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/validate"
)

const everything = `
type: object
required: [spec, metadata]
properties:
  spec:
    type: object
    required: [name, given]
    minProperties: 2
    maxProperties: 12
    properties:
      name: {type: string, minLength: 2, maxLength: 4, pattern: "^a"}
      given: {type: string, default: x, minLength: 1}
      when: {type: string, format: date}
      color: {type: string, enum: [red, green]}
      size: {type: integer, minimum: 1, maximum: 9, multipleOf: 3, format: int32}
      list: {type: array, minItems: 1, maxItems: 2, items: {type: string, minLength: 0, maxLength: 3}}
      set: {type: array, minItems: 0, x-kubernetes-list-type: set, items: {type: integer}}
      map: {type: object, minProperties: 0, additionalProperties: {type: string, maxLength: 1}, maxProperties: 1}
      keyed: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: integer}}}}
      open: {type: number, minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true}
      some: {type: object, minProperties: 1, additionalProperties: true}
      choice: {type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}, {properties: {a: {maxLength: 1}}}]}
`

// ECT-015: what counts, and which error is about what.
func TestOf(t *testing.T) {
	s := given.Structural(t, everything)
	left := map[ID]string{}
	var names []string
	all, notLooked := List(s)
	require.Zero(t, notLooked)
	for _, c := range all {
		names = append(names, c.Path+": "+c.Text)
		left[c.ID] = names[len(names)-1]
	}
	require.Equal(t, []string{
		"spec: required", "spec.name: required", "spec: minProperties 2", "spec: maxProperties 12", `spec.color: enum "red", "green"`, "spec.given: minLength 1",
		"spec.keyed: listType map of [k]", "spec.keyed[*].k: required", "spec.list: minItems 1", "spec.list: maxItems 2",
		"spec.list[*]: maxLength 3", "spec.map: maxProperties 1", "spec.map[*]: maxLength 1", "spec.name: minLength 2", "spec.name: maxLength 4",
		`spec.name: pattern "^a"`, "spec.open: minimum 1", "spec.open: maximum 2", "spec.set: listType set", "spec.size: minimum 1", "spec.size: maximum 9",
		"spec.size: multipleOf 3", "spec.some: minProperties 1",
		"spec.when: format date",
	}, names)
	require.Len(t, left, len(names), "each has an id of its own")

	for _, c := range []struct{ obj, want string }{
		{"{metadata: {}}", "spec: required"},
		{"{spec: {given: a, when: 2024-01-02}}", "spec.name: required"},
		{"{spec: {name: ab, given: a}}", ""},
		{"{spec: {name: a, given: a}}", "spec.name: minLength 2"},
		{"{spec: {name: abcde, given: a}}", "spec.name: maxLength 4"},
		{"{spec: {name: bb, given: a}}", `spec.name: pattern "^a"`},
		{"{spec: {name: ab, given: a, when: today}}", "spec.when: format date"},
		{"{spec: {name: ab, given: a, when: 1}}", "-"},
		{"{spec: {name: ab, given: a, color: blue}}", `spec.color: enum "red", "green"`},
		{"{spec: {name: ab, given: a, size: 0}}", "spec.size: minimum 1"},
		{"{spec: {name: ab, given: a, size: 12}}", "spec.size: maximum 9"},
		{"{spec: {name: ab, given: a, size: 4}}", "spec.size: multipleOf 3"},
		{"{spec: {name: ab, given: a, size: big}}", "-"},
		{"{spec: {name: ab, given: a, open: 1}}", "spec.open: minimum 1"},
		{"{spec: {name: ab, given: a, open: 2}}", "spec.open: maximum 2"},
		{"{spec: {name: ab, given: a, some: {}}}", "spec.some: minProperties 1"},
		{"{spec: {name: ab, given: a, list: []}}", "spec.list: minItems 1"},
		{"{spec: {name: ab, given: a, list: [a, b, c]}}", "spec.list: maxItems 2"},
		{"{spec: {name: ab, given: a, list: [abcd]}}", "spec.list[*]: maxLength 3"},
		{"{spec: {name: ab, given: a, set: [1, 2, 1]}}", "spec.set: listType set"},
		{"{spec: {name: ab, given: a, keyed: [{k: 1}, {k: 1}]}}", "spec.keyed: listType map of [k]"},
		{"{spec: {name: ab, given: a, keyed: [{}]}}", "spec.keyed[*].k: required"},
		{"{spec: {name: ab, given: a, map: {a: a, b: b}}}", "spec.map: maxProperties 1"},
		{"{spec: {name: ab, given: a, map: {a: aa}}}", "spec.map[*]: maxLength 1"},
		{"{spec: {name: ab}}", "-"}, // minProperties beside a field that a server would have supplied
	} {
		obj := given.Object(t, c.obj)
		if obj["metadata"] == nil {
			obj["metadata"] = map[string]any{}
		}
		errs := validate.Validate(s, obj)
		switch c.want {
		case "":
			require.Empty(t, errs)
			continue
		case "-":
			require.NotEmpty(t, errs, c.obj)
			id, ok := Of(errs[0])
			require.True(t, !ok || left[id] == "" || id.Kind == MinProperties, "%s: %v", c.obj, errs)
			continue
		}
		require.Len(t, errs, 1, c.obj)
		id, ok := Of(errs[0])
		require.True(t, ok, "%s: %v", c.obj, errs)
		require.Equal(t, c.want, left[id], c.obj)
	}

	at := field.NewPath("spec", "name")
	for _, e := range []*field.Error{
		nil, {}, field.Invalid(at, "x", "must be nice"), field.Invalid(at, "x", "name in body should have at least 1 items"), field.Required(nil, ""),
		field.Required(at.Child("deeper"), ""), field.Duplicate(at, "x"), field.Duplicate(nil, "x"), field.Forbidden(at, "no"),
		field.Invalid(field.NewPath("nothing", "there"), 1, ""), field.Invalid(at.Index(1), 1, ""), field.NotSupported(at, "x", "y"),
	} {
		_, ok := Of(e)
		require.False(t, ok, "%v", e)
	}
	all, notLooked = List(nil)
	require.Empty(t, all)
	require.Zero(t, notLooked)
}
