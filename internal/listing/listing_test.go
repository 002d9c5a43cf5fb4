package listing

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/given"
	"github.com/crdkit/crdkit/internal/jsonval"
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

func TestYAMLOfNothing(t *testing.T) {
	require.Equal(t, "{}\n", YAML(map[string]any{}))
}

func FuzzYAML(f *testing.F) {
	f.Add(`{"a": [[1, {"b": "c: d"}], "yes", "1", 1.5, null, {}], "": {"x y": [], "\n": "\u0000 é"}, "n": "- a"}`)
	f.Fuzz(func(t *testing.T, text string) {
		obj, err := unstructured.DecodeJSON([]byte(text))
		if err != nil {
			t.Skip()
		}
		back, err := unstructured.Decode([]byte(YAML(obj)))
		if stored, _ := jsonval.Stored(obj); len(obj) > 0 {
			require.NoError(t, err, YAML(obj))
			got, _ := jsonval.Stored(back)
			require.Equal(t, stored, got, YAML(obj))
		}
	})
}

// Deep values with much in them are not printed.
func TestYAMLTooLong(t *testing.T) {
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
	require.NotEmpty(t, YAML(nested(1000)))
	require.Empty(t, YAML(nested(5000)))
}
