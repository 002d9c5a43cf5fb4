package patch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
)

// PAT-003: the refusal for a failing operation.
var rejected = &field.Status{Code: 422, Reason: "Invalid", Message: "the server rejected our request due to an error in our request"}

// PAT-004, and the text as in PAT-005. An empty want is a refusal.
func TestOperations(t *testing.T) {
	for _, row := range []struct{ name, old, body, want string }{
		{"none", `{"b":1,"a":2}`, `[]`, `{"a":2,"b":1}`},
		{"PAT-003 null has no operations", `{"a":1}`, `null`, `{"a":1}`},
		{"PAT-003 null item", `{"a":1}`, `[null]`, ``},
		{"unknown", `{}`, `[{"op":"Add","path":"/a","value":1}]`, ``},
		{"no op", `{}`, `[{"path":"/a","value":1}]`, ``},
		{"op null", `{}`, `[{"op":null,"path":"/a","value":1}]`, ``},
		{"op of another type", `{}`, `[{"op":5,"path":"/a","value":1}]`, ``},
		{"op spelled with an escape", `{}`, `[{"op":"\u0061dd","path":"/a","value":1}]`, `{"a":1}`},
		{"one fails, all fail", `{}`, `[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]`, ``},
		{"each sees what the one before did", `{}`, `[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":[]},{"op":"add","path":"/a/b/-","value":1}]`,
			`{"a":{"b":[1]}}`},

		{"path missing", `{}`, `[{"op":"add","value":1}]`, ``},
		{"path null", `{}`, `[{"op":"add","path":null,"value":1}]`, ``},
		{"path empty", `{"a":1}`, `[{"op":"add","path":"","value":{}}]`, ``},
		{"path without a slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`, ``},
		{"path with something before the slash", `{"a":{"b":1}}`, `[{"op":"remove","path":"x/a/b"}]`, `{"a":{}}`},
		{"path to the empty key", `{"":1,"a":{"":{"":2}}}`, `[{"op":"remove","path":"/"},{"op":"remove","path":"/a//"}]`, `{"a":{"":{}}}`},
		{"escapes", `{"a/b":1,"a~b":2,"~1":3,"~":4}`,
			`[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/a~0b"},{"op":"remove","path":"/~01"},{"op":"remove","path":"/~"}]`, `{}`},
		{"other tildes stay", `{}`, `[{"op":"add","path":"/~2~","value":1}]`, `{"~2~":1}`},
		{"way through nothing", `{}`, `[{"op":"add","path":"/a/b","value":1}]`, ``},
		{"way through null", `{"a":null}`, `[{"op":"add","path":"/a/b","value":1}]`, ``},
		{"way through a scalar", `{"a":"s"}`, `[{"op":"add","path":"/a/b","value":1}]`, ``},
		{"way through an item beyond the end", `{"a":[{}]}`, `[{"op":"add","path":"/a/1/b","value":1}]`, ``},
		{"way through the last item", `{"a":[{}]}`, `[{"op":"add","path":"/a/-1/b","value":1}]`, `{"a":[{"b":1}]}`},
		{"way through -", `{"a":[{}]}`, `[{"op":"add","path":"/a/-/b","value":1}]`, ``},

		{"add replaces a member", `{"a":1}`, `[{"op":"add","path":"/a","value":"x"}]`, `{"a":"x"}`},
		{"add without a value", `{}`, `[{"op":"add","path":"/a"}]`, `{"a":null}`},
		{"add null", `{"a":1}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`},
		{"add in front", `{"l":[1,2]}`, `[{"op":"add","path":"/l/0","value":0}]`, `{"l":[0,1,2]}`},
		{"add at the end", `{"l":[1,2]}`, `[{"op":"add","path":"/l/2","value":3},{"op":"add","path":"/l/-","value":4}]`, `{"l":[1,2,3,4]}`},
		{"add beyond the end", `{"l":[1,2]}`, `[{"op":"add","path":"/l/3","value":3}]`, ``},
		{"add, from the end", `{"l":[1,2]}`, `[{"op":"add","path":"/l/-1","value":3},{"op":"add","path":"/l/-4","value":0}]`, `{"l":[0,1,2,3]}`},
		{"add before the beginning", `{"l":[1,2]}`, `[{"op":"add","path":"/l/-4","value":3}]`, ``},
		{"odd indexes", `{"l":[1]}`, `[{"op":"add","path":"/l/+1","value":2},{"op":"add","path":"/l/002","value":3},{"op":"add","path":"/l/-0","value":0}]`, `{"l":[0,1,2,3]}`},
		{"no index", `{"l":[1]}`, `[{"op":"add","path":"/l/a","value":2}]`, ``},
		{"no index, but in Go", `{"l":[1]}`, `[{"op":"add","path":"/l/0x0","value":2}]`, ``},
		{"too large an index", `{"l":[1]}`, `[{"op":"add","path":"/l/99999999999999999999","value":2}]`, ``},

		{"remove an item", `{"l":[1,2,3]}`, `[{"op":"remove","path":"/l/1"},{"op":"remove","path":"/l/-1"}]`, `{"l":[1]}`},
		{"remove the last item", `{"l":[1]}`, `[{"op":"remove","path":"/l/0"}]`, `{"l":[]}`},
		{"remove beyond the end", `{"l":[1]}`, `[{"op":"remove","path":"/l/1"}]`, ``},
		{"remove -", `{"l":[1]}`, `[{"op":"remove","path":"/l/-"}]`, ``},
		{"remove nothing", `{}`, `[{"op":"remove","path":"/a"}]`, ``},
		{"remove null", `{"a":null}`, `[{"op":"remove","path":"/a"}]`, `{}`},

		{"replace adds a member", `{}`, `[{"op":"replace","path":"/a","value":1}]`, `{"a":1}`},
		{"replace without a value", `{"a":1}`, `[{"op":"replace","path":"/a"}]`, `{"a":null}`},
		{"replace an item", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/-1","value":3}]`, `{"l":[1,3]}`},
		{"replace beyond the end", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/2","value":3}]`, ``},
		{"replace -", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/-","value":3}]`, ``},
		{"replace the whole", `{"a":1}`, `[{"op":"replace","path":"","value":{"z":1,"b":2}},{"op":"remove","path":"/z"}]`, `{"b":2}`},
		{"replace the whole by a list", `{"a":1}`, `[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/0","value":0}]`, `[0,1]`},
		{"replace the whole by a scalar", `{"a":1}`, `[{"op":"replace","path":"","value":5}]`, ``},
		{"replace the whole by null", `{"a":1}`, `[{"op":"replace","path":"","value":null}]`, ``},
		{"replace the whole by nothing", `{"a":1}`, `[{"op":"replace","path":""}]`, ``},

		{"move", `{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/c"}]`, `{"a":{},"c":1}`},
		{"move an item", `{"l":[1,2,3]}`, `[{"op":"move","from":"/l/0","path":"/l/-"}]`, `{"l":[2,3,1]}`},
		{"move nothing", `{}`, `[{"op":"move","from":"/a","path":"/b"}]`, ``},
		{"move null", `{"a":null}`, `[{"op":"move","from":"/a","path":"/b"}]`, `{"b":null}`},
		{"move into itself", `{"a":{"b":{}}}`, `[{"op":"move","from":"/a","path":"/a/b/c"}]`, ``},
		{"move onto itself", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`},
		{"move the whole", `{"a":1}`, `[{"op":"move","from":"","path":"/a"}]`, ``},
		{"move without from", `{"a":1}`, `[{"op":"move","path":"/a"}]`, ``},

		{"copy", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/b","value":2}]`, `{"a":{"b":1},"c":{"b":2}}`},
		{"copy into itself", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/a/c"}]`, `{"a":{"b":1,"c":{"b":1}}}`},
		{"copy nothing", `{}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"b":null}`},
		{"copy an item beyond the end", `{"l":[]}`, `[{"op":"copy","from":"/l/0","path":"/b"}]`, ``},
		{"copy -", `{"l":[1]}`, `[{"op":"copy","from":"/l/-","path":"/b"}]`, ``},
		{"copy to -", `{"l":[1]}`, `[{"op":"copy","from":"/l/0","path":"/l/-"}]`, `{"l":[1,1]}`},
		{"copy to where there is no way", `{"l":[1]}`, `[{"op":"copy","from":"/l/0","path":"/m/-"}]`, ``},
		{"copy the whole", `{"a":1}`, `[{"op":"copy","from":"","path":"/b"}]`, ``},

		{"test", `{"a":{"b":[1,"x",true]}}`, `[{"op":"test","path":"/a","value":{"b":[1,"x",true]}}]`, `{"a":{"b":[1,"x",true]}}`},
		{"test fails", `{"a":1}`, `[{"op":"test","path":"/a","value":2}]`, ``},
		{"test any order of keys", `{"a":{"b":1,"c":2}}`, `[{"op":"test","path":"/a","value":{"c":2,"b":1}}]`, `{"a":{"b":1,"c":2}}`},
		{"test other keys", `{"a":{"b":null}}`, `[{"op":"test","path":"/a","value":{"c":null}}]`, ``},
		{"test more keys", `{"a":{"b":1}}`, `[{"op":"test","path":"/a","value":{"b":1,"c":2}}]`, ``},
		{"test a shorter list", `{"a":[1]}`, `[{"op":"test","path":"/a","value":[]}]`, ``},
		{"test list and object", `{"a":[]}`, `[{"op":"test","path":"/a","value":{}}]`, ``},
		{"test scalar and list", `{"a":1}`, `[{"op":"test","path":"/a","value":[1]}]`, ``},
		{"test spelling of numbers", `{"a":5}`, `[{"op":"test","path":"/a","value":5.0}]`, ``},
		{"test spelling of exponents", `{"a":1e+21}`, `[{"op":"test","path":"/a","value":1e21}]`, ``},
		{"test spelling of strings", `{"a":"a"}`, `[{"op":"test","path":"/a","value":"\u0061"}]`, ``},
		{"test spelling of keys does not matter", `{"a":{"a":1}}`, `[{"op":"test","path":"/a","value":{"\u0061":1}}]`, `{"a":{"a":1}}`},
		{"test HTML as old has it", `{"a":"\u003c"}`, `[{"op":"test","path":"/a","value":"\u003c"}]`, `{"a":"\u003c"}`},
		{"test HTML as one would write it", `{"a":"\u003c"}`, `[{"op":"test","path":"/a","value":"<"}]`, ``},
		{"test HTML that an operation put in", `{}`, `[{"op":"add","path":"/a","value":"<"},{"op":"test","path":"/a","value":"<"}]`, `{"a":"\u003c"}`},
		{"test HTML that was copied", `{}`, `[{"op":"add","path":"/a","value":"<"},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":"<"}]`, ``},
		{"test a missing member", `{}`, `[{"op":"test","path":"/a","value":null},{"op":"test","path":"/a"}]`, `{}`},
		{"test a missing member for a value", `{}`, `[{"op":"test","path":"/a","value":{}}]`, ``},
		{"test a missing item", `{"l":[]}`, `[{"op":"test","path":"/l/0","value":null}]`, ``},
		{"test null in an object", `{"a":{"b":null}}`, `[{"op":"test","path":"/a","value":{"b":null}}]`, `{"a":{"b":null}}`},
		{"test null in a list", `{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]}]`, ``},
		{"test without a value", `{"a":1}`, `[{"op":"test","path":"/a"}]`, ``},
		{"test the whole", `{"a":1,"b":[]}`, `[{"op":"test","path":"","value":{"b":[],"a":1}}]`, `{"a":1,"b":[]}`},
		{"test the whole for something else", `{"a":1}`, `[{"op":"test","path":"","value":{}}]`, ``},
		{"test the whole without a value", `{"a":1}`, `[{"op":"test","path":""}]`, ``},
		{"test the whole for null", `{"a":1}`, `[{"op":"test","path":"","value":null}]`, ``},

		{"given null", `{}`, `[{"op":"add","path":"/a","value":null},{"op":"test","path":"/a","value":null}]`, `{"a":null}`},
		{"given null is no missing value", `{}`, `[{"op":"add","path":"/a","value":null},{"op":"test","path":"/a"}]`, ``},
		{"given null is no null of a text", `{"o":{}}`, `[{"op":"add","path":"/o/a","value":null},{"op":"test","path":"/o","value":{"a":null}}]`, ``},
		{"missing value is one", `{"o":{}}`, `[{"op":"add","path":"/o/a"},{"op":"test","path":"/o","value":{"a":null}},{"op":"test","path":"/o/a"}]`, `{"o":{"a":null}}`},
		{"copied null is no null", `{}`, `[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":null}]`, ``},
		{"copied null is an empty object", `{}`,
			`[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/b","path":"/c"},` +
				`{"op":"test","path":"/c","value":{}},{"op":"test","path":"/b/x/y","value":null}]`, ``},
		{"copied null has no members", `{}`,
			`[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":{}},{"op":"test","path":"/b/x"}]`,
			`{"a":null,"b":null}`},
		{"copied null takes no members", `{}`,
			`[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x","value":1}]`, ``},
		{"copied null takes no replacement", `{}`,
			`[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/b/x","value":1}]`, ``},
		{"copied null of a text", `{"a":null}`,
			`[{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":null}]`, `{"a":null,"b":null}`},

		{"PAT-005 a value as it was spelled", `{}`, `[{"op":"add","path":"/a","value": { "b" : 1.0, "a" : [ 1e3, "\u0041<" ], "b":2 } }]`,
			`{"a":{"b":1.0,"a":[1e3,"\u0041\u003c"],"b":2}}`},
		{"PAT-005 a string that looks like more", `{}`, `[{"op":"add","path":"/a","value":[ "[{ }]\\\" :,", {"]":"{"} ]},{"op":"add","path":"/a/-","value":"}"}]`,
			`{"a":["[{ }]\\\" :,",{"]":"{"},"}"]}`},
		{"PAT-005 a value that was looked into", `{}`, `[{"op":"add","path":"/a","value":{"b":1,"a":2,"b":{"d":1,"c":2}}},{"op":"add","path":"/a/x","value":3}]`,
			`{"a":{"a":2,"b":{"d":1,"c":2},"x":3}}`},
		{"PAT-005 a value that was tested", `{}`, `[{"op":"add","path":"/a","value":{"b":{"d":1,"c":2,"d":3}}},{"op":"test","path":"/a","value":{"b":{"c":2,"d":3}}}]`,
			`{"a":{"b":{"c":2,"d":3}}}`},
		{"PAT-005 a value that was looked into on the way of its copy", `{}`, `[{"op":"add","path":"/a","value":{"b":1,"b":2}},{"op":"copy","from":"/a","path":"/a/c"}]`,
			`{"a":{"b":2,"c":{"b":2}}}`},
		{"PAT-005 order of keys in unread objects", `{"z":{"b":1,"a":2},"m":{"b":1,"a":2}}`, `[{"op":"add","path":"/m/c","value":3}]`,
			`{"m":{"a":2,"b":1,"c":3},"z":{"b":1,"a":2}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, refused := apply(t, ops, row.body, row.old)
			if row.want == "" {
				require.Equal(t, rejected, refused)
				return
			}
			require.Nil(t, refused)
			require.Equal(t, row.want, text)
		})
	}
}

// DEC-016: the limit counts the bytes of the text as written.
func TestCopiedBytes(t *testing.T) {
	copies := "[" + strings.Repeat(`{"op":"copy","from":"/a","path":"/b"},`, 2) + `{"op":"copy","from":"/a","path":"/b"}]`
	old := func(n int) string { return `{"a":"` + strings.Repeat("x", n) + `"}` }
	_, refused := apply(t, ops, copies, old(1<<20-2))
	require.Nil(t, refused)
	_, refused = apply(t, ops, copies, old(1<<20-1))
	require.Equal(t, rejected, refused)

	escaped := func(n int) string {
		return `[{"op":"add","path":"/a","value":"` + strings.Repeat("<", n) + `"},{"op":"copy","from":"/a","path":"/b"}]`
	}
	_, refused = apply(t, ops, escaped(3<<20/6-1), "{}")
	require.Nil(t, refused)
	_, refused = apply(t, ops, escaped(3<<20/6), "{}")
	require.Equal(t, rejected, refused)
}

// DEC-007: a result that is nested too deeply cannot be written. One level more than a server decodes can be written.
func TestDepthOfResult(t *testing.T) {
	const old = `{"a":{"b":{"c":{}}}}`
	put := func(depth int) string {
		return `{"op":"add","path":"/a/b/c/d","value":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
	}
	_, refused := apply(t, ops, "["+put(9997)+"]", old)
	require.Nil(t, refused)
	_, refused = apply(t, ops, "["+put(9998)+"]", old)
	require.Equal(t, rejected, refused)
	text, refused := apply(t, ops, "["+put(9998)+`,{"op":"remove","path":"/a/b/c/d"}]`, old)
	require.Nil(t, refused)
	require.Equal(t, old, text)

	// Repeatedly moving one nested value into another is refused in the end, and does not overflow the stack.
	var body strings.Builder
	body.WriteString("[" + put(9000))
	for range 20 {
		body.WriteString(`,{"op":"add","path":"/n","value":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) +
			`},{"op":"move","from":"/a","path":"/n` + strings.Repeat("/0", 4000) + `/0"},{"op":"move","from":"/n","path":"/a"}`)
	}
	body.WriteString("]")
	_, refused = apply(t, ops, body.String(), old)
	require.Equal(t, rejected, refused)
}

// FuzzOperations: nothing panics, old is not modified, Apply and ApplyStrict agree, and the result is JSON as a server
// writes it.
func FuzzOperations(f *testing.F) {
	f.Add(`{"a":{"b":[1,null]}}`, `[{"op":"copy","from":"/a","path":"/a/b/0"},{"op":"test","path":"/a/b/0","value":{"b":[1]}}]`)
	f.Add(`{"a":[{"<":"\u2028"}]}`, `[{"op":"move","from":"x/a/-1","path":"/~01"},{"op":"remove","path":"/~01/<"}]`)
	f.Add(`{}`, `[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/c","value":1}]`)
	f.Add(`{"":{}}`, `[{"op":"replace","path":"","value":[ 1e400, {"a":1, "a":2} ]}, {"op":"replace","path":"/1/a"}]`)
	f.Fuzz(func(t *testing.T, old, body string) {
		p, refused := patch.Accept(ops, []byte(body))
		if refused != nil {
			return
		}
		oldBytes := []byte(old)
		text, refused := p.Apply(oldBytes)
		strict, _, refusedStrict := p.ApplyStrict(oldBytes)
		require.Equal(t, old, string(oldBytes))
		if refused != nil {
			require.NotNil(t, refusedStrict)
			return
		}
		if refusedStrict == nil {
			require.Equal(t, string(text), string(strict))
		}
		require.True(t, json.Valid(text), "%s", text)
		require.Equal(t, string(given.JSON(t, json.RawMessage(text))), string(text))
	})
}

// DEC-007: a copy is written at once, so it fails if it is too deep. A server accepts it if the copy and its source are
// removed later.
func TestCopyOfWhatIsTooDeep(t *testing.T) {
	const old = `{"a":{"b":{"c":{}}}}`
	body := func(depth int) string {
		return `[{"op":"add","path":"/a/b/c/d","value":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `},` +
			`{"op":"copy","from":"/a","path":"/x"},{"op":"remove","path":"/x"},{"op":"remove","path":"/a/b/c/d"}]`
	}
	text, refused := apply(t, ops, body(9990), old)
	require.Nil(t, refused)
	require.Equal(t, old, text)
	_, refused = apply(t, ops, body(9998), old)
	require.Equal(t, rejected, refused)
}
