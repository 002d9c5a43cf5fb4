package verdict_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/golden"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

const all = verdict.Schema | verdict.Embedded | verdict.Lists | verdict.Stored

// Where the verdict on everything is good, no operation has anything to do or to say. (That the verdict on the schema alone is exact
// is a test of package validate.)
func TestAllIsWell(t *testing.T) {
	well, missed := 0, 0
	for seed := range uint64(6000) {
		m := golden.NewMaker(seed)
		doc := m.Schema()
		s, obj := golden.Compile(t, doc), m.Object(doc)
		for _, obj := range []map[string]any{obj, stored(s, obj)} {
			ok := verdict.OK(s.Root, obj, all)
			switch idle := nothingToDo(s, obj); {
			case ok && rootIsCanonical(obj):
				require.Empty(t, idle, "schema %s\nobject %s", golden.JSON(doc), golden.JSON(obj))
				well++
			case !ok && idle == "":
				missed++
			}
			laws(t, s.Root, obj)
		}
	}
	require.Greater(t, well, 2000, "objects with nothing to do")
	require.Less(t, missed, well, "objects that the verdict sends the long way for nothing")
}

// stored returns an object as a server would keep it.
func stored(s *schema.Structural, obj map[string]any) map[string]any {
	c := embedded.Coercer{Drop: true}
	v, err := c.Coerce(s.Root, defaulting.Default(s, prune.Prune(s, obj)))
	if err != nil {
		return obj
	}
	v, _ = jsonval.Stored(v)
	return v.(map[string]any)
}

// rootIsCanonical reports whether the root's own fields, which are somebody else's affair, are in order.
func rootIsCanonical(obj map[string]any) bool {
	for _, k := range []string{"apiVersion", "kind"} {
		if v, ok := obj[k]; ok && schema.Of(v) != schema.KindString {
			return false
		}
	}
	meta, ok := obj["metadata"]
	return !ok || objectmeta.Canonical(meta)
}

// nothingToDo names an operation that has something to do, or nothing.
func nothingToDo(s *schema.Structural, obj map[string]any) string {
	var c embedded.Coercer
	coerced, err := c.Coerce(s.Root, obj)
	_, restored := jsonval.Stored(obj)
	switch {
	case !same(obj, prune.Prune(s, obj)):
		return "Prune"
	case !same(obj, defaulting.Default(s, obj)):
		return "Default"
	case !same(obj, defaulting.DropNulls(s, obj)):
		return "DropNulls"
	case err != nil || !same(obj, coerced):
		return "Coerce"
	case restored:
		return "Stored"
	case validate.Validate(s, obj) != nil:
		return "Validate"
	}
	return ""
}

