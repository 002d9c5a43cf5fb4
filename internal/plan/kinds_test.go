package plan_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
)

func TestKindOf(t *testing.T) {
	type text string
	for _, row := range []struct {
		value any
		want  plan.Kinds
	}{
		{nil, plan.KindNull}, {true, plan.KindBool}, {int64(1), plan.KindInt}, {1.0, plan.KindWhole}, {1.5, plan.KindFloat}, {1e16, plan.KindFloat},
		{"a", plan.KindString}, {[]any{}, plan.KindArray}, {[]any(nil), plan.KindArray}, {map[string]any{}, plan.KindObject}, {map[string]any(nil), plan.KindObject},
		{math.NaN(), 0}, {math.Inf(1), 0}, {math.Inf(-1), 0},
		{1, 0}, {float32(1), 0}, {text("a"), 0}, {[]string{}, 0}, {map[string]string{}, 0}, {struct{}{}, 0}, {field.OmitValue, 0},
	} {
		require.Equal(t, row.want, plan.KindOf(row.value), "%T %v", row.value, row.value)
	}
}
