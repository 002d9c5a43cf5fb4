package validity_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

const all = validity.Schema | validity.Embedded | validity.Lists | validity.Stored

// Where the verdict on everything is good, no operation has anything to do or to say. (That the verdict on the schema
// alone is exact is a test of package validate.)
func TestAllIsWell(t *testing.T) {
	well, missed := 0, 0
	for seed := range uint64(6000) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s, obj := given.Compiled(t, doc), m.Object(doc)
		for _, obj := range []map[string]any{obj, stored(s, obj)} {
			ok := validity.OK(plan.Root(s), obj, all)
			switch idle := nothingToDo(s, obj); {
			case ok && rootIsCanonical(obj):
				require.Empty(t, idle, "schema %s\nobject %s", given.ExactJSON(doc), given.ExactJSON(obj))
				well++
			case !ok && idle == "":
				missed++
			}
			laws(t, plan.Root(s), obj)
		}
	}
	require.Greater(t, well, 2000, "objects with nothing to do")
	require.Less(t, missed, well, "objects that the verdict sends the long way for nothing")
}

// stored returns an object as a server would keep it.
func stored(s *schema.Structural, obj map[string]any) map[string]any {
	c := embedded.Normalizer{Drop: true}
	v, err := c.Normalize(plan.Root(s), defaulting.Default(s, prune.Prune(s, obj)))
	if err != nil {
		return obj
	}
	v, _ = jsonval.Stored(v)
	return v.(map[string]any)
}

// rootIsCanonical reports whether the root's own fields, which the caller checks, are canonical.
func rootIsCanonical(obj map[string]any) bool {
	for _, k := range []string{"apiVersion", "kind"} {
		if v, ok := obj[k]; ok && plan.KindOf(v) != plan.KindString {
			return false
		}
	}
	meta, ok := obj["metadata"]
	return !ok || objectmeta.Canonical(meta)
}

// nothingToDo names an operation that has something to do, or nothing.
func nothingToDo(s *schema.Structural, obj map[string]any) string {
	var c embedded.Normalizer
	normalized, err := c.Normalize(plan.Root(s), obj)
	_, restored := jsonval.Stored(obj)
	switch {
	case !given.Same(obj, prune.Prune(s, obj)):
		return "Prune"
	case !given.Same(obj, defaulting.Default(s, obj)):
		return "Default"
	case !given.Same(obj, defaulting.DropNulls(s, obj)):
		return "DropNulls"
	case err != nil || !given.Same(obj, normalized):
		return "Normalize"
	case restored:
		return "Stored"
	case validate.Validate(s, obj) != nil:
		return "Validate"
	}
	return ""
}

// laws: more checks never give a better result, and a check changes nothing.
func laws(t *testing.T, n *plan.Node, obj map[string]any) {
	before := unstructured.Clone(obj)
	answers := map[validity.Check]bool{}
	for checks := validity.Schema; checks <= all; checks++ {
		if checks&validity.Schema != 0 {
			answers[checks] = validity.OK(n, obj, checks)
		}
	}
	for checks, ok := range answers {
		for more, better := range answers {
			if more&checks == checks && better {
				require.True(t, ok, "%b is well but %b is not", more, checks)
			}
		}
	}
	require.Equal(t, before, obj, "asking modifies the object")
}

func TestNilNode(t *testing.T) {
	work := jsonval.MaxWork
	require.True(t, validity.OK(nil, math.NaN(), all))
	require.True(t, validity.Combined(nil, func(n *plan.Node) bool { return validity.BranchOK(n, "x", &work) }))
	require.True(t, validity.BranchOK(nil, "x", &work))
}

func TestBranches(t *testing.T) {
	work := jsonval.MaxWork
	s := given.Compiled(t, map[string]any{"anyOf": []any{
		map[string]any{"minimum": int64(9)}, map[string]any{"maximum": int64(5)}, map[string]any{"type": "integer"},
	}})
	branches := plan.Root(s).Combine.AnyOf
	valid := func(branches []*plan.Node, v any) (first, count int) {
		ok := func(n *plan.Node) bool { return validity.BranchOK(n, v, &work) }
		first, count = slices.IndexFunc(branches, ok), validity.CountValid(branches, ok)
		require.Equal(t, first >= 0, validity.Combined(&plan.Combinators{AnyOf: branches}, ok))
		require.Equal(t, count == 1, validity.Combined(&plan.Combinators{OneOf: branches}, ok))
		require.Equal(t, count == len(branches), validity.Combined(&plan.Combinators{AllOf: branches}, ok))
		require.Equal(t, first != 0, validity.Combined(&plan.Combinators{Not: branches[0]}, ok))
		return first, count
	}
	for _, row := range []struct {
		branches     []*plan.Node
		v            any
		first, count int
	}{{branches, int64(1), 1, 2}, {branches, "text", 0, 2}, {branches[:1], 5.5, -1, 0}} {
		first, count := valid(row.branches, row.v)
		require.Equal(t, row.first, first)
		require.Equal(t, row.count, count)
	}
}

