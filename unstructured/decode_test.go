package unstructured_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

func TestDecode(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       map[string]any
	}{
		{"JSON", ` {"a":1,"b":1.0}`, map[string]any{"a": int64(1), "b": 1.0}},
		{"DEC-010 YAML", "a: 1\nb: 1.0\nc: 1.5", map[string]any{"a": int64(1), "b": int64(1), "c": 1.5}},
		{"JSON is read as JSON", "{\"a\":\"\u0085\",\"b\":\"\\ud83d\\ude00\\/\"}", map[string]any{"a": "\u0085", "b": "\U0001F600/"}},
		{"JSON with a byte order mark", "\uFEFF{\"a\":1.0}", map[string]any{"a": 1.0}},
		{"YAML with a byte order mark", "\uFEFFa: 1.0", map[string]any{"a": int64(1)}},
		{"flow mapping", "{a: 1, b: }", map[string]any{"a": int64(1), "b": nil}},
		{"comment before a brace", "# c\n{\"a\":1.0}", map[string]any{"a": int64(1)}},
		{"empty object", "{}", map[string]any{}},
		{"empty documents around it", "---\n# c\n---\na: 1\n---\n---\n", map[string]any{"a": int64(1)}},
		{"JSON and a separator", "---\n{\"a\":\"\u0085\"}\n---\n", map[string]any{"a": " "}},
		{"JSON before a separator", "{\"a\":\"\u0085\"}\n---\n", map[string]any{"a": "\u0085"}},
		{"three dashes in a text", "a: |\n  ---\n  b", map[string]any{"a": "---\nb"}},
		{"DEC-005 the last of two keys", "a: 1\na: 2", map[string]any{"a": int64(2)}},
		{"10 MB of text", `{"a":"` + strings.Repeat("x", 10<<20) + `"}`, map[string]any{"a": strings.Repeat("x", 10<<20)}},
		{"10 MB of text in YAML", "a: " + strings.Repeat("x", 10<<20), map[string]any{"a": strings.Repeat("x", 10<<20)}},
	} {
		got, err := unstructured.Decode([]byte(r.text))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, got, r.name)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, r := range []struct{ name, text, want string }{
		{"nothing", "", "no object: the text is empty or null"},
		{"blanks, of which YAML allows no tab", " \n\t", "no object: the text is empty or null"},
		{"null", "null", "no object: the text is empty or null"},
		{"comment", "# c\n---\n~\n", "no object: the text is empty or null"},
		{"list", "- a", "document 1 is an array, not an object"},
		{"JSON list", `[{"a":1}]`, "document 1 is an array, not an object"},
		{"string", "a", "document 1 is a string, not an object"},
		{"number", "5", "document 1 is a number, not an object"},
		{"boolean", "yes", "document 1 is a boolean, not an object"},
		{"second document", "a: 1\n---\nb: 2\n", "2 objects instead of one"},
		{"second document broken", "a: 1\n---\n]", "document 2: yaml: line 2: did not find expected node content"},
		{"after the document's end", "a: 1\n...\nb: [", "document 2: yaml: line 2: did not find expected <document start>"},
		{"second object", `{"a":1} {"b":2}`, "2 objects instead of one"},
		{"DEC-008 after the object", "{\"a\":1}\nx", "neither JSON (document 2: line 2: invalid character 'x' looking for an object) " +
			"nor YAML (document 2: yaml: line 1: did not find expected <document start>)"},
		{"neither", "{\"a\":\n1", "neither JSON (document 1: line 2: unexpected end of JSON input) " +
			"nor YAML (document 1: yaml: line 2: did not find expected ',' or '}')"},
		{"neither, a line further", "{\"a\":1,\n\"b\":[\n1}]}", "neither JSON (document 1: line 3: invalid character '}' after array element) " +
			"nor YAML (document 1: yaml: line 2: did not find expected ',' or ']')"},
		{"DEC-004 no float64, also not by YAML", `{"a":1e400}`,
			"document 1: json: cannot unmarshal number 1e400 into Go value of type float64"},
		{"DEC-004 no float64, second object", `{"a":1}{"a":1e400}`,
			"document 2: json: cannot unmarshal number 1e400 into Go value of type float64"},
		{"DEC-010 infinity", "a: .inf", "document 1: json: unsupported value: +Inf"},
		{"DEC-010 null key", "~: 1", "document 1: unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"},
		{"DEC-010 invalid UTF-8", "a: \xff", "document 1: yaml: invalid leading UTF-8 octet"},
		{"DEC-007 depth", `{"a":` + brackets(100_000) + `}`, "neither JSON (document 1: line 1: invalid character '[' exceeded max depth) " +
			"nor YAML (document 1: yaml: exceeded max depth of 10000)"},
		{"DEC-007 depth by aliases", "a: &x " + brackets(6000) + "\nb: " + strings.Repeat("[", 6000) + "*x" + strings.Repeat("]", 6000),
			"document 1: invalid character '[' exceeded max depth"},
	} {
		got, err := unstructured.Decode([]byte(r.text))
		require.EqualError(t, err, "unstructured: "+r.want, r.name)
		require.Nil(t, got, r.name)
		got, findings, err := unstructured.DecodeStrict([]byte(r.text))
		require.EqualError(t, err, "unstructured: "+r.want, r.name)
		require.Nil(t, got, r.name)
		require.Nil(t, findings, r.name)
	}
}

