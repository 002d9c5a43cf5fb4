package plan_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

func node(t testing.TB, text string) *plan.Node {
	t.Helper()
	s := given.Structural(t, "type: object\nproperties: {v: "+text+"}")
	return plan.Root(s).Prop("v").Node
}

func value(t testing.TB, text string) any {
	t.Helper()
	return given.Object(t, `{"v": `+text+`}`)["v"]
}

const (
	byOne = `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {x-kubernetes-int-or-string: true}, v: {type: number}}}}`
	byTwo = `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, j], items: {type: object, required: [k, j], properties: {k: {x-kubernetes-int-or-string: true}, j: {type: boolean}, v: {type: number}}}}`
)

// CEV-037: what counts as unchanged.
func TestEqual(t *testing.T) {
	const object = `{type: object, properties: {a: {type: number, nullable: true}, o: {type: object, properties: {b: {type: string}}}}}`
	for _, c := range []struct {
		name, schema, new, old string
		want                   bool
	}{
		{"RAT-002 both null", `{type: string, nullable: true}`, `null`, `null`, true},
		{"RAT-002 one null", `{type: string, nullable: true}`, `null`, `"a"`, false},
		{"RAT-002 scalars", `{type: string}`, `"1h"`, `"1h"`, true},
		{"RAT-002 other text", `{type: string}`, `"1h"`, `"60m"`, false},
		{"RAT-006 1 and 1.0", `{type: number}`, `1`, `1.0`, false},
		{"RAT-002 object and list", `{type: object}`, `{}`, `[]`, false},
		{"RAT-002 object and scalar", `{type: object}`, `{}`, `1`, false},
		{"RAT-002 objects", object, `{"a":1,"o":{"b":"x"}}`, `{"o":{"b":"x"},"a":1}`, true},
		{"RAT-002 a key more", object, `{"a":1,"o":{}}`, `{"a":1}`, false},
		{"RAT-002 a key less", object, `{"a":1}`, `{"a":1,"o":{}}`, false},
		{"RAT-002 another key", object, `{"a":1}`, `{"o":{}}`, false},
		{"RAT-002 a null key is one", object, `{"a":null}`, `{"a":null}`, true},
		{"RAT-002 deep", object, `{"o":{"b":"x"}}`, `{"o":{"b":"y"}}`, false},
		{"RAT-009 a key without schema", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, `{"a":1}`, `{"a":1}`, false},
		{"RAT-009 none of them", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, `{}`, `{}`, true},
		{"RAT-001 additionalProperties: true is no schema", `{type: object, additionalProperties: true}`, `{"a":1}`, `{"a":1}`, false},
		{"RAT-001 map", `{type: object, additionalProperties: {type: integer}}`, `{"a":1}`, `{"a":1}`, true},
		{"RAT-002 list as a whole", `{type: array, items: {type: integer}}`, `[1,2]`, `[1,2]`, true},
		{"RAT-002 order", `{type: array, items: {type: integer}}`, `[1,2]`, `[2,1]`, false},
		{"RAT-002 order of a set", `{type: array, x-kubernetes-list-type: set, items: {type: integer}}`, `[1,2]`, `[2,1]`, false},
		{"RAT-009 unknown keys inside a list", `{type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}`, `[{"a":1}]`, `[{"a":1}]`, true},
		{"RAT-002 length", `{type: array, items: {type: integer}}`, `[1,2]`, `[1]`, false},
		{"RAT-002 empty lists", byOne, `[]`, `[]`, true},
		{"RAT-003 map list in another order", byOne, `[{"k":1,"v":1},{"k":2}]`, `[{"k":2},{"k":1,"v":1}]`, true},
		{"RAT-003 an item changed", byOne, `[{"k":1,"v":1}]`, `[{"k":1,"v":2}]`, false},
		{"RAT-003 another key", byOne, `[{"k":1}]`, `[{"k":3}]`, false},
		{"RAT-003 one key is strict in types", byOne, `[{"k":1}]`, `[{"k":1.0}]`, false},
		{"RAT-003 1 is not \"1\"", byTwo, `[{"k":1,"j":true}]`, `[{"k":"1","j":true}]`, false},
		{"RAT-003 several keys", byTwo, `[{"k":1,"j":true},{"k":1,"j":false}]`, `[{"k":1,"j":false},{"k":1,"j":true}]`, true},
		{"RAT-003 no key, no counterpart", byOne, `[{"v":1}]`, `[{"v":1}]`, false},
		{"RAT-003 null is no key", byOne, `[{"k":null}]`, `[{"k":null}]`, false},
		{"RAT-003 an item that is no object", byOne, `["a"]`, `["a"]`, false},
		{"RAT-007 of two with one key, the first counts", byOne, `[{"k":1,"v":1},{"k":1,"v":2}]`, `[{"k":1,"v":1},{"k":1,"v":2}]`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan.NewPair(node(t, c.schema), value(t, c.new), value(t, c.old))
			require.Equal(t, c.want, p.Equal())
			require.Equal(t, c.want, p.Equal(), "the answer is kept")
		})
	}
}

