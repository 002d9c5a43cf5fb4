package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/validate"
)

// One limit holds for all parts of the answer.
func TestLimit(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"l": map[string]any{"items": map[string]any{"type": "integer"}},
		"e": map[string]any{"type": "object", "x-kubernetes-embedded-resource": true},
		"s": map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}},
	}})
	obj := map[string]any{"l": []any{"a", "b"}, "e": map[string]any{"kind": "?"}, "s": []any{"x", "x"}}
	all := validate.Validate(s, obj)
	require.Len(t, all, 5)
	require.Equal(t, all, validate.Validate(s, obj, field.Limit{Errors: 5}))
	for most := 1; most < 5; most++ {
		errs := validate.Validate(s, obj, field.Limit{Errors: most})
		require.Len(t, errs, most+1)
		require.Equal(t, all[:most], errs[:most])
		require.Equal(t, 5-most, errs[most].BadValue.(*field.Omitted).Errors)
	}
	bytes := validate.Validate(s, obj, field.Limit{Bytes: 100})
	require.Len(t, bytes, 2)
	require.Equal(t, "<nil>: Too many errors: 4 more are not listed", bytes[1].Error())
	require.Equal(t, 5, validate.Validate(s, obj, field.Limit{Errors: -1})[0].BadValue.(*field.Omitted).Errors)
	require.Nil(t, validate.Validate(s, map[string]any{}, field.Limit{Errors: -1}))
}

// A value that is too large has one error, wherever the walk is when it has visited too much. Other large values have
// all of theirs.
func TestTooLarge(t *testing.T) {
	item := object{"type": "object", "additionalProperties": object{"type": "integer"}}
	s := given.Compiled(t, object{"properties": object{
		"text": object{"type": "string", "minLength": int64(1)}, "list": object{"type": "array", "items": object{"type": "array", "items": item}}, "a": object{"type": "boolean"},
		"set":  object{"type": "array", "x-kubernetes-list-type": "set", "items": object{"type": "string"}},
		"enum": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "enum": []any{object{}}},
	}})
	const large = `v: Invalid value: too large, counting shared parts once for each place`
	tenth := given.List(60_000, func(i int) any { return object{"k": int64(i)} })
	bad := append(slices.Clone(tenth), object{"k": "x"})
	for name, row := range map[string]struct {
		value object
		want  []string
	}{
		"a text":                {object{"text": strings.Repeat("x", 17<<20)}, []string{large}},
		"valid parts":           {object{"list": slices.Repeat([]any{tenth}, 12)}, []string{large}},
		"parts with an error":   {object{"list": slices.Repeat([]any{bad}, 12)}, []string{large}},
		"after an error":        {object{"a": "x", "list": slices.Repeat([]any{tenth}, 1000)}, []string{large}},
		"printed in an error":   {object{"enum": object{"a": slices.Repeat([]any{tenth}, 1000)}}, []string{large}},
		"not visited, an error": {object{"unknown": slices.Repeat([]any{tenth}, 1000), "a": "x"}, []string{`v.a: Invalid value: "string": a in body must be of type boolean: "string"`}},
		"large, with an error": {object{"list": []any{tenth, bad}},
			[]string{`v.list[1][60000].k: Invalid value: "string": list[1][60000].k in body must be of type integer: "string"`}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, given.Texts(validate.Value(s.Root(), field.NewPath("v"), row.value)))
		})
	}
	errs := validate.Validate(s, object{"list": slices.Repeat([]any{tenth}, 12), "set": []any{"a", "a"}})
	require.Len(t, errs, 1, "other checks are left out")
}
