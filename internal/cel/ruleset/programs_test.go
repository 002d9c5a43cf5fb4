package ruleset

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

// units returns how many expressions were compiled for keeping.
func (c *programs) units() int {
	n := 0
	for _, places := range c.known {
		n += len(places)
	}
	return n
}

// CCO-006: an expression is compiled once for all places of one type, in whichever version.
func TestSharing(t *testing.T) {
	item := func(more string) string {
		return `{type: array, items: {type: object, ` + more + ` properties: {a: {type: string, maxLength: 5}, b: {type: array, items: {type: integer}}},
x-kubernetes-validations: [{rule: "has(self.a)", messageExpression: "'no a'"}]}}`
	}
	for _, c := range []struct {
		name  string
		items []string
		want  int
	}{
		{"the same", []string{item(""), item("")}, 2},
		{"texts and bounds of values make no difference", []string{item(""), item("description: d, minProperties: 1,")}, 2},
		{"whether null is allowed does", []string{item(""), item("nullable: true,")}, 4},
		{"so does what is required", []string{item(""), item("required: [a],")}, 4},
		{"and whether it is a resource", []string{item(""), item("x-kubernetes-embedded-resource: true,")}, 4},
		{"and a default, which an estimate asks for", []string{item("required: [a],"), item("default: {}, required: [a],")}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := given.Structural(t, "{type: object, properties: {one: "+c.items[0]+", two: "+c.items[1]+"}}")
			r, _ := Compile(s, nil)
			require.Equal(t, c.want, r.programs.units())

			a, b := given.Structural(t, "{type: object, properties: {one: "+c.items[0]+"}}"), given.Structural(t, "{type: object, properties: {two: "+c.items[1]+"}}")
			all := PrepareAll(a, b)
			all[0].compileAll()
			all[1].compileAll()
			require.Equal(t, c.want, all[0].programs.units())
		})
	}
}

// CER-011, CER-040: what certainly becomes a program does so when an object needs it; whatever comes first, the other
// comes too.
func TestPurposes(t *testing.T) {
	const text = `{type: object, properties: {a: {type: string, maxLength: 10,
x-kubernetes-validations: [{rule: "self == 'a'", messageExpression: "'not ' + self"}, {rule: "self != string(1)"}]}}}`
	unit := func(r *Rules, text string, message bool) unit {
		return r.programs.known[stored(text, message, false)][0].unit
	}
	texts := map[string]bool{"self == 'a'": false, "'not ' + self": true}

	r := Prepare(given.Structural(t, text))
	require.Empty(t, r.Validate(nil))
	for text, message := range texts {
		u := unit(r, text, message)
		require.Nil(t, u.program, text)
		require.NotNil(t, u.expr, text)
		require.True(t, u.estimated, text)
	}
	require.NotNil(t, unit(r, "self != string(1)", false).program, "a conversion of a constant could fail")
	r.compileAll()
	costs := r.Costs()
	for text, message := range texts {
		u := unit(r, text, message)
		require.NotNil(t, u.program, text)
		require.Nil(t, u.expr, "%s: the tree has had its use", text)
	}

	r = Prepare(given.Structural(t, text))
	r.compileAll()
	program := unit(r, "self == 'a'", false).program
	require.NotNil(t, program)
	require.False(t, unit(r, "self == 'a'", false).estimated)
	require.Equal(t, costs, r.Costs())
	require.Same(t, program, unit(r, "self == 'a'", false).program)

	s := given.Structural(t, strings.ReplaceAll(text, "string(1)", "string(timestamp('2024-01-01T00:00:00Z')) + string(int('x'))"))
	errs := Prepare(s).Validate(nil)
	require.Len(t, errs, 1)
	require.Contains(t, errs[0].Error(), "program instantiation failed: ")
}

// The walk knows only what leads to rules.
func TestTree(t *testing.T) {
	s := given.Structural(t, `
type: object
properties:
  a: {type: object, properties: {b: {type: string}, c: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "true"}]}}}}
  d: {type: object, properties: {e: {type: string}}}
  f: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}`)
	r := Prepare(s)
	top := r.rules().top
	require.Len(t, r.tree.places, 4)
	require.Len(t, top.props, 1, "CEV-005: a definition gets an error for f, an object is not validated by it")
	require.Len(t, top.children, 2)
	require.Same(t, plan.Root(s).Prop("a").Node.Prop("c").Node.Items, top.props[0].place.props[0].place.items.node)
}

// For an older minor version, the length of an expression also counts as work: a definition is checked for many
// versions.
func TestWorkOfMinorVersions(t *testing.T) {
	const rule = "self.all(x, x.size() < 5)"
	s := given.Structural(t, `{type: object, properties: {a: {type: array, maxItems: 9, items: {type: string, maxLength: 9},
x-kubernetes-validations: [{rule: "`+rule+`"}]}}}`)
	spent := func(minor int) uint64 {
		r := Prepare(s)
		require.Empty(t, r.Validate(&Options{Minor: minor}))
		return r.programs.total.Spent()
	}
	require.Equal(t, spent(0)+5*uint64(len(rule)), spent(30))
}