// Looks at branches and searches with patterns have a limit together, beyond which nothing is well, not even what is
// not to be.
func TestWork(t *testing.T) {
	branches := given.List(1000, func(i int) any { return map[string]any{"minimum": int64(1000 + i)} })
	items := given.List(100, func(i int) any { return int64(i) })
	for name, item := range map[string]map[string]any{
		"anyOf": {"type": "integer", "anyOf": append(slices.Clone(branches), map[string]any{"maximum": int64(1000)})},
		"not":   {"type": "integer", "not": map[string]any{"anyOf": branches}},
	} {
		s := given.Compiled(t, map[string]any{"type": "array", "items": item})
		enough := jsonval.Budget{Work: 10_000_000}
		require.True(t, validity.OKWithin(plan.Root(s), items, validity.Schema, &enough), name)
		require.Positive(t, enough.Work)
		require.Negative(t, enough.Size, "what was visited")
		few := jsonval.Budget{Work: 100_000}
		require.False(t, validity.OKWithin(plan.Root(s), items, validity.Schema, &few), name)
		require.LessOrEqual(t, few.Work, 0)
	}
}

// Here is about a value and its branches, not about its parts.
func TestHere(t *testing.T) {
	work := jsonval.MaxWork
	type object = map[string]any
	s := given.Compiled(t, object{"type": "object", "required": []any{"a"}, "properties": object{
		"a": object{"type": "integer", "nullable": true, "maximum": int64(5)},
		"l": object{"type": "array", "maxItems": int64(1), "items": object{"type": "string"}},
	}, "not": object{"properties": object{"a": object{"enum": []any{int64(1)}}}}})
	for _, row := range []struct {
		name      string
		v         any
		here, all bool
	}{
		{"valid", object{"a": int64(2)}, true, true},
		{"a wrong part", object{"a": int64(9)}, true, false},
		{"a part of a wrong type", object{"a": "x", "l": object{}}, true, false},
		{"a missing part", object{"l": []any{}}, false, false},
		{"a branch about a part", object{"a": int64(1)}, false, false},
		{"a wrong type", "x", false, false},
		{"null", nil, false, false},
		{"a foreign value", struct{}{}, false, false},
	} {
		require.Equal(t, row.here, validity.Here(plan.Root(s), row.v, &work), row.name)
		require.Equal(t, row.all, validity.OK(plan.Root(s), row.v, validity.Schema), row.name)
	}
	list, number := plan.Root(s).Prop("l").Node, plan.Root(s).Prop("a").Node
	require.True(t, validity.Here(list, []any{int64(1)}, &work))
	require.False(t, validity.Here(list, []any{"x", "x"}, &work))
	require.True(t, validity.Here(number, nil, &work))
	require.False(t, validity.Here(number, int64(9), &work))
}

