package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// worked returns the work of checking a text in which self is dyn.
func worked(text string) (uint64, error) {
	var c Checker
	var total Total
	c.CountTo(&total)
	_, err := c.compile(text, &scope{provider: declareNothing(), self: types.DynType, oldSelf: types.DynType})
	return total.Spent(), err
}

// TestWorkIsSmall: what people write is far from the limit, even if it is large.
func TestWorkIsSmall(t *testing.T) {
	for _, tt := range []struct {
		name, text string
	}{
		{"a loop", "self.items.all(x, x.name == 'a' && has(x.value) && self.items.exists_one(y, y.name == x.name))"},
		{"200 comparisons", strings.Repeat("self.a.b == 'x' || ", 200) + "false"},
		{"200 ternaries", "[" + strings.Repeat("self.a ? self.b : self.c, ", 200) + "]"},
		{"a text of 100 parts", strings.Repeat("self.a + ', ' + ", 50) + "''"},
		{"a list of 1000 strings", "self in [" + strings.Repeat("'a', ", 1000) + "]"},
		{"nested loops", strings.Repeat("self.a.map(x, ", 20) + "x" + strings.Repeat(")", 20)},
		{"four links of optMap", "self.?a" + strings.Repeat(".optMap(x, x.b)", 4)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			work, err := worked(tt.text)
			require.NoError(t, err)
			require.Less(t, work*stepsOfWork, uint64(maxSteps/100))
		})
	}
}

// TestLarge: what would take cel-go's checker minutes is checked, with or without a fault, if its types are of any
// reasonable size. Otherwise it is an error.
func TestLarge(t *testing.T) {
	const tooLarge = "expression would take too long to type-check"
	for _, tt := range []struct {
		name, text string
		refused    bool
	}{
		{"many type parameters", strings.Repeat("1==1&&", 6_000) + "true", false},
		{"many empty lists", "[" + strings.Repeat("[],", 12_000) + "[]].size() == 1", false},
		{"many optionals", "[" + strings.Repeat("optional.none(),", 6_000) + "optional.none()].size() == 1", false},
		{"deep lists, many times", "[" + strings.Repeat(nested(200, "[", "1", "]")+",", 10) + "].size() == 1", false},
		{"deep maps", "[" + strings.Repeat(nested(100, "{1:", "1", "}")+",", 20) + "].size() == 1", false},
		{"types that double", "[1]" + strings.Repeat(".map(x,{x:x})", 80) + ".size() == 1", true},
		{"types that double, in binds", "optional.of(1)" + strings.Repeat(".optMap(x,{x:x})", 10) + ".hasValue()", false},
		{"types that double, in two variables", "{1:1}" + strings.Repeat(".transformMap(k,v,{v:v})", 80) + ".size() == 1", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			faulty := tt.text + " && undeclared"
			if tt.refused {
				require.ErrorContains(t, compileText(tt.text), tooLarge)
				require.ErrorContains(t, compileText(faulty), tooLarge)
				return
			}
			require.NoError(t, compileText(tt.text))
			require.ErrorContains(t, compileText(faulty), "undeclared reference to 'undeclared'")
		})
	}
}

// An index gives a smaller type than that of what is indexed: a chain of them is little work, so that its fault is
// found.
func TestChainsOfIndexes(t *testing.T) {
	chain := strings.Repeat("[0]", 200)
	require.ErrorContains(t, compileText("true"+chain), "found no matching overload for '_[_]' applied to '(bool, int)'")
	require.NoError(t, compileText("dyn(1)"+chain+" == 1"))
	require.NoError(t, compileText("dyn(1)"+strings.Repeat("[?0]", 200)+" == optional.none()"))
}

func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// TestHostile: what a server refuses at once is an error here, too.
func TestHostile(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"expressions that double", "optional.of(1)" + strings.Repeat(".optMap(x,x)", 60) + ".hasValue()", "expression count exceeds limit"},
		{"a megabyte", strings.Repeat("true&&", 1<<18) + "true", "expression code point size exceeds limit"},
		{"a megabyte of nothing", strings.Repeat("\x00", 1<<20), "expression code point size exceeds limit"},
		{"1000 parentheses", nested(1000, "(", "true", ")"), "expression recursion limit exceeded"},
		{"10,000 terms of +", strings.Repeat("1+", 10_000) + "1 == 1", "max recursion depth exceeded"},
		{"invalid UTF-8", strings.Repeat("\xff", 50_000), "Syntax error"},
		{"quotes", strings.Repeat("'", 99_999), "error recovery token lookahead limit exceeded"},
		{"open lists", strings.Repeat("[", 99_999), "expression recursion limit exceeded"},
		{"undeclared", strings.Repeat("a||", 33_000) + "a", "32901 more errors were truncated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, compileText(tt.text), tt.want)
		})
	}
	for _, tt := range []struct{ name, text string }{
		{"10,000 terms of &&", strings.Repeat("true&&", 10_000) + "true"},
		{"a list of 10,000", "[" + strings.Repeat("1,", 10_000) + "].size() == 1"},
		{"700 comparisons", strings.Repeat("1==1&&", 700) + "true"},
		{"all macros nested", "[1].all(a, [1].exists(b, [1].exists_one(c, [1].map(d, [1].filter(e, {1: 1}.all(f, g, {1: 1}.exists(h, i, " +
			"{1: 1}.existsOne(j, k, {1: 1}.transformList(l, m, {1: 1}.transformMap(n, o, {1: 1}.transformMapEntry(p, q, " +
			"{1: optional.of(1).optMap(r, optional.of(r).optFlatMap(s, optional.of([s].sortBy(t, t))))}))) != []))))) != [])))"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, compileText(tt.text))
		})
	}
}

