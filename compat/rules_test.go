package compat

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
)

func implied(have, want string) bool {
	return impliedBy(conjuncts(&plan.Rule{Rule: want}, nil), conjuncts(&plan.Rule{Rule: have}, nil), &proofState{steps: math.MaxInt})
}

func TestRulesEqual(t *testing.T) {
	for _, c := range [][2]string{
		{"self.a == 1", "1 == (self.a)"},
		{"self.a && self.b && self.c", "self.c && (self.a && self.b)"},
		{"self.a > 1", "1 < self.a"},
		{"self.a >= self.b", "self.b <= self.a"},
		{"size(self.a) > 1", "self.a.size() > 1"},
		{"self.all(x, x > 1)", "self.all(each, 1 < each)"},
		{"self.all(x, x.all(y, x == y))", "self.all(a, a.all(b, b == a))"},
		{"self.exists(k, v, k == v)", "self.exists(x, y, y == x)"},
		{"!(self.a && self.b)", "!self.a || !self.b"},
		{"!(self.a == 1)", "self.a != 1"},
		{"!!self.a", "self.a"},
		{"self.a in ['x', 'y']", "self.a in ['y', 'x', 'x']"},
		{"self.a in ['x', 'y']", "self.a == 'x' || self.a == 'y'"},
		{"self.a || self.a", "self.a"},
		{"true && self.a", "self.a"},
		{"has(self.a) ? has(self.b) : true", "has(self.a) ? has(self.b) : (true || self.c)"},
		{"self.l.sortBy(x, x.a)[0] > 1", "self.l.sortBy(y, y.a)[0] > 1"},
		{"self.a == true", "self.a"},
		{"self.a == false", "!self.a"},
		{`self.matches("a\\.b")`, `self.matches('a\\.b')`},
	} {
		require.True(t, implied(c[0], c[1]) && implied(c[1], c[0]), "%s\n%s", c[0], c[1])
	}
}

// Clauses: CMP-004.
func TestRulesImplied(t *testing.T) {
	for _, c := range [][2]string{
		{"self.a && self.b", "self.a"},
		{"self.a", "self.a || self.b"},
		{"self.a < 5", "self.a < 6"},
		{"self.a < 5", "self.a <= 5"},
		{"self.a >= 5", "self.a > 4"},
		{"size(self) <= 5", "self.size() <= 6"},
		{"self.a in ['x']", "self.a in ['x', 'y']"},
		{"self.a == 'x'", "self.a in ['x', 'y']"},
		{"self.all(x, x == 'a')", "self.all(x, x in ['a', 'b'])"},
		{"(has(self.a) && !has(self.b)) || (!has(self.a) && has(self.b))", "!(has(self.a) && has(self.b))"},
		{"self.m == 'A' || self.m == 'B' ? self.ok : true", "self.m == 'A' ? self.ok : true"},
		{"self.a", "self.a || oldSelf.b"},
	} {
		require.True(t, implied(c[0], c[1]), "%s\n%s", c[0], c[1])
		require.False(t, implied(c[1], c[0]), "%s\n%s", c[1], c[0])
	}
}

func TestRulesThatDiffer(t *testing.T) {
	for _, c := range [][2]string{
		{"self.a", "self.b"},
		{"self.a == 1", "self.a == 2"},
		{"self.a == 1", "self.a == '1'"},
		{"self.a == 1", "self.a == 1.0"},
		{"self.a < self.b", "self.b < self.a"},
		{"self.all(x, x == self)", "self.all(self, self == self)"},
		{"self.all(x, self.all(y, x < y))", "self.all(x, self.all(y, y < x))"},
		{"self.a || !self.a", "true && self.c"},     // an error of self.a
		{"self.b", "self.b && (self.a || !self.a)"}, // likewise
		{"self.a != 'x'", "self.a in ['y']"},
		{"has(self.a) && self.b", "has(self.a) ? self.c : self.b"},
		{"self.a && oldSelf.b", "self.a"}, // the first does not apply to a create
		{"(", "self.a"},
		{"self.all(x, x > 1)", "self.all(i, x, i > 1)"}, // an item and an index
		{"self.a == 1", "!(self.a == 1.0)"},             // where self.a is dynamic
		{"self.a in [1, 2]", "self.a in [1]"},
		{"self.a in [1.5, 2.5]", "self.a == 1.5"},
		{"self.exists(x, x > 1)", "self.all(x, x > 1)"},
		{"self.a || self.b", "self.a"},
		{"self.a == true", "!self.a"},
		{"self.a == 'x'", "self.a"},
		{"!(self.a in [])", "!self.a"},
		{"self.a", "self.a < 5"},
		{"self.a < 5", "self.a"},
		{"self.a < 5", "5 > self.b"},
		{"self.a < 5", "self.a > 4"},
		{"self.a < 6", "self.a < 5"},
		{"self.a <= 5", "self.a < 5"},
		{"self.a < 9007199254740993", "self.a < 9007199254740992"}, // equal as floats
		{"self.a > -9007199254740993", "self.a > -9007199254740992"},
		{"self.a && self.b == .oldSelf.b", "self.a"},
		{"self.a && self.l.all(oldSelf, oldSelf > 1)", "self.a"},
	} {
		require.False(t, implied(c[0], c[1]), "%s\n%s", c[0], c[1])
	}
}

// Proofs end if there are too many conditions. Clauses: CMP-006.
func TestRulesTooMany(t *testing.T) {
	rule := func(n int, otherwise string) string {
		var some []string
		for i := range n - 1 {
			some = append(some, fmt.Sprint("self.b", i))
		}
		return "(self.a ? " + strings.Join(some, " || ") + " : " + otherwise + ")"
	}
	for _, otherwise := range []string{"true", "false"} { // constants are not conditions
		require.True(t, implied(rule(9, otherwise), rule(9, otherwise)+" || self.b0"))
		require.False(t, implied(rule(10, otherwise), rule(10, otherwise)+" || self.b0"))
	}
	have, want := conjuncts(&plan.Rule{Rule: "self.a ? self.b : self.c"}, nil), conjuncts(&plan.Rule{Rule: "!self.a || self.b || self.d"}, nil)
	const steps = 81 * 2 * 4 // cases, expressions, and conditions
	require.True(t, impliedBy(want, have, &proofState{steps: steps}))
	require.False(t, impliedBy(want, have, &proofState{steps: steps - 1}))
}
