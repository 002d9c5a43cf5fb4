package estimate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/since"
)

// costIn returns what rule costs in a minor version.
func costIn(t testing.TB, typ *declare.Type, rule string, minor since.Minor) uint64 {
	t.Helper()
	e, err := new(check.Checker).Rule(rule, typ, false, true)
	require.NoError(t, err, rule)
	var by estimate.Estimator
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
		{`has(self.u) == has(self.u)`, 4 + 1, 4 + 314573},
		{`!has(self.u) == !has(self.u)`, 4 + 2 + 1, 4 + 2 + 1},
		{`has(self.s) == has(self.t)`, 4 + 1, 4 + 20},
		{`has(self.i) == has(self.j)`, 4 + 1, 4 + 0},
		{`has((self.b ? self.o : self.o).f)`, 2 + 2, 2 + 2},
		{`has((self.b ? self.os[0] : self.os.filter(x, true)[0]).i)`, 2 + 2 + 11 + 20*13 + 1, 2 + 2 + 11 + 20*13 + 1 + 1},

		// CES-074.
		{`type(self.i) == type(self.u)`, 2 + 2 + 2, 2 + 2 + 2 + 1},
		{`dyn(self.o).f == 'a'`, 3, 3 + 1 + 1},
		{`url(self.s).getHost().contains('a')`, 2, 2},

		// CES-071.
		{`self.s.split('@')[0].startsWith('a')`, 2 + 80 + 1 + 1, 2 + 80 + 1 + 1},
		{`self.l.reverse()[0] == self.u`, 0, 2 + 11 + 10 + 1 + 2 + 10},
	} {
		require.Equal(t, row.old, costIn(t, typ, row.rule, 37), "1.37: %s", row.rule)
		require.Equal(t, row.next, costIn(t, typ, row.rule, 38), "1.38: %s", row.rule)
	}
}

// Loops that put what they get into maps double the sizes with each: they are limited.
func TestNestedSizesAreLimited(t *testing.T) {
	typ := self(t, object)
	rule := "self.l" + strings.Repeat(".map(x, {x: x})", 60)
	rule = "[" + rule + ", " + rule + ", " + rule + "].size() == 3"
	begin := time.Now()
	costIn(t, typ, rule, 38)
	require.Less(t, time.Since(begin), 5*time.Second)
}
