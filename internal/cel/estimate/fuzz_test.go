package estimate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
)

// Whatever passes the checker has a cost, and the same one each time.
func FuzzCost(f *testing.F) {
	for _, rule := range []string{
		`self.os.all(x, x.l.all(y, y != x.name))`,
		`dyn(self.x) in dyn(self.l) || null.check(self.s).allowed()`,
		`self.l.sortBy(a, a + self.s).transformMap(i, v, {v: i}).exists(k, m, m == {})`,
		`[self.?o.?f.optMap(a, a.replace('', a))][?0].value().orValue(self.u) < string(b'' + self.bytes)`,
		`{'a': [1]}.a[0] == 1 ? [].join() == '' : {}.b[dyn(1)].c.__result__.startsWith('')`,
		`google.protobuf.Struct{fields: {'a': google.protobuf.Value{number_value: 1.0}}}.a == 1`,
	} {
		f.Add(rule)
	}
	typ := self(f, object)
	f.Fuzz(func(t *testing.T, rule string) {
		e, err := new(check.Checker).Rule(rule, typ, true, true)
		if err != nil {
			return
		}
		cost := estimator().Cost(e.AST, typ)
		require.Equal(t, cost, estimator().Cost(e.AST, self(t, object)), "a fresh type has the same sizes")
	})
}
