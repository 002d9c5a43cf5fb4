package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/debug"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// ids shows the id of each part, and the type that it has.
type ids struct{ *ast.AST }

func (a ids) GetMetadata(part any) string {
	e, ok := part.(interface{ ID() int64 })
	if !ok {
		return ""
	}
	id := e.ID()
	text := fmt.Sprintf("^#%d:%s", id, checker.FormatCELType(a.GetType(id)))
	if r, ok := a.ReferenceMap()[id]; ok {
		text += fmt.Sprintf(":%q %q %v", r.Name, r.OverloadIDs, r.Value)
	}
	return text + "#"
}

// show prints a checked expression with all that is known of its parts.
func show(a *ast.AST) string {
	var all []int64
	for id := range a.TypeMap() {
		all = append(all, id)
	}
	slices.Sort(all)
	return fmt.Sprint(debug.ToAdornedDebugString(a.Expr(), ids{a}), len(a.ReferenceMap()), all)
}

// requireSame checks a text in both ways. The results of the package's own check must be the same as those of cel-go,
// and plain expressions must have a program. It reports whether there was anything to compare, and whether cel-go has a
// result.
func requireSame(t *testing.T, text string, self *declare.Type, optional, stored bool) (own, any bool) {
	t.Helper()
	want, err := check.Ask(text, self, optional, stored)
	got := check.Infer(text, self, optional, stored)
	if got == nil {
		return false, err == nil
	}
	require.NoError(t, err, text)
	require.Equal(t, show(celgo.AST(want.AST)), show(celgo.AST(got.AST)), text)
	require.Equal(t, want.UsesOldSelf, got.UsesOldSelf, text)
	if _, err := eval.Plan(got.AST, self.Node()); got.Plain {
		require.NoError(t, err, text)
	}
	return true, true
}

// expressions are about the fields of node. All of them compile, and need no help from cel-go.
var expressions = []string{
	"self.b", "!self.b || -self.i % 2 == 0 && self.n > 1.5", "self.s == oldSelf.s", "self == oldSelf", "self.namespace == self.__namespace__",
	"self.`a__dash__b` == self.a__dash__b", "has(self.o.x) && has(self.o)", "self.ls.all(e, e.startsWith('a') && e.matches('^a+$'))",
	"self.ls.exists(e, self.li.exists(f, f == e.size()))", "self.ls.map(e, e + '-').filter(e, e != 'a-').size() > 0", "self.ls.exists_one(e, e == 'a')",
	"self.m.all(k, self.m[k] == k)", "self.m.all(k, v, k == v) && self.ls.existsOne(i, e, i == 1 && e == 'a')", "'a' in self.m && 1 in self.li",
	"self.m.transformMap(k, v, v + k).size() == self.m.transformMapEntry(k, v, {v: k}).size()", "self.ls.transformList(i, e, e)[0] == ''",
	"self.ls.sortBy(e, e.size())[0] == 'a'", "self.?s.optMap(v, v.size()).orValue(1) == self.?o.optFlatMap(v, v.?x).orValue(1)",
	"self.?o.x == optional.none() && self.ls[?0].or(self.ls.first()).orValue('') == [?self.ls.last()][0]", "{'a': 1, ?'b': self.?i}.size() == 1",
	"[[], [1]].size() == 2 && [{}, {'a': 1}].size() == 2 && [optional.none(), optional.of(1)].size() == 2", "[self.x, dyn(1)].size() == 2",
	"self.x == 1 && self.x == 'a' && type(self.x) == int", "self.x.y.z[0].all(e, e.g.h == e)", "type(self.d) == duration || type(self.t) == timestamp",
	"self.t + self.d > self.t - self.d && self.d + self.d == duration('1s')", "int(self.s) + int(1.5) == size(self.by) && string(self.i) == 'a'",
	"self.b ? self.s : self.nul", "self.b ? self.x : 1", "self.o == null && self.t == null && null != self.o", "self.i < 1.5 && self.i <= 2u && self.n > 1",
	"sets.contains(self.ls, ['a']) && sets.intersects([1], self.li)", "lists.range(3).slice(0, 1).reverse().distinct().flatten(1) == self.li.sort()",
	"self.li.sum() > self.li.min() && self.li.isSorted() && self.ls.indexOf('a') == self.s.indexOf('a')", "self.s.find('a') in self.s.findAll('a', 1)",
	"isURL(self.s) && url(self.s).getQuery()['a'][0] == ''", "cidr(self.s).containsIP(ip(self.s)) && cidr(self.s).ip().isLoopback()",
	"quantity('1k').add(1).isGreaterThan(quantity('1'))", "!format.named('uuid').value().validate(self.s).hasValue()", "'%s %d'.format([['a', 1], 1])",
	"self.ls.map(self, self + oldSelf.s)", "self.ls.all(oldSelf, oldSelf == self.s)", "[].map(x, x)", "[].all(x, x.y == x[0] && x)", "{}.map(x, {x: []})",
	"[[]] + [[1]] == [self.li]", "[1].map(x, [x]).map(y, {y: [y]})", "dyn([1])[0] + dyn(1) == self.i", "strings.quote(self.s) == self.s", "self.p == self.p",
	"[self.o, self.o].map(e, e.x)[0] == 1", "{'a': self.o}.a.x == 1", "{'a': self.o}['a'].x == {'b': {'c': 1}}.b.c", "optional.of(self.o).x.orValue(1) == 1",
	"[optional.none()].map(o, o.orValue(1))", "'a' + 'b' + self.s + 'c' + (self.b ? 'd' : 'e')", "self.by == b'a' && self.by.size() == 1", "int == type(1)",
	"1 == 1 && 2 != 3 && [1] == [2] && {1: 2} == {}", "self.ls == [] || self.m == {}", "[self.i, 1][0] == 1",
}

