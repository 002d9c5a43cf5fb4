package compat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// widget returns a widget with a spec.
func widget(t *testing.T, spec string) map[string]any {
	t.Helper()
	return given.Object(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: x, namespace: default}, spec: "+spec+"}")
}

func TestStoredByBoth(t *testing.T) {
	p := newPair(t, "{type: object, properties: {a: {type: string, maxLength: 2, default: x}, b: {type: string}}}",
		"{type: object, required: [c], properties: {a: {type: string}, c: {type: string}}}")
	create := func(spec string) request { return request{kind: requestCreate, object: widget(t, spec)} }
	before, after, ok := p.storedByBoth(create("{b: w, c: z}"))
	require.True(t, ok)
	require.Equal(t, given.Object(t, "{a: x, b: w}"), before["spec"])
	require.Equal(t, given.Object(t, "{c: z}"), after["spec"])
	for _, spec := range []string{"{a: long, c: z}", "{a: x}", "{a: long}"} {
		_, _, ok = p.storedByBoth(create(spec))
		require.False(t, ok, spec)
	}
}

// A request shows a difference if the refusal is about the value in question.
func TestIsDifference(t *testing.T) {
	p := newPair(t, "{type: object, properties: {a: {type: string}, b: {type: string}}}",
		"{type: object, properties: {a: {type: string, maxLength: 1}, b: {type: string, maxLength: 1}, c: {type: string}}}")
	q := &question{schemaPath: constraint.Steps{property("spec"), property("a")}, accepting: p.old, refusing: p.now}
	for spec, want := range map[string]bool{
		"{a: x}": false, "{a: long}": true, "{b: long}": false, "{a: long, b: long}": true,
		"{a: long, c: x}": false, // the old side drops c
		"{a: 1}":          false,
	} {
		require.Equal(t, want, p.isDifference(q, request{kind: requestCreate, object: widget(t, spec)}), spec)
	}
}

func TestAbout(t *testing.T) {
	schemaPath := constraint.Steps{property("spec"), property("l"), items, property("m"), undeclared}
	at := func(path *field.Path) field.List { return field.List{field.Invalid(path, "x", "wrong")} }
	l := field.NewPath("spec", "l")
	for _, c := range []struct {
		path *field.Path
		want bool
	}{
		{l.Index(1).Child("m").Key("k"), true},
		{l.Index(1).Child("m").Key("k").Child("below"), true},
		{l.Index(1).Child("m"), false},
		{l.Child("i").Child("m").Key("k"), false},
		{l.Index(1).Child("n").Key("k"), false},
		{l.Index(1).Index(2).Key("k"), false},
		{l.Index(1).Child("m").Index(0), false},
		{nil, false},
	} {
		require.Equal(t, c.want, about(at(c.path), schemaPath), "%s", c.path)
	}
	require.True(t, about(append(at(nil), at(l.Index(0).Child("m").Key("k"))...), schemaPath))
	require.True(t, about(at(l), nil), "whole objects")
	require.False(t, about(nil, nil))
}

// The faults that reconcile removes, and the resulting objects.
func TestReconcile(t *testing.T) {
	p := newPair(t, "{type: object, required: [b], properties: {a: {type: string}, b: {type: integer, minimum: 1}}}",
		"{type: object, required: [a], properties: {a: {type: string, maxLength: 1}, b: {type: integer, minimum: 5}}}")
	a := constraint.Steps{property("spec"), property("a")}
	paths := func(spec string) (out []string) {
		for _, path := range p.faults(p.old, p.now, widget(t, spec), a) {
			out = append(out, field.PathOf(path...).String())
		}
		return out
	}
	require.Nil(t, paths("{a: x, b: 6}"))
	require.Equal(t, []string{"spec.b", "spec.b"}, paths("{a: x, b: 0}"))
	require.Equal(t, []string{"spec.b"}, paths("{a: x, b: 1}"))
	require.Equal(t, []string{"spec.b"}, paths("{a: x}"), "missing on the old side only")
	require.Nil(t, paths("{a: long, b: 6}"), "the refusing side may refuse what is there")
	require.Equal(t, []string{"spec.a"}, paths("{a: 1, b: 6}"), "the accepting side may not")

	for _, c := range [][2]string{
		{"{a: x, b: 6}", "{a: x, b: 6}"},
		{"{a: long, b: 6}", "{a: long, b: 6}"},
		{"{a: long, b: 1}", "{a: long, b: 5}"},
		{"{a: long}", "{a: long, b: 5}"},
	} {
		obj := p.reconcile(p.old, p.now, widget(t, c[0]), a)
		require.Equal(t, given.Object(t, c[1]), obj["spec"], c[0])
	}
	values := p.valuesFor(p.old, p.now, field.NewPath("spec", "b").Segments())
	require.NotEmpty(t, values)
	for _, v := range values {
		require.GreaterOrEqual(t, v, int64(5))
	}
	require.LessOrEqual(t, len(values), 8)
	require.Empty(t, p.valuesFor(p.old, p.now, field.NewPath("spec", "c").Segments()))
}

