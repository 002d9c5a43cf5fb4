package jsonscan_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v2"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// documents returns the JSON of each document, and whether the stream was not declined.
func documents(data string) (all []string, ok bool) {
	r := jsonscan.NewYAML([]byte(data))
	for text, ok := r.Next(); ok; text, ok = r.Next() {
		all = append(all, string(text))
	}
	return all, !r.Declined()
}

func TestYAMLNext(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"comments and marks", "# a\n\n---\n   # b\n--- \n", nil},
		{"mapping", "a: b\nc: d\n", []string{`{"a":"b","c":"d"}`}},
		{"no line feed at the end", "a: b", []string{`{"a":"b"}`}},
		{"an indented document", "  a: b\n  c: d\n", []string{`{"a":"b","c":"d"}`}},
		{"documents", "---\na: 1\n---\n\n---\nb: 2\n", []string{`{"a":1}`, `{"b":2}`}},
		{"nothing behind a key", "a:\nb:\n  c:\n# x\n", []string{`{"a":null,"b":{"c":null}}`}},
		{"sequences", "a:\n- b\n-\n- c: d\n  e:\n  - f\ng:\n  - - h\n    - i\n  -\n    - j\n", []string{`{"a":["b",null,{"c":"d","e":["f"]}],"g":[["h","i"],["j"]]}`}},
		{"empty collections", "a: {}\nb: [ ] # c\nd:\n- {}\n", []string{`{"a":{},"b":[],"d":[{}]}`}},
		{"keys", "x-y.z/w$: 1\n\"yes\": 2\n'a b: c': 3\n\"\": 4\n", []string{`{"x-y.z/w$":1,"yes":2,"a b: c":3,"":4}`}},
		{"a key twice", "a: 1\na: 2\n", []string{`{"a":1,"a":2}`}},
		{"comments", "# a\na: b # c\n  # d\nb: # e\n  c: 1#\n  d: 'x' # y\n", []string{`{"a":"b","b":{"c":"1#","d":"x"}}`}},
		{"nulls and booleans", "a: [ ]\nb: ~\nc: null\nd: yes\ne: Off\nf: n\n", []string{`{"a":[],"b":null,"c":null,"d":true,"e":false,"f":false}`}},
		{"texts that look like something", "a: yess\nb: 10m\nc: 1.2.3\nd: .spec.a\ne: nulls\nf: 5 of 6\ng: .\nh: -1\ni: http://x:y\nj: ./...\nk: ._5\n",
			[]string{`{"a":"yess","b":"10m","c":"1.2.3","d":".spec.a","e":"nulls","f":"5 of 6","g":".","h":-1,"i":"http://x:y","j":"./...","k":"._5"}`}},
		{"texts that begin with a number", "a: 15d\nb: 5 of 6\nc: 10f\nd: 1a\n", []string{`{"a":"15d","b":"5 of 6","c":"10f","d":"1a"}`}},
		{"options", "a:\n- --leader-elect\n- -v=2\n- -mod readonly\n- -1\n- -a\n- -z\n- -A\n- -Z\n",
			[]string{`{"a":["--leader-elect","-v=2","-mod readonly",-1,"-a","-z","-A","-Z"]}`}},
		{"folded plain text", "a: b  \n  c\n\n\n  - d \"e\\\"\n   f:g\nb:\n- g\n  h\n", []string{`{"a":"b c\n\n- d \"e\\\" f:g","b":["g h"]}`}},
		{"quotes", "a: \"b\\n\\t\\\"\\\\ \\ c'\"\nb: 'it''s \\n \"x\"'\n",
			[]string{`{"a":"b\n\t\"\\  c'","b":"it's \\n \"x\""}`}},
		{"folded quotes", "a: \"b \n   c\\\n   \\ d \\\n   e\n\n   f\"\nb: 'g\n\n  h'\n", []string{`{"a":"b c d e\nf","b":"g\nh"}`}},
		{"literal", "a: |\n  b\n    c \"\n\n  # d\n\nb: |-\n    e\n\n\nc: |+\n f\n\n\nd: g\n", []string{`{"a":"b\n  c \"\n\n# d\n","b":"e","c":"f\n\n\n","d":"g"}`}},
		{"literals in a sequence", "a:\n- |\n b\tc\n- |-\n  d\n", []string{`{"a":["b\tc\n","d"]}`}},
		{"literal with blanks", "a: |\n\n  b\n     \n   \n", []string{`{"a":"\nb\n   \n \n"}`}},
	} {
		got, ok := documents(r.text)
		require.True(t, ok, r.name)
		require.Equal(t, r.want, got, r.name)
		agree(t, r.text, got)
	}
}

