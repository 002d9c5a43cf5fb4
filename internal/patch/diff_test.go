package patch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
)

func TestDiff(t *testing.T) {
	for _, row := range []struct{ name, from, to, want string }{
		{"nothing", `{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}]}`, `null`},
		{"members, by name", `{"b":1,"c":2,"d":{}}`, `{"a":0,"c":3,"d":{},"e":null}`,
			`[{"op":"add","path":"/a","value":0},{"op":"remove","path":"/b"},{"op":"replace","path":"/c","value":3},{"op":"add","path":"/e","value":null}]`},
		{"deep inside", `{"a":{"b":[{"c":1,"d":2}]},"e":3}`, `{"a":{"b":[{"c":1,"d":4}]},"e":3}`, `[{"op":"replace","path":"/a/b/0/d","value":4}]`},
		{"another type", `{"a":{"b":1}}`, `{"a":[1]}`, `[{"op":"replace","path":"/a","value":[1]}]`},
		{"to null and from null", `{"a":null,"b":{}}`, `{"a":{},"b":null}`,
			`[{"op":"replace","path":"/a","value":{}},{"op":"replace","path":"/b","value":null}]`},
		{"a longer list", `{"l":[1]}`, `{"l":[0,[2],3]}`,
			`[{"op":"replace","path":"/l/0","value":0},{"op":"add","path":"/l/1","value":[2]},{"op":"add","path":"/l/2","value":3}]`},
		{"a shorter list", `{"l":[1,2,3]}`, `{"l":[4]}`,
			`[{"op":"replace","path":"/l/0","value":4},{"op":"remove","path":"/l/2"},{"op":"remove","path":"/l/1"}]`},
		{"odd keys", `{"~1/":{},"":{"":1}}`, `{"~1/":{"<":"<"},"":{}}`,
			`[{"op":"remove","path":"//"},{"op":"add","path":"/~01~1/\u003c","value":"\u003c"}]`},
		{"STR-006 numbers of another type", `{"a":1,"b":-0.0,"c":1e21}`, `{"a":1.0,"b":0,"c":4611686018427387904.0}`,
			`[{"op":"replace","path":"/a","value":1.0},{"op":"replace","path":"/b","value":0},{"op":"replace","path":"/c","value":4611686018427388000.0}]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			from, to := given.Object(t, row.from), given.Object(t, row.to)
			require.Equal(t, row.want, string(given.JSON(t, patch.Diff(from, to))))
			require.Equal(t, given.Object(t, row.from), from)
			require.Equal(t, given.Object(t, row.to), to)
			requireLeads(t, from, to)
		})
	}
}

// requireLeads requires that the patch changes from into to, including the types of numbers.
func requireLeads(t *testing.T, from, to map[string]any) {
	t.Helper()
	body := given.JSON(t, patch.Diff(from, to))
	old, err := patch.Exact(from)
	require.NoError(t, err)
	p, refused := patch.Accept(patch.TypeJSON, body)
	require.Nil(t, refused)
	text, findings, refused := p.ApplyStrict(old)
	require.Nil(t, refused, "%s\n%s", old, body)
	require.Empty(t, findings)
	require.True(t, jsonval.Equal(to, given.Object(t, string(text))), "%s\n%s\n%s", old, body, text)
}

func TestDiffRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []string{"a", "b", "c", "", "~", "/", "~1", "0", "-", "ä<"}
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(10); {
		case n < 4 && depth > 0:
			m := map[string]any{}
			for range r.IntN(4) {
				m[keys[r.IntN(len(keys))]] = value(depth - 1)
			}
			return m
		case n < 7 && depth > 0:
			l := []any{}
			for range r.IntN(4) {
				l = append(l, value(depth-1))
			}
			return l
		}
		scalars := []any{nil, true, int64(1), int64(2), 1.0, 2.5, math.Copysign(0, -1), 1e21, "", "<", "é\u2028"}
		return scalars[r.IntN(len(scalars))]
	}
	// edit changes a few places of a copy.
	var edit func(v any, depth int) any
	edit = func(v any, depth int) any {
		if r.IntN(6) == 0 {
			return value(depth)
		}
		switch x := v.(type) {
		case map[string]any:
			for k, e := range x {
				x[k] = edit(e, depth-1)
			}
			if r.IntN(3) == 0 {
				delete(x, keys[r.IntN(len(keys))])
			}
		case []any:
			for i, e := range x {
				x[i] = edit(e, depth-1)
			}
			if len(x) > 0 && r.IntN(4) == 0 {
				return x[:len(x)-1]
			}
		}
		return v
	}
	for range 5000 {
		from, ok := value(4).(map[string]any)
		if !ok {
			continue
		}
		to, ok := edit(jsonval.Clone(from), 4).(map[string]any)
		if !ok {
			continue
		}
		requireLeads(t, from, to)
		require.Equal(t, patch.Diff(from, to), patch.Diff(from, to))
		require.Nil(t, patch.Diff(from, jsonval.Clone(from).(map[string]any)))
		if !jsonval.Equal(from, to) {
			require.NotEmpty(t, patch.Diff(from, to))
		}
	}
}

func TestDiffNilIsEmpty(t *testing.T) {
	require.Nil(t, patch.Diff(nil, map[string]any{}))
	require.Nil(t, patch.Diff(map[string]any{"a": map[string]any(nil), "l": []any{}}, map[string]any{"a": map[string]any{}, "l": []any(nil)}))
	require.Equal(t, []patch.Operation{{"add", "/a", nil}}, patch.Diff(nil, map[string]any{"a": nil}))
}

// A server could not even write such objects.
func TestDiffTooDeep(t *testing.T) {
	cycle := map[string]any{}
	cycle["a"], cycle["b"] = cycle, []any{cycle, cycle}
	for _, pair := range [][2]map[string]any{{cycle, {}}, {{}, cycle}, {cycle, cycle}} {
		require.Len(t, patch.Diff(pair[0], pair[1]), 1)
		require.Equal(t, "replace", patch.Diff(pair[0], pair[1])[0].Op)
		require.Empty(t, patch.Diff(pair[0], pair[1])[0].Path)
	}
}

func TestDiffSharesValues(t *testing.T) {
	value := map[string]any{"x": int64(1)}
	d := patch.Diff(nil, map[string]any{"a": value})
	value["x"] = int64(2)
	require.Equal(t, []patch.Operation{{"add", "/a", map[string]any{"x": int64(2)}}}, d)
}
