package check_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/debug"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// show prints a checked expression with all that is known of its parts.
func show(a *ast.AST) string {
	var out strings.Builder
	out.WriteString(debug.ToDebugString(a.Expr()))
	for _, id := range slices.Sorted(maps.Keys(a.TypeMap())) {
		fmt.Fprintf(&out, "\n%d: %s", id, checker.FormatCELType(a.GetType(id)))
	}
	for _, id := range slices.Sorted(maps.Keys(a.ReferenceMap())) {
		r := a.ReferenceMap()[id]
		fmt.Fprintf(&out, "\n%d: %q %q %v", id, r.Name, r.OverloadIDs, r.Value)
	}
	return out.String()
}

// A verdict says which results there were to compare.
type verdict struct {
	valid bool // there is no problem
	quick bool // there was a result of the check without positions
}

// requireSame checks a text with and without positions. The results of the type check must be the same as those of
// cel-go, and plain expressions must have a program.
func requireSame(t *testing.T, text string, a check.Asked) verdict {
	t.Helper()
	want, usesOldSelf, fault := check.Ask(text, a)
	got, err := check.Explain(text, a)
	quick := check.Infer(text, a)
	if fault != nil {
		require.Error(t, err, text)
		// In which order cel-go adds the variables of an overload, and so their names, differs from time to time.
		for range 50 {
			if fault.Error() == err.Error() || !strings.Contains(fault.Error(), "_var") {
				break
			}
			_, _, fault = check.Ask(text, a)
		}
		require.Equal(t, fault.Error(), err.Error(), text)
		require.Nil(t, quick, text)
		return verdict{}
	}
	require.Equal(t, show(want), show(celgo.AST(check.Typed(text, a))), text)
	if err != nil { // which the type check has not found
		require.Nil(t, quick, text)
		return verdict{}
	}
	all := []*check.Expr{got}
	if quick != nil {
		all = append(all, quick)
	}
	for _, e := range all {
		require.Equal(t, show(want), show(celgo.AST(e.AST)), text)
		require.Equal(t, usesOldSelf, e.UsesOldSelf, text)
		if _, err := eval.Plan(e.AST, a.Self.Node()); e.Plain {
			require.NoError(t, err, text)
		}
	}
	return verdict{true, quick != nil}
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
			require.True(t, requireSame(t, text, check.Asked{Self: self, Stored: stored}).quick, text)
			requireSame(t, text, check.Asked{Self: self, Stored: stored, Optional: true})
		}
	}
	for _, text := range []string{"oldSelf.orValue(self).s == oldSelf.?s.orValue('')", "oldSelf.optMap(o, o.i <= self.i).orValue(true)"} {
		require.True(t, requireSame(t, text, check.Asked{Self: self, Stored: true, Optional: true}).quick, text)
	}
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
		e := check.Infer(text, check.Asked{Self: self})
		require.NotNil(t, e, text)
		require.Equal(t, plain, e.Plain, text)
	}
}

// TestTypeArguments: since 1.38, the type of something empty is not that of something else. Other types are compared when
// the expression is evaluated.
func TestTypeArguments(t *testing.T) {
	self := typeOf(t, node)
	for text, refused := range map[string]string{
		"type([]) == int": "(type(list(dyn)), type(int))", "type({}) == list": "(type(map(dyn, dyn)), type(list(dyn)))",
		"type(optional.none()) == map":          "(type(optional_type(dyn)), type(map(dyn, dyn)))",
		"type({}) == google.protobuf.Timestamp": "(type(map(dyn, dyn)), type(timestamp))",
		"type(type([])) == type":                "(type(type(list(dyn))), type(type))", "type == type(type([]))": "",
		"type([]) == list": "", "type({}) == type(self.m)": "", "type(1) == string": "", "type(self.m) == int": "", "type(dyn([])) == int": "",
	} {
		before := check.Infer(text, check.Asked{Self: self})
		require.NotNil(t, before, text)
		_, err := check.Explain(text, check.Asked{Self: self, Minor: since.Last})
		if refused == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, "found no matching overload for '_==_' applied to '"+refused+"'", text)
		_, err = check.Explain(text, check.Asked{Self: self, Minor: since.Last, Stored: true})
		require.Error(t, err, text)
	}
}

