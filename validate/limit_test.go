package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/golden"
	"github.com/crdkit/crdkit/validate"
)

// One limit holds for all parts of the answer.
func TestValidateWithin(t *testing.T) {
	s := golden.Compile(t, map[string]any{"properties": map[string]any{
		"l": map[string]any{"items": map[string]any{"type": "integer"}},
		"e": map[string]any{"type": "object", "x-kubernetes-embedded-resource": true},
		"s": map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}},
	}})
	obj := map[string]any{"l": []any{"a", "b"}, "e": map[string]any{"kind": "?"}, "s": []any{"x", "x"}}
	all := validate.Validate(s, obj)
	require.Len(t, all, 5)
	require.Equal(t, all, validate.ValidateWithin(s, obj, field.Limit{Errors: 5}))
	for most := 1; most < 5; most++ {
		errs := validate.ValidateWithin(s, obj, field.Limit{Errors: most})
		require.Len(t, errs, most+1)
		require.Equal(t, all[:most], errs[:most])
		require.Equal(t, 5-most, errs[most].BadValue.(*field.Omitted).Errors)
	}
	bytes := validate.ValidateWithin(s, obj, field.Limit{Bytes: 100})
	require.Len(t, bytes, 2)
	require.Equal(t, "<nil>: Too many errors: 4 more are not listed", bytes[1].Error())
	require.Equal(t, 5, validate.ValidateWithin(s, obj, field.Limit{Errors: -1})[0].BadValue.(*field.Omitted).Errors)
	require.Nil(t, validate.ValidateWithin(s, map[string]any{}, field.Limit{Errors: -1}))
}