// Where two values differ is found once: the children on the way there are known to differ before anybody asks, those
// of equal values to be equal, and what is known is what a comparison says.
func TestKnownChildren(t *testing.T) {
	n := node(t, `{type: object, properties: {o: {type: object, properties: {l: `+byOne+`}}, p: {type: object, properties: {b: {type: string}}}}}`)
	const text = `{"o":{"l":[{"k":"x","v":1},{"k":"z","v":2}]},"p":{"b":"c"}}`
	p := plan.NewPair(n, value(t, text), value(t, `{"o":{"l":[{"k":"z","v":2},{"k":"x","v":3}]},"p":{"b":"c"}}`))
	require.Equal(t, plan.Unknown, p.Child("o").Known())
	require.False(t, p.Equal())
	list := p.Child("o").Child("l")
	require.Equal(t, plan.No, p.Child("o").Known())
	require.Equal(t, plan.No, list.Known())
	require.Equal(t, plan.No, list.Item(0).Known())
	require.Equal(t, plan.No, list.Item(0).Child("v").Known())
	require.Equal(t, plan.Unknown, list.Item(0).Child("k").Known())
	require.Equal(t, plan.Unknown, list.Item(1).Known())
	require.True(t, list.Item(0).Child("k").Equal())
	require.True(t, list.Item(1).Equal())
	require.Equal(t, plan.Unknown, p.Child("p").Known())
	require.True(t, p.Child("p").Equal())

	p = plan.NewPair(n, value(t, text), value(t, text))
	require.True(t, p.Equal())
	require.Equal(t, plan.Yes, p.Child("o").Child("l").Item(1).Child("v").Known())
}

// RAT-001, CEV-034: what has a counterpart.
func TestChildren(t *testing.T) {
	n := node(t, `{type: object, properties: {l: `+byOne+`, s: {type: array, x-kubernetes-list-type: set, items: {type: string}}, a: {type: string}}}`)
	p := plan.NewPair(n, value(t, `{"l":[{"k":"x"},{"k":"new"}],"s":["a"],"a":"1","z":1}`), value(t, `{"l":[{"k":"x"}],"s":["a"],"z":1}`))
	require.NotNil(t, p.Child("l"))
	require.Nil(t, p.Child("a"), "not in the old object")
	require.Nil(t, p.Child("z"), "without a schema")
	require.Nil(t, p.Child("none"))
	require.NotNil(t, p.Child("l").Item(0))
	require.NotNil(t, p.Child("l").Item(0).Child("k"))
	require.Nil(t, p.Child("l").Item(1))
	require.Nil(t, p.Child("l").Item(2))
	require.Nil(t, p.Child("l").Item(-1))
	require.Nil(t, p.Child("s").Item(0), "items of a set")
	require.Nil(t, p.Item(0), "no list")
	require.Nil(t, p.Child("l").Child("k"), "no object")

	var none *plan.Pair
	require.Nil(t, none.Child("a"))
	require.Nil(t, none.Item(0))
	require.False(t, none.Equal())
	require.Nil(t, plan.NewPair(nil, 1, 1))
}

