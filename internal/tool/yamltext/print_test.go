package yamltext

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

func at(steps ...any) []field.Segment {
	var out []field.Segment
	for _, s := range steps {
		if i, ok := s.(int); ok {
			out = append(out, field.Segment{Index: i, IsIndex: true})
		} else {
			out = append(out, field.Segment{Key: s.(string)})
		}
	}
	return out
}

func TestPrint(t *testing.T) {
	obj := given.Object(t, `
spec: {size: 11, tags: [a, "", "yes"], ports: [{name: http, port: 80}, {port: 1.5}], none: [], empty: {}, nested: [[1, [2]]], "a.b/c": null}
metadata: {name: x, annotations: {"1": "a: b"}}
kind: Widget
status: {ready: true}`)
	got := Print(obj, "\t", []Mark{
		{At: at("spec", "size"), Fail: true}, {At: at("spec", "ports", 1), Fail: true}, {At: at("spec", "ports", 0, "protocol"), Fail: true},
		{At: at("status"), Note: "default"}, {At: at("spec", "tags", 7), Fail: true}, {At: at("spec", "nested", 0, 1, 0), Fail: true},
		{At: at("spec", "tags", 1), Note: "default"},
	})
	require.Equal(t, strings.TrimPrefix(`
	  kind: Widget
	  metadata:
	    annotations:
	      "1": "a: b"
	    name: x
	  spec:
	    a.b/c: null
	    empty: {}
	    nested:
	      - - 1
	>       - - 2
	    none: []
	    ports:
	>     - name: http
	        port: 80
	>     - port: 1.5
	>   size: 11
	>   tags:
	      - a
	      - ""  # default
	      - "yes"
	  status:  # default
	    ready: true
`, "\n"), got)

	long := map[string]any{"text": strings.Repeat("x", 500)}
	require.Contains(t, Print(long, "", nil), "(500 bytes)")
	many := make([]any, 2*maxLines)
	require.LessOrEqual(t, strings.Count(Print(many, "", []Mark{{At: at(2*maxLines - 1), Fail: true}}), "\n"), maxLines+1)
	require.Equal(t, "(an object too deep to print)\n", Print(given.Loop(), "", nil))
}

// words are strings that some version of YAML reads as something else than a string, or that are hard to write.
var words = []string{
	"", " ", "a", "y", "n", "Y", "N", "yes", "No", "on", "OFF", "true", "False", "null", "Null", "~", "<<", "=", "1", "-1", "+1", "1.5", "1e3", "1E+3",
	"0x1F", "0o17", "017", "0b11", "1_000", "190:20:30", "190:20:30.15", ".5", "5.", ".inf", "-.Inf", ".NaN", "2001-01-01", "2001-12-14t21:59:43.10-05:00",
	"-", "- a", "?", "? a", ":", "a:", "a: b", ":a", "#", "# a", "a #b", "&a", "*a", "!a", "!!str a", "|", ">", "%", "@", "`", "'", "\"", "'a'", "\"a\"", "{", "}", "[", "]",
	"{}", "[]", ",", "a, b", "---", "--- a", "...", "\t", "a\tb", "\ta", " a", "a ", "a\n", "a\nb", "a\nb\n", "a\n\nb", "a\nb\n\n", " a\nb", "a\n b", "a\nb ",
	"a\n- b\n", "a\n# b\n", "\n", "\n\n", "\na", "a\r", "a\r\nb", "\u0000", "\u0007", "\u007f", "\u0085", "a\u0085b", "\u00a0", "\u2028", "\u2029", "\ufeff", "a\ufeff",
	"\ufffd", "\ufffe", "\U0001f600", "\u202e", "é", "日本語", strings.Repeat("x", 200), strings.Repeat("a b ", 60), strings.Repeat("é", 130), "\\", "a\\nb",
}