// TestDecodeStrict: DEC-005, DEC-011.
func TestDecodeStrict(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       []string
	}{
		{"JSON without", `{"a":1}`, nil},
		{"YAML without", `a: 1`, nil},
		{"JSON", `{"spec":{"i":1,"i":2}}`, []string{`duplicate field "spec.i"`}},
		{"JSON and a separator", "{\"i\":1,\"i\":2}\n---\n", []string{`duplicate field "i"`}},
		{"YAML", "# c\n---\nspec:\n  i: 1\n  i: 2", []string{"yaml: unmarshal errors:\n  line 5: key \"i\" already set in map"}},
	} {
		obj, findings, err := unstructured.DecodeStrict([]byte(r.text))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, findings, r.name)
		plain, err := unstructured.Decode([]byte(r.text))
		require.NoError(t, err, r.name)
		require.Equal(t, plain, obj, r.name)
	}
}

func TestDecodeAll(t *testing.T) {
	a, b := map[string]any{"a": int64(1)}, map[string]any{"b": 1.5}
	for _, r := range []struct {
		name, text string
		want       []map[string]any
	}{
		{"nothing", "", nil},
		{"nulls and comments", "---\n# c\n---\nnull\n---\n~\n", nil},
		{"one", "a: 1", []map[string]any{a}},
		{"several", "a: 1\n---\nb: 1.5\n--- # c\na: 1\n", []map[string]any{a, b, a}},
		{"empty ones between", "---\na: 1\n---\n\n---\n# c\n---\nb: 1.5\n---\n", []map[string]any{a, b}},
		{"document end and directive", "a: 1\n...\n%YAML 1.1\n---\nb: 1.5", []map[string]any{a, b}},
		{"object beside the separator", "a: 1\n--- {b: 1.5}", []map[string]any{a, b}},
		{"carriage returns", "a: 1\r\n---\r\nb: 1.5\r\n", []map[string]any{a, b}},
		{"JSON, side by side", `{"a":1}{"b":1.5}`, []map[string]any{a, b}},
		{"JSON, with separators", "{\"a\":1}\n---\n---\n{\"b\":1.5}\n---\n", []map[string]any{a, b}},
		{"JSON, then YAML", "{\"a\":1}\n---\nb: 1.5", []map[string]any{a, b}},
		{"YAML, then JSON", "a: 1\n---\n{\"b\":1.5}", []map[string]any{a, b}},
		{"JSON numbers in all of a stream", `{"a":1}{"b":1.0}`, []map[string]any{a, {"b": 1.0}}},
		{"anchors end with their document", "a: &x 1\n---\nb: &x 1.5", []map[string]any{a, b}},
		{"a List stays a List", `{"kind":"List","items":[{"a":1}]}`, []map[string]any{{"kind": "List", "items": []any{a}}}},
	} {
		got, err := unstructured.DecodeAll([]byte(r.text))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, got, r.name)
	}
	for _, r := range []struct{ name, text, want string }{
		{"no object", "a: 1\n---\n- b", "document 2 is an array, not an object"},
		{"empty ones count", "---\n---\n---\n{~: 1}", "document 3: unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"},
		{"line of the file", "a: 1\n---\nb: 1\n---\nc:\n  d: e: f", "document 3: yaml: line 6: mapping values are not allowed in this context"},
		{"anchor of another document", "a: &x 1\n---\nb: *x", "document 2: yaml: unknown anchor 'x' referenced"},
	} {
		got, err := unstructured.DecodeAll([]byte(r.text))
		require.EqualError(t, err, "unstructured: "+r.want, r.name)
		require.Nil(t, got, r.name)
	}
}

func BenchmarkDecode(b *testing.B) {
	const object = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"a":"b"}},` +
		`"spec":{"replicas":3,"ports":[{"name":"http","port":80},{"name":"https","port":443}],"ratio":0.5}}`
	for _, r := range []struct {
		name string
		f    func([]byte) (map[string]any, error)
	}{
		{"json", unstructured.Decode},
		{"json-strict", func(data []byte) (map[string]any, error) {
			obj, _, err := unstructured.DecodeStrict(data)
			return obj, err
		}},
		{"yaml", func(data []byte) (map[string]any, error) { return unstructured.Decode(data) }},
	} {
		data := []byte(object)
		if r.name == "yaml" {
			data = append([]byte("# YAML\n"), data...)
		}
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.f(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