// TestTotal: the expressions of a definition have a limit together.
func TestTotal(t *testing.T) {
	var c Checker
	var total Total
	c.CountTo(&total)
	total.spend(maxTotal * 9 / 10)
	text := "[1]" + strings.Repeat(".map(x, {x: x})", 17) + ".size() == 1 && undeclared"
	refused := 0
	for range 30 {
		if _, err := c.Rule(text, nil, false, false); !strings.Contains(err.Error(), "undeclared reference") {
			require.ErrorContains(t, err, "the expressions of the definition would take too long to type-check")
			refused++
		}
	}
	require.Positive(t, refused)
	require.Less(t, refused, 30)
	_, err := c.Rule("1 == 1", nil, false, false)
	require.ErrorContains(t, err, "the expressions of the definition would take too long to type-check")
}

// TestReuse: what is used again counts in each total, and is no work.
func TestReuse(t *testing.T) {
	var work Work
	first, second := NewTotal(&work), NewTotal(&work)
	first.spend(maxTotal)
	require.False(t, first.Exhausted())
	require.NoError(t, second.Reuse(maxTotal))
	require.Error(t, second.Reuse(1))
	require.True(t, second.Exhausted())
	third := NewTotal(&work)
	third.spend(maxWork - maxTotal)
	require.False(t, third.Exhausted(), "all have more than one")
	third.spend(1)
	require.True(t, third.Exhausted())
	require.True(t, NewTotal(&work).Exhausted(), "the work of all is done")
	require.True(t, first.Exhausted())
}

// TestHostileSchema: types of fields count too, though they are not known before the check.
func TestHostileSchema(t *testing.T) {
	deep := func(n int) *types.SchemaType {
		node := &schema.JSONSchemaProps{Type: "string"}
		for range n {
			node = &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: node}}
		}
		s, err := schema.CompileLoose(&schema.JSONSchemaProps{
			Type:       "object",
			Properties: map[string]*schema.JSONSchemaProps{"deep": node, "flat": {Type: "string"}},
		})
		require.NoError(t, err)
		return types.Scope(plan.Root(s))
	}
	self := deep(3000)
	_, err := new(Checker).Rule("self.flat == ''", self, false, false)
	require.NoError(t, err)
	_, err = new(Checker).Rule("self.deep == self.deep", self, false, false)
	require.NoError(t, err)
	_, err = new(Checker).Rule("self.deep == self.deep && self.other", self, false, false)
	require.ErrorContains(t, err, "undefined field 'other'")
	_, err = new(Checker).Rule(strings.Repeat("self.deep == self.deep || ", 3800)+"true", self, false, false)
	require.ErrorContains(t, err, "expression would take too long to type-check")

	work := func(total *Total) error {
		var c Checker
		c.CountTo(total)
		_, err := c.Rule("self.deep == self.deep && self.other", self, false, false)
		return err
	}
	var once, total Total
	require.ErrorContains(t, work(&once), "undefined field 'other'")
	total.spend(maxTotal - once.Spent()*3/2)
	for _, want := range []string{"undefined field 'other'", "expressions of the definition would take too long", "expressions of the definition would take too long"} {
		require.ErrorContains(t, work(&total), want)
	}
}

// TestLongErrors: what errors show of types counts too.
func TestLongErrors(t *testing.T) {
	large := "[1]" + strings.Repeat(".map(x, {x: x})", 15)
	require.ErrorContains(t, compileText(large+" + 1"), "found no matching overload for '_+_' applied to '(list(map(")
	err := compileText("[" + large + "].map(e, " + strings.Repeat("e + 1 == 1 || ", 100) + "e)")
	require.EqualError(t, err, "ERROR: <input>:-1:0: expression would take too long to type-check")
}

// TestMemoryIsNotKept: a checker does not keep the memory of an unusual expression.
func TestMemoryIsNotKept(t *testing.T) {
	var c Checker
	for _, text := range []string{
		"[" + strings.Repeat("1, ", 2*maxKept) + "1].size() == 1", strings.Repeat("dyn(true)[0] && ", maxKept/6) + "true",
	} {
		_, err := c.compile(text, &scope{provider: declareNothing()})
		require.NoError(t, err)
		require.LessOrEqual(t, cap(c.in.parts), 2*maxKept)
		require.LessOrEqual(t, max(cap(c.in.bound), cap(c.in.trail)), maxKept)
	}
}