// What each check is about: one fault each.
func TestEachCheck(t *testing.T) {
	s := given.Compiled(t, map[string]any{"type": "object", "properties": map[string]any{
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
		"q": map[string]any{"type": "array"},
		"r": map[string]any{"type": "array", "x-kubernetes-preserve-unknown-fields": true},
		"m": map[string]any{"type": "object", "properties": map[string]any{"metadata": map[string]any{"type": "object"}}},
	}})
	pod := func(meta any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta}
	}
	type object = map[string]any
	for _, row := range []struct {
		name string
		obj  object
		no   validity.Check // the checks that fail
	}{
		{"nothing", object{}, 0},
		{"the root's own fields", object{"apiVersion": int64(1), "kind": nil, "metadata": "m"}, 0},
		{"type", object{"i": "x"}, validity.Schema | validity.Embedded | validity.Lists | validity.Stored},
		{"duplicate", object{"l": []any{"x", "x"}}, validity.Lists},
		{"no kind", object{"e": object{"apiVersion": "v1", "metadata": object{}}}, validity.Embedded | validity.Stored},
		{"bad label", object{"e": pod(object{"labels": object{"a": "x x"}})}, validity.Embedded},
		{"metadata to rewrite", object{"e": pod(object{"labels": object{}})}, validity.Stored},
		{"unknown field", object{"x": int64(1)}, validity.Stored},
		{"unknown field of an item, kept by a list", object{"p": []any{[]any{object{"x": int64(1)}}}}, 0},
		{"unknown field of a declared field of such an item", object{"p": []any{[]any{object{"d": object{"e": "E", "x": int64(1)}}}}}, validity.Stored},
		{"default of a declared field of such an item", object{"p": []any{[]any{object{"d": object{}}}}}, validity.Stored},
		{"items without schema", object{"q": []any{object{}, "x", nil, []any{object{}}}}, 0},
		{"a field of an item without schema", object{"q": []any{[]any{object{"x": int64(1)}}}}, validity.Stored},
		{"a field of an item without schema, kept", object{"r": []any{[]any{object{"x": int64(1)}}}}, 0},
		{"a field of an object without schema", object{"t": object{"a": object{"b": int64(1)}}}, validity.Stored},
		{"an object without schema that is empty", object{"t": object{"a": object{}, "b": []any{object{}, "x"}}}, 0},
		{"default", object{"o": object{}}, validity.Stored},
		{"null", object{"n": nil}, 0},
		{"null that is dropped", object{"u": nil}, validity.Stored},
		{"null without schema", object{"u": object{"a": nil}}, 0},
		{"whole float", object{"f": 1.0}, validity.Stored},
		{"whole float without schema", object{"u": []any{object{"a": 1.0}}}, validity.Stored},
		{"float", object{"f": 1.5, "u": 1.5}, 0},
		{"NaN without schema", object{"u": object{"a": math.NaN()}}, validity.Stored},
		{"int", object{"i": 1}, validity.Stored},
		{"a struct without schema", object{"u": object{"a": struct{}{}}}, validity.Stored},
		{"metadata of no resource", object{"m": object{"metadata": object{"x": int64(1)}}}, validity.Stored},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, checks := range []validity.Check{validity.Schema, validity.Embedded, validity.Lists, validity.Stored} {
				ok := validity.OK(plan.Root(s), row.obj, checks|validity.Schema)
				require.Equal(t, row.no&(checks|validity.Schema) == 0, ok, "%b", checks)
			}
		})
	}
}

// Where there is no schema the walk ends somewhere, with the answer that sends the caller the long way.
func TestDepthAndCycles(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"free": map[string]any{"x-kubernetes-preserve-unknown-fields": true},
		"open": map[string]any{"type": "object", "additionalProperties": true},
	}})
	loop, many := given.Loop(), given.Many()
	lists, maps := any("x"), any("x")
	for range 100_000 {
		lists, maps = []any{lists}, map[string]any{"a": maps}
	}
	for name, v := range map[string]any{"loop": loop, "many": many, "lists": lists, "maps": maps} {
		for _, field := range []string{"free", "open"} {
			obj := map[string]any{field: map[string]any{"k": v}}
			require.True(t, validity.OK(plan.Root(s), obj, all&^validity.Stored), name)
			require.False(t, validity.OK(plan.Root(s), obj, all), name)
		}
	}
}

// PRU-008: declaring metadata, as most CRDs do, does not make the fields unknown that metadata has.
func TestDeclaredMetadata(t *testing.T) {
	meta := map[string]any{"name": "a", "labels": map[string]any{"a": "b"}}
	declared := map[string]any{"apiVersion": map[string]any{"type": "string"}, "kind": map[string]any{"type": "string"}, "metadata": map[string]any{"type": "object"}}
	resource := map[string]any{"type": "object", "x-kubernetes-embedded-resource": true, "properties": declared}
	obj := func() map[string]any { return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta} }

	embeddedIn := given.Compiled(t, map[string]any{"type": "object", "properties": map[string]any{"e": resource}})
	root := given.Compiled(t, map[string]any{"type": "object", "properties": declared})
	require.True(t, validity.OK(plan.Root(embeddedIn), map[string]any{"e": obj()}, all))
	require.True(t, validity.OK(plan.Root(root), obj(), all))
	sparse := obj()
	delete(sparse, "apiVersion")
	delete(sparse, "kind")
	require.True(t, validity.OK(plan.Root(root), sparse, all))

	// A default below it is not there yet.
	declared["metadata"] = map[string]any{"type": "object", "properties": map[string]any{"namespace": map[string]any{"type": "string", "default": "D"}}}
	require.False(t, validity.OK(plan.Root(given.Compiled(t, map[string]any{"properties": declared})), obj(), all))
}

