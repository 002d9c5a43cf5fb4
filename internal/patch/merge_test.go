package patch_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

// PAT-002, and the text as in PAT-005.
func TestMerge(t *testing.T) {
	const lists = `{"l":[{"a":null,"b":[null,{"c":null}]}]}`
	for _, row := range []struct{ name, old, body, want string }{
		{"nothing", `{"b":1,"a":2}`, ` { } `, `{"a":2,"b":1}`},
		{"members are set, replaced and removed", `{"a":1,"b":2,"c":{"d":3,"e":4}}`, `{"a":5,"b":null,"c":{"d":null,"f":6}}`, `{"a":5,"c":{"e":4,"f":6}}`},
		{"null where there is nothing", `{}`, `{"a":null,"b":{"c":null}}`, `{"b":{}}`},
		{"a list over a list", `{"l":[1]}`, lists, `{"l":[{"b":[null,{}]}]}`},
		{"a list over a string", `{"l":"s"}`, lists, `{"l":[{"b":[null,{}]}]}`},
		{"a list over null", `{"l":null}`, lists, `{"l":[{"b":[null,{}]}]}`},
		{"a list over nothing", `{}`, lists, `{"l":[{"b":[null,{}]}]}`},
		{"a list over an object", `{"l":{"x":1}}`, lists, lists},
		{"a list over an object is not looked into", `{"l":{}}`, `{"l":[ {"b":1,"a":2,"b":3} ]}`, `{"l":[{"b":1,"a":2,"b":3}]}`},
		{"an object over a string", `{"o":"s"}`, `{"o":{"a":null,"b":{"c":null}}}`, `{"o":{"b":{}}}`},
		{"a scalar over an object", `{"o":{"a":1}}`, `{"o":5}`, `{"o":5}`},
		{"of repeated keys the last one counts", `{"a":{"x":1}}`, `{"a":{"y":1},"a":{"z":1,"z":2}}`, `{"a":{"x":1,"z":2}}`},
		{"numbers keep their text", `{"a":1}`, `{"a":1.0,"b":1e3,"c":-0,"d":12345678901234567890,"e":1e400}`,
			`{"a":1.0,"b":1e3,"c":-0,"d":12345678901234567890,"e":1e400}`},
		{"strings keep their escapes, except for HTML", `{}`, `{"a":"\u0041\/","<":"<&>` + "\u2028\u2029\u2030" + `","b":"\u003c"}`,
			`{"\u003c":"\u003c\u0026\u003e\u2028\u2029` + "\u2030" + `","a":"\u0041\/","b":"\u003c"}`},
		{"keys do not", `{"A":1}`, `{"\u0041":2,"\ud800":3}`, `{"A":2,"` + "\uFFFD" + `":3}`},
		{"bytes that are no UTF-8", `{}`, "{\"a\":\"\xff\xe2\",\"\xff\":1}", "{\"a\":\"\xff\xe2\",\"\uFFFD\":1}"},
		{"order of keys in unread objects", `{"z":{"b":1,"a":2},"m":{"b":{"d":1,"c":2},"a":3}}`, `{"m":{"x":1}}`,
			`{"m":{"a":3,"b":{"d":1,"c":2},"x":1},"z":{"b":1,"a":2}}`},
		{"a list as the whole, in Ignore", `{"a":1}`, `[{"a":null,"b":1},null,5]`, `[{"b":1},null,5]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, refused := apply(t, merge, row.body, row.old)
			require.Nil(t, refused)
			require.Equal(t, row.want, text)
		})
	}
}

// The work for a body of maximum depth is not quadratic in the depth.
func TestDeepMerge(t *testing.T) {
	nest := func(in string) string { return strings.Repeat(`{"a":`, 9998) + in + strings.Repeat("}", 9998) }
	text, refused := apply(t, merge, nest(`{"c":null,"d":[]}`), nest(`{"b":[1],"c":2}`))
	require.Nil(t, refused)
	require.Equal(t, nest(`{"b":[1],"d":[]}`), text)

	blanks := strings.Repeat(" ", 1<<20)
	text, refused = apply(t, merge, nest(blanks+"1"), "{}")
	require.Nil(t, refused)
	require.Equal(t, nest("1"), text)
}

// mergedSlowly is PAT-002 over decoded values.
func mergedSlowly(old, patch any) any {
	_, wasObject := old.(map[string]any)
	switch p := patch.(type) {
	case map[string]any:
		out := map[string]any{}
		if wasObject {
			out = maps.Clone(old.(map[string]any))
		}
		for k, v := range p {
			if v == nil {
				delete(out, k)
			} else {
				out[k] = mergedSlowly(out[k], v)
			}
		}
		return out
	case []any:
		if wasObject {
			return p
		}
		out := []any{}
		for _, v := range p {
			out = append(out, mergedSlowly(nil, v))
		}
		return out
	}
	return patch
}

func FuzzMerge(f *testing.F) {
	f.Add(`{"a":{"b":[{"c":null}]}}`, `{"a":{"b":[{"d":null,"e":[null]}]}}`)
	f.Add(`{"a":{"x":1}}`, `{"a":[{"c":null,"c":1}],"b":null}`)
	f.Add(`{"a":1.0}`, "{\"a\":1e3,\"\xff\":\"<\",\"\\u0061\":{\"a\":null}}")
	f.Add(`{}`, ` [ {"a" : null } , 1e400 ] `)
	f.Fuzz(func(t *testing.T, old, body string) {
		oldObj, err := unstructured.DecodeJSON([]byte(old))
		if err != nil || oldObj == nil {
			return
		}
		encoded, err := patch.Encode(oldObj)
		require.NoError(t, err)
		p, refused := patch.Accept(merge, []byte(body))
		if refused != nil {
			return
		}
		text, refused := p.Apply(encoded)
		strict, _, refusedStrict := p.ApplyStrict(encoded)
		if refused != nil {
			require.NotNil(t, refusedStrict)
			return
		}
		if refusedStrict != nil {
			return // not an object, or a number that cannot be decoded
		}
		require.Equal(t, string(text), string(strict))
		got := given.Object(t, text)
		patchObj := given.Object(t, body)
		oldObj = given.Object(t, encoded)
		require.True(t, jsonval.Equal(mergedSlowly(oldObj, patchObj), got), "%s", text)
	})
}