// agree compares documents with what the library makes of them.
func agree(t *testing.T, data string, got []string) {
	t.Helper()
	want := library(t, data)
	require.Len(t, got, len(want), "%q", data)
	for i := range got {
		require.True(t, json.Valid([]byte(got[i])), "%q: %s", data, got[i])
		require.JSONEq(t, want[i], got[i], "%q", data)
	}
}

func library(t *testing.T, data string) (all []string) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(data))
	for {
		var v any
		err := d.Decode(&v)
		if err == io.EOF {
			return all
		}
		require.NoError(t, err, "%q", data)
		if v == nil {
			continue
		}
		text, err := json.Marshal(textKeys(t, v))
		require.NoError(t, err)
		all = append(all, string(text))
	}
}

func textKeys(t *testing.T, v any) any {
	t.Helper()
	switch x := v.(type) {
	case map[any]any:
		out := make(map[string]any, len(x))
		for k, v := range x {
			require.IsType(t, "", k)
			out[k.(string)] = textKeys(t, v)
		}
		return out
	case []any:
		for i := range x {
			x[i] = textKeys(t, x[i])
		}
	}
	return v
}

func TestYAMLDeclines(t *testing.T) {
	for _, r := range []struct{ name, text string }{
		{"anchor", "a: &x b\n"},
		{"alias", "a: *x\n"},
		{"tag", "a: !!str b\n"},
		{"merge", "<<: {}\n"},
		{"directive", "%YAML 1.1\n---\na: b\n"},
		{"document's end", "a: b\n...\n"},
		{"text behind a mark", "--- a: b\n"},
		{"comment behind a mark", "--- # c\na: b\n"},
		{"JSON", `{"a": 1}`},
		{"open collection", "a: {\n"},
		{"a collection that is not empty", "a: [b]\n"},
		{"a mapping that is not empty", "a: {b: c}\n"},
		{"a collection of two lines", "a: [\n]\n"},
		{"text behind a collection", "a: [] c\n"},
		{"a collection as a key", "a: {}: d\n"},
		{"wrong end", "a: [}\n"},
		{"sequence", "- a\n"},
		{"text", "a\n"},
		{"text on a line of its own", "a:\n  b\n"},
		{"complex key", "? a\n: b\n"},
		{"two keys in a line", "a: b: c\n"},
		{"a colon at the end", "a: b:\n"},
		{"a sequence behind a key", "a: - b\n"},
		{"a dash behind a key", "a: -\n"},
		{"a key with a blank", "a b: c\n"},
		{"a key that is no text", "1: a\n"},
		{"a boolean key", "on: a\n"},
		{"a null key", "~: a\n"},
		{"a long key", strings.Repeat("a", 1100) + ": b\n"},
		{"a quoted key with an escape", "\"a\\n\": b\n"},
		{"no blank behind a key", "a:b\n"},
		{"wrong indentation", "a:\n    b: c\n  d: e\n"},
		{"wrong indentation of a sequence", "a:\n    - b\n  - c\n"},
		{"a key among items", "a:\n  - b\n  c: d\n"},
		{"an item among keys", "a: b\n- c\n"},
		{"farther in than the one before", "a: 'b'\n  c: d\n"},
		{"text behind a comment", "a: b # c\n  d\n"},
		{"text below a comment", "a: b\n  # c\n  d\n"},
		{"text behind quotes", "a: 'b' c\n"},
		{"comment without a blank", "a: 'b'#c\n"},
		{"open quotes", "a: 'b\n"},
		{"open quotes before a mark", "a: 'b\n---\nc'\n"},
		{"quotes that go on at the key's column", "a: 'b\nc'\n"},
		{"unknown escape", "a: \"\\z\"\n"},
		{"surrogate", "a: \"\\ud83d\\ude00\"\n"},
		{"escaped number", "a: \"\\x41\"\n"},
		{"escaped blank at a line's end", "a: \"b\\ \n  c\"\n"},
		{"tab", "a:\tb\n"},
		{"tab in a text", "a: b\tc\n"},
		{"tab in quotes", "a: \"b\tc\"\n"},
		{"tab before a literal", "a: |\n\tb\n"},
		{"tab in the indentation of a literal", "a: |\n  b\n \tc\n"},
		{"carriage return", "a: b\r\n"},
		{"other break", "a: b\u0085\n"},
		{"line separator", "a: b\u2028\n"},
		{"byte order mark", "\uFEFFa: b\n"},
		{"control character", "a: b\x01\n"},
		{"invalid UTF-8", "a: \xff\n"},
		{"float", "a: 1.5\n"},
		{"integral float", "a: 1.0\n"},
		{"negative integral float", "a: -0.0\n"},
		{"float with a point at the end", "a: 1.\n"},
		{"float of many digits", "a: 123456789012345.5\n"},
		{"float of many digits behind the point", "a: 0.123456789012345\n"},
		{"float with an underscore", "a: 1.5_0\n"},
		{"float with a leading zero", "a: 01.5\n"},
		{"float with a plus", "a: +1.5\n"},
		{"perhaps an exponent", "a: 2e\n"},
		{"perhaps of another base", "a: 0d\n"},
		{"minus and an underscore", "a: -_1\n"},
		{"float without digits before the point", "a: .5\n"},
		{"exponent", "a: 1e3\n"},
		{"octal", "a: 010\n"},
		{"hexadecimal", "a: 0x1F\n"},
		{"binary", "a: 0b1\n"},
		{"minus zero", "a: -0\n"},
		{"plus", "a: +1\n"},
		{"underscores", "a: 1_000\n"},
		{"base 60", "a: 1:30\n"},
		{"date", "a: 2020-01-01\n"},
		{"infinity", "a: -.inf\n"},
		{"no number", "a: .nan\n"},
		{"large integer", "a: 9223372036854775808\n"},
		{"integer that goes on", "a: 12\n  b\n"},
		{"indentation indicator", "a: |2\n  b\n"},
		{"empty literal", "a: |\nb: c\n"},
		{"literal without a line feed at its end", "a: |\n  b"},
		{"empty line that is wider than the literal", "a: |\n    \n  b\n"},
		{"a key in a text", "a: b\n  c:\n"},
		{"folded block", "a: >\n  b\n  c\n"},
		{"too deep", deepYAML(600)},
	} {
		_, ok := documents(r.text)
		require.False(t, ok, r.name)
	}
}