// TestInfer: the package's own check has what cel-go has, types, overloads and all (CTY-030 to CTY-035, CEN-010 to
// CEN-034).
func TestInfer(t *testing.T) {
	self := typeOf(t, node)
	for _, text := range expressions {
		for _, stored := range []bool{false, true} {
			own, _ := requireSame(t, text, self, false, stored)
			require.True(t, own, text)
			requireSame(t, text, self, true, stored)
		}
	}
	for _, text := range []string{"oldSelf.orValue(self).s == oldSelf.?s.orValue('')", "oldSelf.optMap(o, o.i <= self.i).orValue(true)"} {
		own, _ := requireSame(t, text, self, true, true)
		require.True(t, own, text)
	}
}

// TestLeftToCELGo: what has a fault or is rare is nothing for the package's own check.
func TestLeftToCELGo(t *testing.T) {
	self := typeOf(t, node)
	for _, text := range []string{
		"", "self.", "self.zz", "undeclared", "self.s + 1", "self.s && true", "self.b ? 1 : 'a' == 'b'", "1 in self.ls", "self.i.all(x, true)", "self.s.zz()",
		"zz(1)", "self.s.size(1)", "self.ls[0].x", "self.s.x", "[?1]", "{?'a': 1}", "self.ls.all(x, 1)", "[1, 'a'].size() == 2 && duration('x') == duration('')",
		"self.s.matches('(')", "timestamp('x') == self.t", "'%d'.format(['a']) == ''", "google.protobuf.Int64Value{value: 1} == 1", ".self.b", "self.quantity('1').x",
		"quantity('1').x", "ip('::').x", "type(self.t) == google.protobuf.Timestamp", "google.protobuf.NullValue.NULL_VALUE == 0", "self == selfType",
		"self.ls.map(x, x + 1)", "[[1], ['a']].map(x, x + [1])[0] + 'a'",
	} {
		require.Nil(t, check.Infer(text, self, false, false), text)
	}
	require.Nil(t, check.Infer("self", nil, false, false))
	require.NotNil(t, check.Infer("1 == 1", nil, false, false))
}

// TestPlain: a conversion of a constant, a type and an unread pattern may be the reason that there is no program
// (CER-040).
func TestPlain(t *testing.T) {
	self := typeOf(t, node)
	for text, plain := range map[string]bool{
		"self.ls[0] == self.m['a']": true, "self.s.matches('^a')": true, "self.s.matches(self.s)": true, "int(self.s) == 1": true, "self.ls.all(e, int(e) > 1)": true,
		"int('a') == 1": false, "self.s.matches('a' + 'b')": false, "matches(self.s, 'a')": false, "self.s.find('(') == ''": false, "type(self.s) == string": false,
		"self.x[null] == 1": false, "int(string(1)) == 1": false, "dyn(int) == 1": false,
		"dyn(self)[[1]] == 1": false, "has(dyn(self)[{}].a)": false,
	} {
		e := check.Infer(text, self, false, false)
		require.NotNil(t, e, text)
		require.Equal(t, plain, e.Plain, text)
	}
	e, err := check.Ask("true", self, false, false)
	require.NoError(t, err)
	require.False(t, e.Plain, "nobody has looked")
}

