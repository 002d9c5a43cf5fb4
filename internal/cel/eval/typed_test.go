package eval

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

// typedRules have everything that is run in another way where its type is known.
var typedRules = []string{
	"self.i == 3", "self.i != 3", "3 == self.i", "self.i < 4", "self.i >= self.l[0]", "self.i + 1 > 3", "self.i == self.l[1]", "self.l[7] == 1",
	"self.s == 'abcdefghijkl'", "self.s != ''", "self.s == self.m.k1", "self.s < self.a__dash__b", "self.o.t == 'x'", "has(self.o.t) ? self.o.t == 'x' : has(self.o)",
	"self.b", "!self.b", "self.b == has(self.s)", "self.b != (self.i > 2)", "self.b && has(self.m.k1) && self.m.k2 == 'v2'", "self.b || self.i > 7 || has(self.o.x)",
	"self.nul == 'a'", "has(self.nul)", "has(self.mn.k1)", "dyn(self.mn.k1) == null", "self.mn['k1'] == 'a'", "has(self.keep.x) && self.keep.x == 1",
	"self.num > 1.0", "self.num == 1.5", "self.ios == '80%'", "self.ios == 80", "self.ios in ['80%', 'x']", "self.by == b'hi'", "self.du < duration('2h')",
	"has(self.d) && self.d.getFullYear() == 2026", "self.dt > self.d", "self.namespace in ['prod', 'test'] || self.s in ['a']", "self.i in [1, 2, 3]",
	"self.__namespace__ == 'prod'", "size(self.l) == 3", "size(self.m) < 3", "self.s.size() == 12", "self.lm.size() + size(self.lk) == 4",
	"self.l.all(x, x > 0)", "self.l.exists(x, x == 2)", "self.l.exists_one(x, x in [1, 5])", "self.l.filter(x, x > 1).size() == 2", "self.l.map(x, x + 1).size() == 3",
	"self.l.map(x, x > 1, x * 2) == [6, 4]", "self.lm.all(x, self.lm.exists_one(y, x.k == y.k && x.v == y.v))", "self.lm.filter(x, x.v > 1)[0].k == 'b'",
	"self.lk.exists(x, x.k__dash__k == 'a')", "self.m.all(k, k.startsWith('k') && self.m[k].contains('v'))", "self.mn.exists(k, dyn(self.mn[k]) == null)",
	"self.lm.all(i, x, i < 2 && has(x.k))", "self.m.all(k, v, v == 'v1' || k == 'k2')", "self.ls.all(x, x.matches('^[a-z]$'))", "self.set.exists_one(x, x == 'a')",
	"self.s.startsWith('abc')", "self.s.endsWith(self.ls[0])", "self.s.contains('def') == self.b", "self.s.find('[d-f]+') == 'def'", "self.s.find('^x') == ''",
	"self.s.split('f')[0].size() == 5", "self.s.split('f').all(x, x != '')", "(self.b ? self.s : self.namespace) == 'abcdefghijkl'", "(self.b ? self.i : self.l[0]) == 3",
	"dyn(self.i) == self.s", "dyn(self.s) == 3", "dyn(self.s).startsWith('a')", "dyn(self.i) < 4", "dyn(self.b) ? true : false", "dyn(self.l).all(x, x == 1)", "!dyn(self.b)",
	"dyn(self.i) in ['a']", "self.s.startsWith(dyn(self.i))", "dyn(self.o).x == 1 && dyn(self.s).find('a') == 'a'", "self.kind == 'Case' && self.metadata.name == 'one'",
	"self.emb.metadata.name == 'p'", "has(self.metadata.generateName)", "size(self.ls) == 2 && self.ls[0] == 'b' && self.ls[1] != 'b'", "[self.i, 1].exists(x, x == 3)",
	"optional.of(self.l).optMap(x, x.exists(y, y == 2)).orValue(false)", "optional.of(self.s).optMap(x, x == 'a' || x.size() > 3).value()", "self == oldSelf", "self.i >= oldSelf.i", "has(oldSelf.s) ? oldSelf.s == self.s : true",
	"self.l.exists(x, x in oldSelf.l)", "self.?o.?t.orValue('x') == 'x'", "self.?l[?9].hasValue()", "self.lm.map(x, x.k).exists(k, k == 'a')", "string(self.i) == '3'",
}

// misfits are values where another type is expected.
var misfits = []any{nil, true, int64(7), 1.25, "text", "", []any{}, []any{nil, int64(1)}, map[string]any{}, map[string]any{"k1": nil}, 5, float32(1), []string{"a"}}

// spoiled returns data in which some things are missing or of another kind.
func spoiled(r *rand.Rand, data any, often int) any {
	if r.IntN(100) < often {
		return misfits[r.IntN(len(misfits))]
	}
	switch x := data.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, v := range x {
			if r.IntN(100) >= often {
				m[k] = spoiled(r, v, often)
			}
		}
		return m
	case []any:
		l := slices.Clone(x)
		for i := range l {
			l[i] = spoiled(r, l[i], often)
		}
		return l
	}
	return data
}

// agrees runs a rule as it is planned and in the general way, and requires the same outcome and cost.
func agrees(t *testing.T, n *plan.Node, rule string, optional bool, in *Input, limit int64) {
	t.Helper()
	checked, err := CheckRule(rule, types.Scope(n), optional)
	require.NoError(t, err, rule)
	p, err := Plan(checked, n)
	require.NoError(t, err, rule)
	general, err := (&planner{ast: checked, slots: freeSlot, general: true}).program()
	require.NoError(t, err, rule)
	want := NewMachine(context.Background(), limit).Run(general, in)
	require.Equal(t, want, NewMachine(context.Background(), limit).Run(p, in), "%s on %v", rule, in.Self)
}

// What a program gives and costs does not depend on what is known of its values beforehand.
func TestTypedAgrees(t *testing.T) {
	n := compiled(t, everything)
	data := given.Object(t, example)
	r := rand.New(rand.NewPCG(1, 2))
	for _, rule := range typedRules {
		agrees(t, n, rule, false, &Input{Node: n, Self: data, Old: data, OldSelf: OldPlain}, 1_000_000)
		for range 20 {
			self, old := spoiled(r, data, 8), spoiled(r, data, 8)
			agrees(t, n, rule, false, &Input{Node: n, Self: self, Old: old, OldSelf: OldPlain}, 1_000_000)
			agrees(t, n, rule, false, &Input{Node: n, Self: self, Old: old, OldSelf: OldPlain}, r.Int64N(30))
		}
	}
}

func FuzzTypedAgrees(f *testing.F) {
	n := compiled(f, everything)
	data := given.Object(f, example)
	f.Add(uint64(1), 0, 5, int64(1000))
	f.Fuzz(func(t *testing.T, seed uint64, rule, often int, limit int64) {
		r := rand.New(rand.NewPCG(seed, 1))
		often = min(max(often, 0), 40)
		in := &Input{Node: n, Self: spoiled(r, data, often), Old: spoiled(r, data, often), OldSelf: OldPlain}
		agrees(t, n, typedRules[uint(rule)%uint(len(typedRules))], false, in, max(limit, 0))
	})
}