func deepYAML(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// What is not declined is what the library makes of it.
func FuzzYAMLNext(f *testing.F) {
	for _, s := range []string{
		"a: b\nc:\n- d\n- e: |-\n    f\n    g\n  h: 'i''j'\n", "a: \"b\\\n  c\\u00e4\n\n  d\"\n---\ne: f\n  g\n\n  h # i\n",
		"a: >+\n\n  b\n  c\n\n\nd: 12\ne: -3\nf: 1.2.3\ng: 10%\nh: .x\ni: {}\nj: [ ]\n", "a:\n  b:\n    - - c\n      - d: e\n        f:\n  g: ~\n\"x y\": on\n",
		"a: {b: [c, 'd', \"e\\n\"], f: 12, g: h:i j}\nk:\n- {l: {}}\n", "a: [b ,c,  d ]\n",
		"a: {rule: self.a >= self['b'] && c!=d, e: 1e3, f: 3d, g: 0d, h: 1x}\nb: 3d\nc: 1e\n", "a: 0.25\nb: -0.5\nc: 1.0\nd: [-1.5, -x, --y]\ne: -n\nf: -0b1\n", "a: - b\n", "a: ? b\n", "- a: b\n", "a: 2001-12-14 21:59:43\n", "a: -.inf\n", "a: 0o7\n", "a: |\n   \n  b\n   c\n \n# d\n",
		"a: |\n  \tb\n\n  \t\n", "a: 'b\n  \tc'\n", "a: b \n  c\td\n", "a: >-\n  b \n  c\n", "a: \"b \\\n   \\ c \n\n d\"\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if got, ok := documents(data); ok {
			agree(t, data, got)
		}
	})
}
