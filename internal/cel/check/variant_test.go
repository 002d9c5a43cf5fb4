package check_test

import (
	"testing"

	"github.com/google/cel-go/common/ast"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// A result is what the check of a text comes to.
type result struct {
	fault   string
	types   map[int64]string
	meaning map[int64]*ast.ReferenceInfo
}

func resultOf(e *check.Expr, err error) result {
	if err != nil {
		return result{fault: err.Error()}
	}
	checked := celgo.AST(e.AST)
	r := result{types: map[int64]string{}, meaning: checked.ReferenceMap()}
	for id, t := range checked.TypeMap() {
		r.types[id] = t.String()
	}
	return r
}

// requireVariants checks a rule as all versions do: with the same variant they have the same result. It returns how
// many variants there are.
func requireVariants(tb testing.TB, rule string, self *types.SchemaType) int {
	tb.Helper()
	results := map[check.Variant]result{}
	look := func(minor since.Minor, stored bool) {
		var c check.Checker
		c.For(minor)
		v, next := c.Variant(rule, stored), resultOf(c.Rule(rule, self, false, stored))
		if known, ok := results[v]; ok {
			require.Equal(tb, known, next, "%s in %s, stored: %t", rule, minor, stored)
		}
		results[v] = next
	}
	look(0, true)
	look(0, false)
	for m := since.Oldest; m <= since.Last; m++ {
		look(m, false)
	}
	return len(results)
}

func TestVariants(t *testing.T) {
	self := typeOf(t, node)
	for _, tt := range []struct {
		rule     string
		variants int
	}{
		{"self.s == 'a' && has(self.o)", 1},
		{"undeclared == 1", 1},
		{"self.i > 1.5", 2},
		{"isIP(self.s)", 2},
		{"self.s.matches('(')", 3},
		{"self.namespace == ''", 3}, // authorizers have a function of that name,
		{"self.ls.all(e, e != '')", 3},
		{"self.ls.exists(i, e, isIP(e))", 4},
		{"self.ls.includes('a')", 2},
		{"self.ls.indexOf('a') == 0", 2},
		{"self.?s.orValue('') == ''", 2},
		{"self.ls[0] == 'a'", 2},
		{"self.ls \n[0] == 'a'", 2},
		{"[self.ls][0][0] == 'a'", 2},
		{"self.ls // [,\n [0] == 'a'", 2},
		{"self.ls == [[], [ [][0] ]]", 2},
		{"self.ls == [[], [ ['a'] ][0]]", 2},
		{"[[ ['a'] ], []] == [[[]]]", 2},
		{"self.`a__dash__b` == ''", 2},
		{"type([]) == int", 2},
		{"type(self.i) == int", 2},
	} {
		require.Equal(t, tt.variants, requireVariants(t, tt.rule, self), tt.rule)
	}
}
