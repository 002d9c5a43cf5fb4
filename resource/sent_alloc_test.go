//go:build !race

package resource_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A create of an object as a client sends it, without a generation and without most defaults, allocates little more
// than its result: from a body the maps, lists and strings of the object, and otherwise only the maps and lists on the
// way to a default.
func TestAsSentAllocs(t *testing.T) {
	v := compile(t, strings.Replace(gadgets, "free: {type: object,", "list: {type: array, items: {type: object, properties: {a: {type: string}, "+
		"b: {type: string, default: bb}, c: {type: object, default: {}, properties: {d: {type: integer, default: 5}}}}}}\n              free: {type: object,", 1)).Version("v1")
	requireFewAllocs(t, "gadget", v, []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns"},"spec":{"replicas":2,`+
		`"list":[{"a":"x"},{"a":"y","b":"z"},{},{"a":"x","b":"bb","c":{"d":1}}],"free":{"x":[1,2,3]}}}`))
}

// TestAsSentAllocsOfObjects makes the same checks for the objects and definitions that the directory CRDKIT_OBJECTS
// lists.
func TestAsSentAllocsOfObjects(t *testing.T) {
	dir := os.Getenv("CRDKIT_OBJECTS")
	if dir == "" {
		t.Skip("CRDKIT_OBJECTS names no directory of objects")
	}
	list, err := os.ReadFile(filepath.Join(dir, "objects.tsv"))
	require.NoError(t, err)
	for line := range strings.Lines(string(list)) {
		object, definition, ok := strings.Cut(strings.TrimSpace(line), "\t")
		require.True(t, ok, line)
		data, err := os.ReadFile(filepath.Join(dir, "..", "conformance", "random", "crds", definition))
		require.NoError(t, err)
		d, err := crd.Parse(data)
		require.NoError(t, err)
		r, err := resource.Compile(d)
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(dir, object))
		require.NoError(t, err)
		body, err := unstructured.YAMLToJSON(text)
		require.NoError(t, err)
		requireFewAllocs(t, object, r.StorageVersion(), body)
	}
}

func requireFewAllocs(t *testing.T, name string, v *resource.Version, body []byte) {
	sent, err := unstructured.DecodeJSON(body)
	require.NoError(t, err)
	result := v.CreateBody(t.Context(), body)
	require.NoError(t, result.Err(), name)
	fromBody := testing.AllocsPerRun(20, func() { v.CreateBody(t.Context(), body) })
	most := parts(result.Object) + 12
	require.LessOrEqual(t, fromBody, most, "%s, from a body", name)

	decoded := testing.AllocsPerRun(20, func() { v.Create(t.Context(), sent) })
	changed := copied(result.Object, sent) + 4
	require.LessOrEqual(t, decoded, changed, "%s, decoded", name)
	t.Logf("%-24s from a body %5.0f of %5.0f, decoded %4.0f of %4.0f", name, fromBody, most, decoded, changed)
}

// parts returns how many allocations the maps, lists, strings and large numbers of v take. A list in an interface takes
// two: its items and its header, as a long string does.
func parts(v any) (n float64) {
	switch x := v.(type) {
	case map[string]any:
		n = mapAllocs(x)
		for _, e := range x {
			n += parts(e)
		}
	case []any:
		n = 2
		for _, e := range x {
			n += parts(e)
		}
	case string:
		if n = 1; len(x) > 256 {
			n = 2
		}
	case float64:
		n = 1
	case int64:
		if x < 0 || x > 255 {
			n = 1
		}
	}
	return n
}

// copied returns how many allocations the maps and lists of v take that are not equal to those of old.
func copied(v, old any) (n float64) {
	if reflect.DeepEqual(v, old) {
		return 0
	}
	switch x := v.(type) {
	case map[string]any:
		y, _ := old.(map[string]any)
		n = mapAllocs(x)
		for k, e := range x {
			n += copied(e, y[k])
		}
	case []any:
		y, _ := old.([]any)
		n = 2
		for i, e := range x {
			if i < len(y) {
				n += copied(e, y[i])
			} else {
				n += copied(e, nil)
			}
		}
	}
	return n
}

// mapAllocs returns how many allocations a copy of m takes.
func mapAllocs(m map[string]any) float64 {
	return testing.AllocsPerRun(3, func() { _ = maps.Clone(m) })
}