// odder are texts that people do not write, and some with a problem.
var odder = []string{
	"", "self.", "self.zz", "undeclared", "self.s + 1", "self.s && true", "self.b ? 1 : 'a' == 'b'", "1 in self.ls", "self.i.all(x, true)", "self.s.zz()",
	"zz(1)", "self.s.size(1)", "self.ls[0].x", "self.s.x", "[?1]", "{?'a': 1}", "self.ls.all(x, 1)", "[1, 'a'].size() == 2 && duration('x') == duration('')",
	"self.s.matches('(')", "timestamp('x') == self.t", "'%d'.format(['a']) == ''", "google.protobuf.Int64Value{value: 1} == 1", ".self.b", "self.quantity('1').x",
	"quantity('1').x", "ip('::').x", "type(self.t) == google.protobuf.Timestamp", "google.protobuf.NullValue.NULL_VALUE == 0", "self == selfType",
	"self.ls.map(x, x + 1)", "[[1], ['a']].map(x, x + [1])[0] + 'a'",

	// Several problems, in the order in which they are found and in that of their places.
	"a + b == c && d.e.f(g, h).i || self.zz + 1 == undeclared", "[a, [b, {c: d}]].map(x, y).filter(z, 1)", "f(g(h(1 + 'a')), 2 && 3)", "(1 + 'a') + (2 + 'b')",
	"self.s.size(undeclared, self.zz) + (true + 1)", "1 && 'a' || 2.5 && null", "undeclared ? self.zz : 1 + 'a'", "a.b.c\n  + d.e\n  == 'é世' + 1",
	strings.Repeat("a || ", 120) + "1", strings.Repeat("[1, ?2], ", 101) + "1", "[" + strings.Repeat("[1, ?2], ", 101) + "1]",

	// An error matches all types, also inside others.
	"undeclared + 1 == 'a'", "[undeclared][0] + 1", "undeclared.f.g.h()", "[undeclared, 1][0] + 'a'", "[1, undeclared][0] + 'a'", "{undeclared: 1}['a'].f",
	"undeclared.all(x, x + 1)", "[undeclared].all(x, x)", "self.zz[0]", "self.zz.all(x, y, x && y)", "undeclared.?f.orValue(1) + 'a'", "optional.of(undeclared).f",
	"[?undeclared]", "{?'a': undeclared}", "undeclared in undeclared", "type(undeclared) == int", "undeclared == null", "undeclared ? 1 : 2", "-undeclared",

	// Variables of types show their numbers.
	"[] && true", "{} && []", "optional.none() || [[]]", "[][0] && {}", "[[], [1]] && true", "1 == 1 && []", "[1].map(x, []) && 1", "self.ls.all(x, [])",
	"[?[]]", "{?'a': {}}", "[].all(x, x.f && [])", "1 + 'a' == [] || []", "self.ls[0] == '' && []", "size([]) == 0 && []", "[].map(x, x)[0] && []",
	"[[]][0].all(x, x) && []", "{'a': [], 'b': 1} && []", "dyn([])[0] && []", "[].exists_one(x, {x: x}) && []", "[].filter(x, []) && {}",

	// Names.
	"self.ls.all(self, self == .self.s)", "self.ls.all(self, .self == self)", "[1].all(oldSelf, .oldSelf.b)", "self.ls.all(.x, x == 'a')", "self.ls.all(.x, .x == 'a')",
	"self.ls.all(google, google.protobuf.Duration == google)", "self.ls.all(google, .google.protobuf.Duration == google)", "self.ls.all(int, int == 'a')",
	"self.ls.all(int, .int == type(1))", "self.ls.all(optional, optional.of(optional).hasValue())", "[1].all(x, .x == 1)", "[1].all(x, .x.y == 1)",
	"self.m.all(x, .x, x == 'a')", "self.m.all(.x, x, x == 'a')", "optional.of(1).optMap(.x, x).hasValue()", ".size(self.ls) == 1", ".optional.of(1) == .optional.none()",
	".strings.quote('a') == 'a'", ".zz(1)", ".zz.yy(1)", ".net.IP == .type(ip('::'))", "google.protobuf.Field.Kind.TYPE_INT32 == 5", ".google.protobuf.NullValue.NULL_VALUE == 0",
	"has(google.protobuf.Duration)", "has(google.protobuf.Duration).f", "google.protobuf.Duration.f", "has(self.o).x", "has(self.o.x).y.z", "google.protobuf.NullValue == 1",
	"has(strings.a).quote('a')", "has(optional.x).of(1) == 1", "net.IP.f", "net.zz", "type.f", "[1].map(net, net.IP)", "self.ls.exists(strings, strings.quote(strings) == '')", "self.`s`.`f`", "int.`max`",

	// Messages.
	"google.protobuf.Duration{seconds: 1, nanos: 'a', zz: 1}", "google.protobuf.Struct{fields: {1: 2}}", "google.protobuf.Value{}.zz.yy", "google.protobuf.ListValue{}[0].f",
	"google.protobuf.Any{value: b'a', zz: undeclared}.f", "google.protobuf.FieldMask{?paths: optional.of(['a'])}.paths.all(x, x == 1)", "google.protobuf.FieldMask{paths: 1}",
	"google.protobuf.FieldMask{?paths: ['a']}", "google.protobuf.Empty{}.f", "google.protobuf.Empty{} == null", "google.protobuf.Type{syntax: 1}.syntax + 'a'", "zz{a: b}",
	".google.protobuf.BoolValue{value: true} && true", "google.protobuf.StringValue{value: 'a'}.size() == 1", "google.protobuf.Int64Value{} + 1 == null", "int{a: b}",
	"google.protobuf.NullValue{a: 1}", "list{a: 1}", "map{a: 1, b: 'a'}", "type{a: 1}", "duration{a: 1}", "timestamp{seconds: 1}", "string{}", "net.IP{a: 1}",
	"google.protobuf.NullValue.NULL_VALUE{}", "google.protobuf.Field{kind: 1}.kind == google.protobuf.Field.Kind.TYPE_DOUBLE", "google.protobuf.FloatValue{value: 1}",
	"google.protobuf.Int64Value{value: 1}.all(x, true)", "[google.protobuf.Int64Value{}, null, 1] == []", "google.protobuf.Timestamp{} + google.protobuf.Duration{} == null",

	// Copies and accumulators of macros.
	"zz.optMap(x, x)", "self.?zz.optMap(x, x + 1)", "self.?s.optFlatMap(x, x)", "self.s.optMap(x, x)", "self.?i.optMap(x, x + 'a').optMap(y, y && zz)", "self.ls.sortBy(x, [x])",
	"self.ls.sortBy(x, zz)", "self.s.sortBy(x, x)", "self.ls.transformMap(i, v, i + v)", "self.ls.transformMapEntry(i, v, 1)", "self.m.transformMapEntry(k, v, {1: v, k: 2})",
	"self.ls.map(x, x, x)", "self.ls.map(x, zz, yy)", "self.ls.exists_one(x, 1)", "self.m.existsOne(k, v, v)", "self.i.map(x, x.f)", "null.all(x, true)", "self.o.all(k, v, k)",
}