// RAT-003, CEV-022: few old items and many are found alike, the first of several with the same keys.
func TestItems(t *testing.T) {
	one, two := node(t, byOne), node(t, byTwo)
	m := func(kv ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i].(string)] = kv[i+1]
		}
		return out
	}
	for _, c := range []struct {
		name string
		n    *plan.Node
		item any
		old  any
		ok   bool
	}{
		{"string", one, m("k", "a"), m("k", "a", "v", 1.0), true},
		{"integer", one, m("k", int64(1)), m("k", int64(1)), true},
		{"integer and float", one, m("k", int64(1)), m("k", 1.0), false},
		{"float", one, m("k", 1.5), m("k", 1.5), true},
		{"seven decimals of a single key", one, m("k", 1.0000001), m("k", 1.0000002), false},
		{"seven decimals of one among several", two, m("k", 1.0000001, "j", true), m("k", 1.0000002, "j", true), true},
		{"six decimals", two, m("k", 1.000001, "j", true), m("k", 1.000002, "j", true), false},
		{"NaN equals nothing", one, m("k", math.NaN()), m("k", math.NaN()), false},
		{"but has a text", two, m("k", math.NaN(), "j", true), m("k", math.NaN(), "j", true), true},
		{"boolean", two, m("k", "a", "j", true), m("k", "a", "j", false), false},
		{"other Go types are no keys", one, m("k", 1), m("k", 1), false},
		{"a quote in a key", two, m("k", "a\x00\"b", "j", true), m("k", "a\x00\"b", "j", true), true},
		{"a key is missing", two, m("k", "a"), m("k", "a"), false},
		{"a nil object", one, map[string]any(nil), map[string]any(nil), false},
	} {
		for _, size := range []int{0, 20} {
			t.Run(fmt.Sprintf("%s among %d", c.name, size), func(t *testing.T) {
				var old []any
				for i := range size {
					old = append(old, m("k", fmt.Sprint("other", i), "j", true))
				}
				old = append(old, "no object", c.old, m("k", c.old.(map[string]any)["k"], "j", c.old.(map[string]any)["j"], "v", "second"))
				x := plan.NewItems(c.n, old)
				got, ok := x.Find(c.item)
				require.Equal(t, c.ok, ok)
				if ok {
					require.Equal(t, fmt.Sprint(c.old), fmt.Sprint(got), "the first")
				}
			})
		}
	}

	var zero plan.Items
	_, ok := zero.Find(m("k", "a"))
	require.False(t, ok)
	x := plan.NewItems(node(t, `{type: array, items: {type: object, properties: {k: {type: string}}}}`), []any{m("k", "a")})
	_, ok = x.Find(m("k", "a"))
	require.False(t, ok, "no map")
}

// FuzzEqual: what is equal to its old value is equal to itself, and of the same kind.
func FuzzEqual(f *testing.F) {
	f.Add([]byte(`[{"k":1,"v":1},{"k":"a"}]`), []byte(`[{"k":"a"},{"k":1,"v":1}]`))
	f.Add([]byte(`[{"k":1.0}]`), []byte(`[{"k":1}]`))
	f.Add([]byte(`[[]]`), []byte(`{}`))
	one, two := node(f, byOne), node(f, byTwo)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) > 1000 {
			return
		}
		x, errX := unstructured.Decode([]byte(`{"v": ` + string(a) + `}`))
		y, errY := unstructured.Decode([]byte(`{"v": ` + string(b) + `}`))
		if errX != nil || errY != nil {
			return
		}
		for _, n := range []*plan.Node{one, two} {
			if plan.NewPair(n, x["v"], y["v"]).Equal() {
				require.True(t, plan.NewPair(n, x["v"], x["v"]).Equal())
				require.IsType(t, x["v"], y["v"])
			}
		}
	})
}
