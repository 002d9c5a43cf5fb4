package jsonval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

func TestChanges(t *testing.T) {
	before := map[string]any{
		"lost": "a", "same": int64(1), "changed": true, "empty": map[string]any{}, "null": nil, "type": map[string]any{"a": "b"},
		"list": []any{"a", map[string]any{"x": "y"}}, "gone": map[string]any{"deep": []any{"z"}},
	}
	after := map[string]any{
		"same": 1.0, "changed": false, "none": []any{}, "type": "text", "list": []any{"a"}, "new": map[string]any{"k": []any{nil, "v"}},
	}
	var got []string
	Changes(before, after, func(at *field.Path, what string) bool {
		got = append(got, at.String()+" "+what)
		return true
	})
	require.Equal(t, []string{
		"changed changed", "gone.deep[0] lost", "list[1].x lost", "lost lost", "new.k[1] added", "type changed",
	}, got)

	calls := 0
	Changes(before, after, func(*field.Path, string) bool {
		calls++
		return calls < 2
	})
	require.Equal(t, 2, calls)
	Changes(before, before, func(*field.Path, string) bool {
		t.Error("nothing differs")
		return true
	})
}
