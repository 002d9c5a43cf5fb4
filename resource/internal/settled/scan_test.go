package settled

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

// A Scan keeps small buffers for the next text, and drops large ones.
func TestRelease(t *testing.T) {
	compiled := given.Structural(t, `{type: object, properties: {
		free: {type: object, x-kubernetes-preserve-unknown-fields: true}, set: {type: array, x-kubernetes-list-type: set, items: {type: string}}, text: {type: string, maxLength: 1000000},
		ruled: {type: array, items: {type: object, properties: {a: {type: string}}}, x-kubernetes-validations: [{rule: "self == self"}]}}}`)
	root := &Root{Node: plan.Root(compiled), Kind: "Thing", APIVersion: "g.io/v1"}
	rules := ruleset.Prepare(compiled)
	scan := func(n int) *Scan {
		list := func(item func(i int) string) string {
			items := given.List(n, item)
			return strings.Join(items, ",")
		}
		s := &Scan{work: maxWork, data: []byte(`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{},"free":{` + list(func(i int) string { return fmt.Sprintf(`"%06d":1`, i) }) +
			`},"set":[` + list(func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `],"text":"` + strings.Repeat(`\n`, n) + `","ruled":[` + list(func(int) string { return `{"a":"x"}` }) + "]}")}
		require.True(t, s.Object(root))
		require.True(t, s.Passes(t.Context(), Request{Rules: rules}))
		s.Release()
		for _, kept := range [][]any{s.build.slab, s.build.stack} {
			require.False(t, slices.ContainsFunc(kept[:cap(kept)], func(v any) bool { return v != nil }), "the text is kept")
		}
		return s
	}
	few := scan(20)
	require.Positive(t, min(cap(few.others), cap(few.items), cap(few.unescaped), cap(few.tape), cap(few.keys), len(few.build.maps), cap(few.build.slab), cap(few.build.stack)))
	many := scan(1 << 17)
	require.LessOrEqual(t, cap(many.others)*int(unsafe.Sizeof(span{})), maxKept)
	require.LessOrEqual(t, cap(many.items)*int(unsafe.Sizeof(span{})), maxKept)
	require.LessOrEqual(t, cap(many.unescaped), maxKept)
	require.LessOrEqual(t, cap(many.tape)*int(unsafe.Sizeof(element{})), maxKept)
	require.LessOrEqual(t, cap(many.keys), maxKept)
	require.LessOrEqual(t, len(many.build.maps), maxMaps)
	require.LessOrEqual(t, max(cap(many.build.slab), cap(many.build.stack)), maxItems)
}