func same(a, b any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// laws: more questions never get a better answer, and asking changes nothing.
func laws(t *testing.T, n *schema.Node, obj map[string]any) {
	before := unstructured.Clone(obj)
	answers := map[verdict.Ask]bool{}
	for ask := verdict.Schema; ask <= all; ask++ {
		if ask&verdict.Schema != 0 {
			answers[ask] = verdict.OK(n, obj, ask)
		}
	}
	for ask, ok := range answers {
		for more, better := range answers {
			if more&ask == ask && better {
				require.True(t, ok, "%b is well but %b is not", more, ask)
			}
		}
	}
	require.Equal(t, before, obj, "asking modifies the object")
}

func TestNilNode(t *testing.T) {
	require.True(t, verdict.OK(nil, math.NaN(), all))
	require.Equal(t, -1, verdict.FirstValid(nil, "x"))
	require.Equal(t, 0, verdict.CountValid(nil, "x"))
}

func TestBranches(t *testing.T) {
	s := golden.Compile(t, map[string]any{"anyOf": []any{
		map[string]any{"minimum": int64(9)}, map[string]any{"maximum": int64(5)}, map[string]any{"type": "integer"},
	}})
	branches := s.Root.Combine.AnyOf
	require.Equal(t, 1, verdict.FirstValid(branches, int64(1)))
	require.Equal(t, 2, verdict.CountValid(branches, int64(1)))
	require.Equal(t, 0, verdict.FirstValid(branches, "text"))
	require.Equal(t, 2, verdict.CountValid(branches, "text"))
	require.Equal(t, -1, verdict.FirstValid(branches[:1], 5.5))
}

// What each question is about: one fault each.
func TestQuestions(t *testing.T) {
	s := golden.Compile(t, map[string]any{"type": "object", "properties": map[string]any{
		"i": map[string]any{"type": "integer"},
		"f": map[string]any{"type": "number"},
		"n": map[string]any{"type": "string", "nullable": true},
		"u": map[string]any{"x-kubernetes-preserve-unknown-fields": true},
		"l": map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}},
		"e": map[string]any{"type": "object", "x-kubernetes-embedded-resource": true},
		"o": map[string]any{"type": "object", "properties": map[string]any{"d": map[string]any{"type": "string", "default": "D"}}},
		"t": map[string]any{"type": "object", "additionalProperties": true},
		"p": map[string]any{"type": "array", "x-kubernetes-preserve-unknown-fields": true, "items": map[string]any{"type": "array", "items": map[string]any{
			"type": "object", "properties": map[string]any{"d": map[string]any{"type": "object", "properties": map[string]any{"e": map[string]any{"type": "string", "default": "E"}}}},
		}}},
		"m": map[string]any{"type": "object", "properties": map[string]any{"metadata": map[string]any{"type": "object"}}},
	}})
	pod := func(meta any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta}
	}
	type object = map[string]any
	for _, row := range []struct {
		name string
		obj  object
		no   verdict.Ask // the questions that are answered with no
	}{
		{"nothing", object{}, 0},
		{"the root's own fields", object{"apiVersion": int64(1), "kind": nil, "metadata": "m"}, 0},
		{"type", object{"i": "x"}, verdict.Schema | verdict.Embedded | verdict.Lists | verdict.Stored},
		{"duplicate", object{"l": []any{"x", "x"}}, verdict.Lists},
		{"no kind", object{"e": object{"apiVersion": "v1", "metadata": object{}}}, verdict.Embedded | verdict.Stored},
		{"bad label", object{"e": pod(object{"labels": object{"a": "x x"}})}, verdict.Embedded},
		{"metadata to rewrite", object{"e": pod(object{"labels": object{}})}, verdict.Stored},
		{"unknown field", object{"x": int64(1)}, verdict.Stored},
		{"unknown field of an item, kept by a list", object{"p": []any{[]any{object{"x": int64(1)}}}}, 0},
		{"unknown field of a declared field of such an item", object{"p": []any{[]any{object{"d": object{"e": "E", "x": int64(1)}}}}}, verdict.Stored},
		{"default of a declared field of such an item", object{"p": []any{[]any{object{"d": object{}}}}}, verdict.Stored},
		{"a field of an object without schema", object{"t": object{"a": object{"b": int64(1)}}}, verdict.Stored},
		{"an object without schema that is empty", object{"t": object{"a": object{}, "b": []any{object{}, "x"}}}, 0},
		{"default", object{"o": object{}}, verdict.Stored},
		{"null", object{"n": nil}, 0},
		{"null that is dropped", object{"u": nil}, verdict.Stored},
		{"null without schema", object{"u": object{"a": nil}}, 0},
		{"whole float", object{"f": 1.0}, verdict.Stored},
		{"whole float without schema", object{"u": []any{object{"a": 1.0}}}, verdict.Stored},
		{"float", object{"f": 1.5, "u": 1.5}, 0},
		{"NaN without schema", object{"u": object{"a": math.NaN()}}, verdict.Stored},
		{"int", object{"i": 1}, verdict.Stored},
		{"a struct without schema", object{"u": object{"a": struct{}{}}}, verdict.Stored},
		{"metadata of no resource", object{"m": object{"metadata": object{"x": int64(1)}}}, verdict.Stored},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, ask := range []verdict.Ask{verdict.Schema, verdict.Embedded, verdict.Lists, verdict.Stored} {
				ok := verdict.OK(s.Root, row.obj, ask|verdict.Schema)
				require.Equal(t, row.no&(ask|verdict.Schema) == 0, ok, "%b", ask)
			}
		})
	}
}

func TestNoAllocs(t *testing.T) {
	for _, size := range golden.Sizes(t) {
		t.Run(size.Name, func(t *testing.T) {
			require.True(t, verdict.OK(size.Schema.Root, size.Object, all))
			require.Zero(t, testing.AllocsPerRun(50, func() { verdict.OK(size.Schema.Root, size.Object, all) }))
		})
	}
}

func BenchmarkOK(b *testing.B) {
	for _, size := range golden.Sizes(b) {
		b.Run(size.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				verdict.OK(size.Schema.Root, size.Object, all)
			}
		})
	}
}