// The fast path knows lists whose items differ if these, or their keys, are simple scalars. It is never sure of one
// whose items do not differ.
func TestDistinctItems(t *testing.T) {
	type object = map[string]any
	type list = []any
	free := object{"x-kubernetes-preserve-unknown-fields": true, "nullable": true}
	set := object{"type": "array", "x-kubernetes-list-type": "set", "items": free}
	keyed := func(keys ...any) object {
		return object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": free}
	}
	for _, row := range []struct {
		name   string
		schema object
		items  list
		want   bool
	}{
		{"none", set, list{}, true},
		{"one", set, list{object{}}, true},
		{"texts", set, list{"a", "b", ""}, true},
		{"same texts", set, list{"a", "b", "a"}, false},
		{"all kinds that are simple", set, list{nil, false, true, "", int64(0), "0", 0.5}, true},
		{"numbers of one size: one or two?", set, list{int64(1), 1.0}, false},
		{"nulls", set, list{nil, nil}, false},
		{"lists", set, list{list{int64(1), "a"}, list{"a", int64(1)}, list{int64(1)}}, false},
		{"same lists", set, list{list{int64(1)}, list{1.0}}, false},
		{"objects", set, list{object{"a": "x", "b": "y"}, object{"a": "x", "b": "z"}, object{"a": "x", "c": "y"}, object{"a": "x"}}, false},
		{"same objects", set, list{object{"a": "x", "b": "y"}, object{"b": "y", "a": "x"}}, false},
		{"deep objects", set, list{object{"a": list{object{"b": int64(1)}}}, object{"a": list{object{"b": int64(2)}}}}, false},
		{"strings that are no UTF-8", set, list{"\xff", "\xfe"}, false},
		{"texts that are no UTF-8", set, list{object{"a": "\xff"}, object{"a": "\xfe"}}, false},
		{"keys that are no UTF-8", set, list{object{"\xff": "a"}, object{"\xfe": "a"}}, false},
		{"foreign values", set, list{int8(1), int8(2)}, false},

		{"one key", keyed("k"), list{object{"k": "a"}, object{"k": "b", "v": "x"}, object{"v": "x"}, object{"k": nil}}, true},
		{"same key", keyed("k"), list{object{"k": "a", "v": "x"}, object{"k": "a", "v": "y"}}, false},
		{"twice without the key", keyed("k"), list{object{}, object{"v": "x"}}, false},
		{"two keys", keyed("k", "l"), list{object{"k": "a", "l": "a"}, object{"k": "a", "l": "b"}, object{"k": "a"}, object{"l": "a"}}, true},
		{"same two keys", keyed("k", "l"), list{object{"k": "a", "l": int64(1)}, object{"k": "a", "l": 1.0}}, false},
		{"no keys", keyed(), list{object{"k": "a"}, object{"k": "b"}}, false},
		{"an item that is no object", keyed("k"), list{object{"k": "a"}, "b"}, false},
		{"a single item that is no object", keyed("k"), list{"b"}, false},
		{"a null item", keyed("k"), list{object{"k": "a"}, nil}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := plan.Root(given.Compiled(t, object{"properties": object{"v": row.schema}}))
			require.Equal(t, row.want, validity.OK(n, object{"v": row.items}, validity.Schema|validity.Lists))
			if row.want {
				require.Empty(t, validate.Lists(plan.View[schema.Node](n), nil, object{"v": row.items}))
			}
		})
	}

	// Of long lists it knows those of texts, and those with keys that are scalars. Hardly any of them costs an
	// allocation.
	for name, item := range map[string]struct {
		schema object
		of     func(i int) any
	}{
		"texts":       {set, func(i int) any { return strconv.Itoa(i) }},
		"text keys":   {keyed("k", "l"), func(i int) any { return object{"k": strconv.Itoa(i / 2), "l": strconv.Itoa(i % 2)} }},
		"scalar keys": {keyed("k", "l"), func(i int) any { return object{"k": int64(i / 2), "l": i%2 == 0, "v": "x"} }},
		"absent keys": {keyed("k", "l"), func(i int) any { return object{"l": int64(i)} }},
	} {
		n := plan.Root(given.Compiled(t, object{"properties": object{"v": item.schema}}))
		for _, size := range []int{17, 256, 257, 1000} {
			var items list
			for i := range size {
				items = append(items, item.of(i))
			}
			distinct := func(items list) bool { return validity.OK(n, object{"v": items}, validity.Schema|validity.Lists) }
			require.True(t, distinct(items), "%d %s", size, name)
			for _, twice := range []int{0, 7, size - 1} {
				require.False(t, distinct(append(items, items[twice])), "%d %s", size, name)
			}

		}
	}
}

func BenchmarkOK(b *testing.B) {
	for _, size := range given.Sizes(b) {
		given.Bench(b, size.Name, func() { validity.OK(plan.Root(size.Schema), size.Object, all) })
	}
}