// TestSame: the results and the errors of odd texts are those of cel-go, in all environments (CER-002, CER-003, CER-030,
// CER-031).
func TestSame(t *testing.T) {
	self := typeOf(t, node)
	list := typeOf(t, "{type: object, additionalProperties: {type: object, properties: {x: {type: integer}}}}")
	for _, text := range slices.Concat(odder, odd) {
		for _, a := range []check.Asked{
			{Self: self}, {Self: self, Stored: true}, {Self: self, Optional: true}, {Self: list}, {},
			{Self: self, Minor: since.Oldest}, {Self: self, Minor: 28}, {Self: self, Minor: 30}, {Self: self, Minor: 33},
		} {
			requireSame(t, text, a)
		}
	}
}

// TestCalls: each function with arguments of all types (CEN-020 to CEN-034).
func TestCalls(t *testing.T) {
	self := typeOf(t, node)
	m := &maker{Rand: rand.New(rand.NewPCG(3, 4)), faults: 1 << 30}
	for _, o := range offers {
		bound := map[string]*types.Type{}
		var args []string
		for _, a := range o.Args {
			args = append(args, m.of(m.closed(a, bound), 0))
		}
		texts := []string{written(o, args)}
		for i := range args {
			texts = append(texts, written(o, slices.Delete(slices.Clone(args), i, i+1)))
			for _, other := range []string{"1", "'a'", "null", "[]", "self.x", "self.o", "type(1)", "undeclared", "optional.of(1)", "{'a': 1}", "ip('::')"} {
				changed := slices.Clone(args)
				changed[i] = other
				texts = append(texts, written(o, changed))
			}
		}
		for _, text := range texts {
			requireSame(t, text, check.Asked{Self: self, Stored: true})
			requireSame(t, text, check.Asked{Self: self, Minor: since.Oldest + since.Minor(m.IntN(int(since.Last-since.Oldest)+1))})
		}
	}
}

var count = flag.Int("expressions", 6000, "how many expressions TestMade makes up; also its seed")

// TestMade: the same for expressions that are made up, many of which have problems.
func TestMade(t *testing.T) {
	self := typeOf(t, node)
	m := &maker{Rand: rand.New(rand.NewPCG(1, uint64(*count)))}
	valid, quick := 0, 0
	for range *count {
		m.faults = []int{1 << 30, 60, 20, 8}[m.IntN(4)]
		a := check.Asked{Self: self, Optional: m.IntN(4) == 0, Stored: m.IntN(2) == 0}
		if m.IntN(4) == 0 {
			a.Minor = since.Oldest + since.Minor(m.IntN(int(since.Last-since.Oldest)+1))
		}
		text := m.text()
		if len(text) > 3000 {
			continue
		}
		v := requireSame(t, text, a)
		if v.valid {
			valid++
		}
		if v.quick {
			quick++
		}
	}
	t.Logf("%d expressions, %d without a problem, %d of which need no positions", *count, valid, quick)
	require.Greater(t, valid, *count/8)
}

// FuzzSame: the same for any text.
func FuzzSame(f *testing.F) {
	for i, text := range slices.Concat(expressions, odder, odd) {
		f.Add(text, i%2 == 0, i%3 == 0, i%5)
	}
	f.Fuzz(func(t *testing.T, text string, optional, stored bool, minor int) {
		if len(text) > 500 || minor < 0 || minor > int(since.Last-since.Oldest) {
			return
		}
		a := check.Asked{Self: typeOf(t, node), Optional: optional, Stored: stored}
		if minor > 0 {
			a.Minor = since.Oldest + since.Minor(minor)
		}
		requireSame(t, text, a)
	})
}
