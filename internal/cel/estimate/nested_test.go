package estimate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// costIn returns what rule costs in a minor version.
func costIn(t testing.TB, typ *types.SchemaType, rule string, minor since.Minor) uint64 {
	t.Helper()
	e, err := new(check.Checker).Rule(rule, typ, false, true)
	require.NoError(t, err, rule)
	by := estimator()
	by.For(minor)
	return by.Cost(e.AST, typ)
}

// CES-070 to CES-074: the costs of 1.37 and of 1.38.
func TestNestedSizes(t *testing.T) {
	typ := self(t, object)
	for _, row := range []struct {
		rule      string
		old, next uint64
	}{
		// CES-073.
		{`has(self.u) == has(self.u)`, 2 + 1, 2 + 314573},
		{`!has(self.u) == !has(self.u)`, 2 + 2 + 1, 2 + 2 + 1},
		{`has(self.s) == has(self.t)`, 2 + 1, 2 + 20},
		{`has(self.i) == has(self.j)`, 2 + 1, 2 + 0},
		{`has((self.b ? self.o : self.o).f)`, 2 + 2, 2 + 2},
		{`has((self.b ? self.os[0] : self.os.filter(x, true)[0]).i)`, 2 + 2 + 11 + 20*13 + 1, 2 + 2 + 11 + 20*13 + 1},
		{`has((self.b ? dyn(self.o) : self.o).f)`, 2 + 3, 2 + 3 + 1},

		// CES-074.
		{`type(self.i) == type(self.u)`, 2 + 2 + 2 + oneTenth, 2 + 2 + 2 + 1},
		{`dyn(self.o).f == 'a'`, 3, 3 + 1 + 1},
		{`url(self.s).getHost().contains('a')`, 2 + 40 + 1 + oneTenth, 2 + 40 + 1 + 40},
		{`url(self.s).getEscapedPath().contains('a')`, 2 + 40 + 1 + oneTenth, 2 + 40 + 1 + 120},

		// CES-071.
		{`self.s.split('@')[0].contains('a')`, 2 + 80 + 1 + 0, 2 + 80 + 1 + oneTenth}, // the size of self, an object, is 0
		{`self.s.split('@')[0] == self.t`, 2 + 80 + 1 + 2 + 0, 2 + 80 + 1 + 2 + 20},
		{`self.l.reverse()[0] == self.u`, 2 + 11 + 10 + 1 + 2 + 0, 2 + 11 + 10 + 1 + 2 + 10},
		{`self.l.distinct()[0] == self.u`, 2 + 11 + 2*10*10 + 1 + 2 + 0, 2 + 11 + 2*10*10 + 1 + 2 + 10},
		{`self.l.sort()[0] == self.u`, 2 + 11 + 210 + 1 + 2 + 0, 2 + 11 + 210 + 1 + 2 + 10},
		{`lists.range(3)[0] == 1`, 11 + 3 + 1 + 0, 11 + 3 + 1 + 1},
		{`{'a': self.l}['a'][0] == self.u`, 314609, 30 + 2 + 1 + 1 + 2 + 10},

		// CES-070, CES-072.
		{`[self.l].all(x, x.all(y, y == self.u))`, 18, 18},
		{`self.os.map(x, x.l)[0][0] == self.u`, 314870, 301},
		{`self.os.map(x, x.name).all(y, y == self.u)`, 414, 414},
		{`self.os.filter(x, x.i > 0)[0].name == self.u`, 314910, 314910},
		{`(self.b ? self.l : ['abc'])[0] == self.u`, 15, 25},
		{`(self.l + ['abc'])[0] == self.u`, 16, 26},
		{`self.m.transformMap(k, v, v + 'a')['a'] == self.u`, 124, 131},
		{`[optional.none(), optional.of('a')].size() == [?optional.none(), ?optional.of('a')].size()`, 27, 27},
		{`self.?l.optMap(x, x.all(y, y == self.u)).orValue(true)`, maxUint, maxUint},
		{`dyn(self.l).all(x, x == self.u)`, 64, 64},
	} {
		require.Equal(t, row.old, costIn(t, typ, row.rule, 37), "1.37: %s", row.rule)
		require.Equal(t, row.next, costIn(t, typ, row.rule, 38), "1.38: %s", row.rule)
	}
}

// Before 1.33, an item of a literal had the size of self.
func TestItemsOfLiterals(t *testing.T) {
	typ := self(t, object)
	const rule = `['abc', 'de'][0].contains(self.u)`
	require.NotEqual(t, costIn(t, typ, rule, 32), costIn(t, typ, rule, 33))
	require.Equal(t, costIn(t, typ, rule, 33), costIn(t, typ, rule, 37))
}

// Before 1.37, the function matches cost 1, whatever its arguments. The method has always had a cost by their lengths.
func TestCostOfMatches(t *testing.T) {
	typ := self(t, object)
	const function, method = `matches(self.u, 'a+')`, `self.u.matches('a+')`
	require.Equal(t, uint64(3), costIn(t, typ, function, 36)) // self, self.u and the call
	for _, minor := range []since.Minor{30, 36, 37, 38} {
		require.Equal(t, uint64(2+314573), costIn(t, typ, method, minor), "%s", minor)
	}
	require.Equal(t, costIn(t, typ, method, 37), costIn(t, typ, function, 37))
}

// Loops that put what they get into maps double the sizes with each: they are limited.
func TestNestedSizesAreLimited(t *testing.T) {
	typ := self(t, object)
	rule := "self.l" + strings.Repeat(".map(x, {dyn(x): dyn(x)})", 40)
	rule = "[" + rule + ", " + rule + "].size() == 2"
	begin := time.Now()
	costIn(t, typ, rule, 38)
	require.Less(t, time.Since(begin), 5*time.Second)
}