func TestWithNull(t *testing.T) {
	p := newPair(t, `{type: object, properties: {a: {type: string}, l: {type: array, items: {type: string}}, m: {type: object, additionalProperties: {type: string}}}}`,
		"{type: object}")
	spec := constraint.Steps{property("spec")}
	for _, c := range []struct {
		spec       string
		schemaPath constraint.Steps
		want       string // none if empty
	}{
		{"{a: x}", spec.To(property("a")), "{a: null}"},
		{"{}", spec.To(property("a")), "{a: null}"},
		{"{l: [x, y]}", spec.To(property("l")).To(items), "{l: [null, y]}"},
		{"{l: []}", spec.To(property("l")).To(items), ""},
		{"{m: {a: x}}", spec.To(property("m")).To(undeclared), "{m: {a: x, key0: null}}"},
		{"{m: {}}", spec.To(property("m")).To(undeclared), "{m: {key0: null}}"},
		{"{}", spec.To(property("m")).To(undeclared), ""},
		{"{a: x}", spec.To(property("a")).To(property("b")), ""},
	} {
		obj, ok := withNull(p.old, widget(t, c.spec), c.schemaPath)
		require.Equal(t, c.want != "", ok, "%s and %s", c.spec, c.schemaPath)
		if ok {
			require.Equal(t, given.Object(t, c.want), obj["spec"], "%s and %s", c.spec, c.schemaPath)
		}
	}
}

// The facts that both schemas imply about the values of a rule for spec.
func TestSchemaKnowledge(t *testing.T) {
	p := newPair(t, `{type: object, required: [o, l], properties: {
		o: {type: object, properties: {e: {type: string, enum: [x, z]}, b: {type: boolean}}},
		p: {type: object, properties: {e: {type: string, enum: [x]}}},
		l: {type: array, items: {type: object, properties: {e: {type: string, enum: [x]}}}},
		i: {type: integer, enum: [1]},
		s: {type: string}}}`,
		`{type: object, required: [o, l], properties: {
		o: {type: object, properties: {e: {type: string}, gone: {type: string}, given: {type: string, default: v}, set: {type: boolean, default: true}}},
		p: {type: object, properties: {e: {type: string}, gone: {type: string}}},
		l: {type: array, items: {type: object, properties: {e: {type: string}, gone: {type: string}}}},
		gone: {type: string}, one: {type: integer, default: 1}}}`)
	spec := constraint.Steps{property("spec")}
	k := schemaKnowledge{factsAt(p.old, spec), factsAt(p.now, spec), p.old, p.now}
	for _, c := range []struct {
		path    []string
		literal string
		absent  bool
	}{
		{[]string{"gone"}, "", true},
		{[]string{"o", "gone"}, "", true},
		{[]string{"o", "given"}, `"v"`, false},
		{[]string{"o", "set"}, "true", false},
		{[]string{"one"}, "", false},               // the default is not a literal of a rule
		{[]string{"o", "e"}, "", false},            // declared on both sides
		{[]string{"p", "gone"}, "", false},         // p may be absent
		{[]string{"l", anyItem, "gone"}, "", true}, // there is an item
		{[]string{"l", "gone"}, "", false},
		{[]string{"s", "gone"}, "", false},
		{[]string{"o", anyItem}, "", false},
		{[]string{"if"}, "", false}, // not a name that a rule can use
		{[]string{"if", "gone"}, "", false},
	} {
		literal, absent := k.constant(c.path)
		require.Equal(t, c.literal, literal, c.path)
		require.Equal(t, c.absent, absent, c.path)
	}
	for _, c := range []struct {
		path    []string
		literal string
		want    bool
	}{
		{[]string{"o", "e"}, `"y"`, true},
		{[]string{"o", "e"}, `"x"`, false},
		{[]string{"p", "e"}, `"z"`, true},
		{[]string{"l", anyItem, "e"}, `"z"`, true},
		{[]string{"l", anyItem, "e"}, `"x"`, false},
		{[]string{"o", anyItem, "e"}, `"z"`, false},
		{[]string{"o", "b"}, `"z"`, true},
		{[]string{"o", "b"}, "true", false},
		{[]string{"s"}, `"z"`, false},
		{[]string{"i"}, "2", false},
		{[]string{"gone"}, `"z"`, false},
		{[]string{"if"}, `"z"`, false},
	} {
		require.Equal(t, c.want, k.excludes(c.path, c.literal), "%s: %s", c.path, c.literal)
	}
	require.False(t, k.isList())
	require.True(t, k.isObject())
	k.accepting.accept = plan.KindArray
	require.True(t, k.isList())
	require.False(t, k.isObject())
}