// TestRoundTrip reads everything that Encode prints, as a server does.
func TestRoundTrip(t *testing.T) {
	numbers := []any{int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), 0.5, -1.5, 1e21, 1e-7, 1e100, math.MaxFloat64, nil, true, false}
	items := []any{map[string]any{}, []any{}, []any{[]any{}}, []any{map[string]any{}}}
	items = append(items, numbers...)
	for _, w := range words {
		items = append(items, w)
		roundTrip(t, map[string]any{w: w})
		roundTrip(t, map[string]any{w: map[string]any{w: []any{w}}})
		roundTrip(t, map[string]any{"a": []any{map[string]any{w: map[string]any{"b": "1"}, "c": "2"}}})
		roundTrip(t, map[string]any{"a": []any{map[string]any{w: []any{w, []any{w}}, "zz": w}, []any{[]any{w, w}, w}}})
	}
	roundTrip(t, map[string]any{"items": items})
	for _, v := range items {
		roundTrip(t, map[string]any{"v": v})
		roundTrip(t, map[string]any{"v": []any{v, v}})
		roundTrip(t, map[string]any{"v": []any{map[string]any{"a": v, "b": v}}})
		roundTrip(t, map[string]any{"v": []any{[]any{map[string]any{"a": map[string]any{"x": v}, "b": v}}}})
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		roundTrip(t, map[string]any{"apiVersion": "v1", "v": random(rnd, 5)})
	}
}

// random returns a random value of at most depth levels.
func random(rnd *rand.Rand, depth int) any {
	word := func() string { return words[rnd.IntN(len(words))] }
	switch kind := rnd.IntN(8); {
	case depth > 0 && kind < 3:
		m := map[string]any{}
		for range rnd.IntN(4) {
			m[word()] = random(rnd, depth-1)
		}
		return m
	case depth > 0 && kind < 5:
		l := make([]any, rnd.IntN(4))
		for i := range l {
			l[i] = random(rnd, depth-1)
		}
		return l
	case kind == 5:
		return rnd.Int64() >> rnd.IntN(64)
	case kind == 6:
		return rnd.NormFloat64()
	}
	return word()
}

// roundTrip requires that a server reads obj, printed, as obj.
func roundTrip(t *testing.T, obj map[string]any) {
	t.Helper()
	text := Encode(obj)
	back, err := unstructured.Decode([]byte(text))
	require.NoError(t, err, text)
	require.Equal(t, obj, back, text)
}

// Lines that a CI service may take for commands are in quotes.
func TestEncodeCommands(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb": "a: |-\n  a\n  b\n", "a\n::error::b": `a: "a\n::error::b"` + "\n", "a\n ##[group]b": `a: "a\n ##[group]b"` + "\n",
		"a\nx##vso[y]": `a: "a\nx##vso[y]"` + "\n",
	} {
		require.Equal(t, want, Encode(map[string]any{"a": text}))
	}
}

func TestEncodeNothing(t *testing.T) {
	require.Equal(t, "{}\n", Encode(map[string]any{}))
}

func FuzzEncode(f *testing.F) {
	f.Add(`{"a": [[1, {"b": "c: d"}], "yes", "1", 1.5, null, {}], "": {"x y": [], "\n": "\u0000 é"}, "n": "- a"}`)
	f.Fuzz(func(t *testing.T, text string) {
		obj, err := unstructured.DecodeJSON([]byte(text))
		if err != nil {
			t.Skip()
		}
		back, err := unstructured.Decode([]byte(Encode(obj)))
		if stored, _ := jsonval.Stored(obj); len(obj) > 0 {
			require.NoError(t, err, Encode(obj))
			got, _ := jsonval.Stored(back)
			require.Equal(t, stored, got, Encode(obj))
		}
	})
}

// Deep values with much in them are not printed.
func TestEncodeTooLong(t *testing.T) {
	wide := map[string]any{}
	for i := range 20_000 {
		wide[strconv.Itoa(i)] = int64(i)
	}
	nested := func(depth int) any {
		var v any = wide
		for range depth {
			v = map[string]any{"a": v}
		}
		return v
	}
	require.NotEmpty(t, Encode(nested(1000)))
	require.Empty(t, Encode(nested(5000)))
}

// A key is one line, which YAML reads as the same key.
func TestKeys(t *testing.T) {
	for _, key := range []string{"a", "a b", "", "null", "é", "a: b", "::error", "a\nb", strings.Repeat("x y ", 100)} {
		text := Key(key)
		require.NotContains(t, text, "\n")
		var read yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte("? "+text), &read), text)
		require.Equal(t, key, read.Content[0].Content[0].Value)
	}
}
