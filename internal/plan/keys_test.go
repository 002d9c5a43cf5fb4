package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
)

// A missing key is not null; server-side apply reads it as the default.
func TestKey(t *testing.T) {
	n := node(t, `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {type: object, properties: {a: {type: string, default: x}, b: {type: string}}}}`)
	for _, c := range []struct {
		item, key  string
		want       any
		has        bool
		fromServer any
	}{
		{`{"a":"y"}`, "a", "y", true, "y"},
		{`{"a":null}`, "a", nil, true, nil},
		{`{}`, "a", nil, false, "x"},
		{`{}`, "b", nil, false, nil},
		{`[]`, "b", nil, false, nil},
		{`[]`, "a", nil, false, "x"},
	} {
		v, ok := plan.Key(value(t, c.item), c.key)
		require.Equal(t, c.want, v, c.item)
		require.Equal(t, c.has, ok, c.item)
		require.Equal(t, c.fromServer, n.KeyOrDefault(value(t, c.item), c.key), c.item)
	}
	require.Nil(t, (&plan.Node{ArrayKeywords: plan.NoArrayKeywords}).KeyOrDefault(map[string]any{}, "a"))
}

// RAT-003: which old items are certainly the counterparts of the items at their indexes.
func TestInPlace(t *testing.T) {
	one, two := node(t, byOne), node(t, byTwo)
	for _, c := range []struct {
		n          *plan.Node
		items, old string
		want       bool
	}{
		{one, `[{"k":"a"},{"k":"b","v":1}]`, `[{"k":"a"},{"k":"b"}]`, true},
		{one, `[{"k":"a"},{"k":"a"}]`, `[{"k":"a"},{"k":"a"}]`, true},
		{one, `[{"k":"a"},{"k":"b"}]`, `[{"k":"b"},{"k":"a"}]`, false},
		{one, `[{"k":1}]`, `[{"k":1}]`, false},
		{one, `[{}]`, `[{}]`, false},
		{one, `["a"]`, `["a"]`, false},
		{two, `[{"k":"a","j":"b"}]`, `[{"k":"a","j":"b"}]`, true},
		{two, `[{"k":"a","j":"b"}]`, `[{"k":"a","j":"c"}]`, false},
		{node(t, `{type: array, items: {type: object}}`), `[{"k":"a"}]`, `[{"k":"a"}]`, false},
	} {
		require.Equal(t, c.want, c.n.InPlace(value(t, c.items).([]any), value(t, c.old).([]any)), "%s and %s", c.items, c.old)
	}
}
