package conversion_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
)

// CNV-040: functions over structs.
func TestTyped(t *testing.T) {
	type v1 struct {
		Spec struct {
			Size int64 `json:"size"`
		} `json:"spec"`
	}
	type v2 struct {
		Metadata map[string]any `json:"metadata,omitempty"`
		Width    *int64         `json:"width,omitempty"`
	}
	f := conversion.Functions{
		{From: "v1", To: "v2"}: conversion.Typed(func(in v1) (v2, error) {
			if in.Spec.Size < 0 {
				return v2{}, errors.New("too small")
			}
			return v2{Width: &in.Spec.Size}, nil
		}),
		{From: "v2", To: "v1"}: conversion.Typed(func(in v2) (out *v1, err error) {
			out = &v1{}
			out.Spec.Size = *in.Width
			return out, nil
		}),
	}
	object := func(size int64) map[string]any {
		return map[string]any{
			"apiVersion": "example.com/v1", "kind": "A", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{"size": size, "unknown": true},
		}
	}
	const large = 1<<53 + 1
	out, err := f.Convert(t.Context(), []map[string]any{object(large), object(1)}, "example.com/v2")
	require.NoError(t, err)
	want := map[string]any{"apiVersion": "example.com/v2", "kind": "A", "metadata": map[string]any{"name": "a"}, "width": int64(large)}
	require.Equal(t, want, out[0])
	require.Equal(t, int64(1), out[1]["width"])

	back, err := f.Convert(t.Context(), out[:1], "example.com/v1")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"size": int64(large)}, back[0]["spec"])

	_, err = f.Convert(t.Context(), []map[string]any{object(-1)}, "example.com/v2")
	require.EqualError(t, err, "too small")
	_, err = f.Convert(t.Context(), []map[string]any{object(1)}, "example.com/v3")
	require.EqualError(t, err, "no function converts from v1 to v3")
	_, err = f.Convert(t.Context(), []map[string]any{{"apiVersion": "example.com/v1", "spec": "text"}}, "example.com/v2")
	require.ErrorContains(t, err, "spec")
}