// TestInferAtRandom does the same for random combinations of realistic expressions.
func TestInferAtRandom(t *testing.T) {
	self := typeOf(t, node)
	w := writer{rand.New(rand.NewPCG(1, 2))}
	own, all := 0, 0
	for range 2000 {
		mine, any := requireSame(t, w.expression(1+w.IntN(4)), self, w.IntN(4) == 0, w.IntN(2) == 0)
		if mine {
			own++
		}
		if any {
			all++
		}
	}
	require.Greater(t, all, 250, "few are without a fault")
	require.Greater(t, own*100, all*98, "nearly all of which the package has itself")
}

// A writer makes expressions up.
type writer struct{ *rand.Rand }

func (w writer) one(of ...string) string { return of[w.IntN(len(of))] }

// expression returns an expression that is nested so deep. Its types fit where they do by chance, or where anything
// does.
func (w writer) expression(depth int) string {
	if depth == 0 {
		return w.one("self.b", "self.i", "self.n", "self.s", "self.by", "self.d", "self.t", "self.ls", "self.li", "self.m", "self.o", "self.p", "self.x", "self.nul",
			"self", "oldSelf", "oldSelf.s", "e", "k", "v", "1", "1.5", "2u", "'a'", "b'a'", "true", "null", "[]", "{}", "[1]", "['a']", "{'a': 1}", "optional.none()",
			"self.?s", "self.o.x", "self.ls[0]", "self.m['a']", "self.m.a", "int", "self.x.y", "self.namespace")
	}
	e := func() string { return w.expression(depth - 1) }
	switch w.IntN(14) {
	case 0:
		return e() + w.one(" == ", " != ", " in ", " + ", " - ", " * ", " / ", " < ", " >= ", " && ", " || ") + e()
	case 1:
		return "(" + e() + w.one(" == ", " < ", " && ", " + ") + e() + ")"
	case 2:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 3:
		return "[" + strings.Join([]string{e(), w.one("", "?") + e()}, ", ") + "]"
	case 4:
		return "{" + e() + ": " + e() + ", " + w.one("", "?") + "'b': " + e() + "}"
	case 5:
		return w.one("[", "self.ls", "self.li", "self.m") + w.one("][0]", "["+e()+"]", "[?"+e()+"]", "")
	case 6:
		return e() + w.one(".size()", ".x", ".?x", ".value()", ".orValue("+e()+")", ".or("+e()+")", ".hasValue()", ".first()", ".sort()", ".distinct()", ".flatten()",
			".indexOf("+e()+")", ".contains("+e()+")", ".reverse()", ".sum()", ".join()", ".split(',')", ".includes("+e()+")", ".getHours()")
	case 7:
		return w.one("size(", "string(", "int(", "dyn(", "type(", "optional.of(", "duration(", "!(", "-(", "bool(", "double(", "quantity(", "optional.unwrap(") + e() + ")"
	case 8:
		return e() + w.one(".all(e, ", ".exists(e, ", ".exists_one(e, ", ".map(e, ", ".filter(e, ", ".all(k, v, ", ".sortBy(e, ", ".optMap(v, ", ".optFlatMap(v, ") + e() + ")"
	case 9:
		return e() + w.one(".map(e, "+e()+", ", ".transformList(k, v, ", ".transformMap(k, v, ", ".transformMapEntry(k, v, ", ".existsOne(k, v, ") + e() + ")"
	case 10:
		return "has(self." + w.one("s", "o.x", "m.a", "x.y", "zz") + ")"
	case 11:
		return w.one("self.ls", "self.li", "[self.o]", "{'a': self.o}", "[[]]", "[self.x]") + w.one(".map(e, e)", ".map(e, [e])", ".filter(e, "+e()+")", ".all(e, e == "+e()+")")
	case 12:
		return w.one("sets.contains(", "sets.equivalent(", "sets.intersects(") + e() + ", " + e() + ")"
	}
	return e()
}

// FuzzInfer: what the package's own check has is what cel-go has.
func FuzzInfer(f *testing.F) {
	for i, text := range expressions {
		f.Add(text, i%2 == 0, i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, optional, stored bool) {
		if len(text) > 500 {
			return
		}
		if check.Infer(text, nil, optional, stored) == nil && check.Infer(text, typeOf(t, node), optional, stored) == nil {
			return
		}
		requireSame(t, text, typeOf(t, node), optional, stored)
	})
}