// The search for an object that breaks a rule of one side prefers objects that the other side accepts.
func TestAcceptingFaults(t *testing.T) {
	p := newPair(t, "{type: object, required: [b], properties: {a: {type: string, maxLength: 1}, b: {type: string}}}", "{type: object}")
	q := &question{schemaPath: constraint.Steps{property("spec")}, accepting: p.old, refusing: p.now}
	for spec, want := range map[string]int{
		"{b: x}": 0, "{b: x, c: x}": 10, "{a: long, b: x}": 20, "{a: long, b: x, c: x}": 20, "{a: long}": 30,
	} {
		require.Equal(t, want, p.acceptingFaults(q, widget(t, spec), nil), spec)
	}
	old := p.old.handle(createOf(widget(t, "{b: x}"))).Object
	require.Equal(t, 0, p.acceptingFaults(q, old, old))
	require.Positive(t, p.acceptingFaults(q, given.Object(t, "{apiVersion: example.com/v1, kind: Other}"), old))
}

// The requests for an object with a status, if one side or both have a status subresource.
func TestRequestFor(t *testing.T) {
	spec, status := constraint.Steps{property("spec")}, constraint.Steps{property("status"), property("a")}
	schema := "{type: object, properties: {a: {type: string, maxLength: 3}}}"
	obj := widget(t, "{a: x}")
	for _, c := range []struct {
		old, now   bool
		schemaPath constraint.Steps
		want       string
	}{
		{true, true, spec, requestCreate}, {false, false, status, requestCreate}, {true, true, status, requestStatus}, {true, false, status, requestUpdate}, {false, true, status, requestUpdate},
		{true, true, nil, requestCreate},
	} {
		p := newPair(t, schema, schema)
		p.old.hasStatus, p.now.hasStatus = c.old, c.now
		require.Equal(t, c.want, p.requestKind(c.schemaPath))
	}
	p := newPair(t, schema, schema)
	r, ok := p.requestFor(p.old, spec, obj)
	require.True(t, ok)
	require.Equal(t, request{kind: requestCreate, object: obj}, r)
	p.old.hasStatus, p.now.hasStatus = true, true
	r, ok = p.requestFor(p.old, status, obj)
	require.True(t, ok)
	require.Equal(t, requestStatus, r.kind)
	require.Equal(t, obj, r.object)
	require.Equal(t, obj["spec"], r.stored["spec"])
	_, ok = p.requestFor(p.old, status, widget(t, "{a: long}"))
	require.False(t, ok, "the object cannot be created")
	p.old.hasStatus = false
	r, ok = p.requestFor(p.old, status, obj)
	require.True(t, ok)
	require.Equal(t, requestUpdate, r.kind)
	require.Equal(t, r.object, r.stored)
	_, ok = p.requestFor(p.old, status, widget(t, "{a: long}"))
	require.False(t, ok)
}
