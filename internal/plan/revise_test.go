package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
)

func compiled(t *testing.T, document string) *plan.Node {
	t.Helper()
	p, err := schema.Decode([]byte(document))
	require.NoError(t, err)
	s, err := schema.CompileLoose(p)
	require.NoError(t, err)
	return plan.Root(s)
}

// A revised schema is the one without the formats.
func TestReviseFormats(t *testing.T) {
	const before = `{
		type: object,
		properties: {
			small: {type: integer, format: int32, maximum: 4294967295},
			any: {type: integer},
			number: {type: number, format: float, minimum: 1e300},
			list: {type: array, items: {type: object, additionalProperties: {type: integer, format: int32}}},
			branches: {anyOf: [{type: integer, format: int32}, {type: string}], not: {type: number, format: float, maximum: 0}},
			name: {type: string, format: k8s-short-name},
			long: {format: k8s-long-name, maxLength: 9},
			either: {x-kubernetes-int-or-string: true, format: k8s-short-name},
			date: {type: string, format: date}}}`
	root := compiled(t, before)
	accepts := func(r plan.Revision, key string, v any) bool {
		return validity.OK(r.Node(root), map[string]any{key: v}, validity.Schema)
	}
	numbers, names := plan.Revision{NoNumberFormats: true}, plan.Revision{NoNameFormats: true}
	for _, c := range []struct {
		key string
		v   any
		by  plan.Revision // accepts v, unlike root
	}{
		{"small", int64(5), numbers}, // the maximum does not fit the format
		{"small", int64(1 << 31), numbers},
		{"any", 1.0000000001, numbers},
		{"number", 1e300, numbers},
		{"list", []any{map[string]any{"a": int64(1 << 31)}}, numbers},
		{"branches", int64(1 << 31), numbers},
		{"name", "A", names},
		{"long", "A_", names},
		{"long", int64(5), names},
		{"either", "A", names},
	} {
		require.False(t, accepts(plan.Revision{}, c.key, c.v), c.key)
		require.True(t, accepts(c.by, c.key, c.v), c.key)
		require.True(t, accepts(plan.Revision{NoNumberFormats: true, NoNameFormats: true}, c.key, c.v), c.key)
	}
	former := plan.Revision{FormerIntegers: true}
	for _, c := range []struct {
		v               float64
		before, becomes bool // an integer
	}{
		{3, true, true}, {-3, true, true}, {2.5, false, false}, {3.0000000001, true, true}, {2.9999999999, false, true},
		{-3.0000000001, false, true}, {-2147483647.5, false, true}, {2147483647.5, true, true}, {0.9999999999, false, true},
		{333333333.5, true, false}, {1e300, false, false},
	} {
		require.Equal(t, c.becomes, root.Prop("any").Node.FloatKind(c.v) == plan.KindWhole, c.v)
		require.Equal(t, c.before, former.Node(root).Prop("any").Node.FloatKind(c.v) == plan.KindWhole, c.v)
		require.Equal(t, plan.FloatKind(c.v), former.Node(root).Prop("number").Node.FloatKind(c.v), "of a number that may have a fraction")
	}
	tenths := compiled(t, `{type: number, multipleOf: 0.1}`)
	for v, before := range map[float64]bool{0.5: true, -0.29999999999: false} {
		require.True(t, validity.OK(tenths, v, validity.Schema), v)
		require.Equal(t, before, validity.OK(former.Node(tenths), v, validity.Schema), v)
	}
	both := plan.Revision{NoNumberFormats: true, NoNameFormats: true}
	require.True(t, accepts(plan.Revision{}, "name", []any{}), "a format accepts lists")
	require.False(t, accepts(both, "name", []any{}))
	for key, v := range map[string]any{
		"small": int64(1 << 32), "any": 1.5, "number": 1.0, "list": []any{int64(1)}, "branches": 1.5, "long": "longer than 9", "either": true,
		"date": "no date",
	} {
		require.False(t, accepts(plan.Revision{}, key, v), key)
		require.False(t, accepts(both, key, v), key)
	}
}

// Revising shares what does not change, and changes nothing in the schema.
func TestReviseShares(t *testing.T) {
	root := compiled(t, `{type: object, properties: {
		a: {type: object, properties: {b: {type: string}, c: {type: string, format: date}}},
		o: {type: object, properties: {i: {type: integer}, s: {type: string}}}}}`)
	r := plan.Revision{NoNumberFormats: true}
	revised := r.Node(root)
	require.NotSame(t, root, revised)
	require.Same(t, root.Prop("a").Node, revised.Prop("a").Node)
	require.Same(t, root.Prop("o").Node.Prop("s").Node, revised.Prop("o").Node.Prop("s").Node)
	require.NotNil(t, root.Prop("o").Node.Prop("i").Node.Number)
	require.Nil(t, revised.Prop("o").Node.Prop("i").Node.Number)
	require.Equal(t, root.Prop("o").Node.Prop("i").Node.ID, revised.Prop("o").Node.Prop("i").Node.ID)
	require.Same(t, revised, r.Node(revised))
	require.Same(t, root, plan.Revision{}.Node(root))
	require.Same(t, root, plan.Revision{NoNameFormats: true}.Node(root))
	require.Nil(t, r.Node(nil))
}
