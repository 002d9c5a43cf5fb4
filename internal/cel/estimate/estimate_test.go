package estimate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

// self returns the type of a node that has the given schema and rules.
func self(t testing.TB, text string) *types.SchemaType {
	t.Helper()
	s := given.Loose(t, "type: object\nproperties: {a: "+text+"}")
	typ := types.Scope(plan.Root(s).Prop("a").Node)
	require.NotNil(t, typ, text)
	return typ
}

func estimator() *estimate.Estimator { return &estimate.Estimator{Functions: eval.StaticCost} }

// cost returns what rule costs; it may be a stored one.
func cost(t testing.TB, typ *types.SchemaType, rule string) uint64 {
	t.Helper()
	e, err := new(check.Checker).Rule(rule, typ, false, true)
	require.NoError(t, err, rule)
	return estimator().Cost(e.AST, typ)
}

const (
	maxUint  = math.MaxUint64
	oneTenth = 1844674407370955264 // of an unknown size (CES-001)
)

// object has what most rules here are about. Strings of n letters have the size 4n.
const object = `{type: object, properties: {
	i: {type: integer}, j: {type: integer}, d: {type: number}, b: {type: boolean}, c: {type: boolean},
	s: {type: string, maxLength: 100}, t: {type: string, maxLength: 50}, u: {type: string}, e: {type: string, enum: [a, bcd]},
	namespace: {type: string, maxLength: 5},
	bytes: {type: string, format: byte, maxLength: 40}, time: {type: string, format: date-time}, x: {x-kubernetes-int-or-string: true, maxLength: 5},
	l: {type: array, maxItems: 10, items: {type: string, maxLength: 25}}, is: {type: array, maxItems: 10, items: {type: integer}},
	m: {type: object, maxProperties: 8, additionalProperties: {type: string, maxLength: 15}},
	o: {type: object, properties: {f: {type: string, maxLength: 30}, g: {type: integer}}},
	os: {type: array, maxItems: 20, items: {type: object, properties: {
		name: {type: string, maxLength: 63}, i: {type: integer}, l: {type: array, maxItems: 5, items: {type: string, maxLength: 10}}}}}}}`

func TestCost(t *testing.T) {
	typ := self(t, object)
	for _, row := range []struct {
		clause, rule string
		want         uint64
	}{
		// CES-030, CES-033: nodes. A bool has the size 0 where it is a field, so to compare it costs nothing.
		{"literal", `true`, 0},
		{"selection", `self.b`, 2},
		{"presence", `has(self.o.f)`, 2},
		{"not", `!self.b`, 3},
		{"and", `self.b && self.c`, 4},
		{"or", `self.b || self.c || true`, 4},
		{"ternary", `self.b ? self.c : self.o.g == 1`, 2 + 3},
		{"list literal", `[1, 2] == [1]`, 20 + 1},
		{"map literal", `{'a': self.i} == {}`, 60 + 2},
		{"message literal", `google.protobuf.Int64Value{value: 1} == 1`, 40 + 1},
		{"dyn", `dyn(self.i) == 1`, 2 + 1},
		{"dyn has no fields to pay for", `dyn(self.o).f == 'a'`, 3},
		{"no fields", `self.?o.?f == optional.none()`, 1 + 1 + 1 + 1 + oneTenth},

		// CES-010, CES-011, CES-012.
		{"oldSelf is self", `self.s == oldSelf.t`, 4 + 20},
		{"an object has no size", `self == oldSelf`, 2},
		{"two numbers of literals", `1 == 2`, 1},
		{"two numbers of fields", `self.i == self.j`, 4},
		{"a type name has the size of self", `type(self.i) == int`, 2 + 1 + 1},
		{"a key of a map by selection is unknown", `self.m.k == self.u`, 5 + 314573},
		{"a key of a map by index is not", `self.m['k'] == self.u`, 3 + 2 + 6},
		{"keys of a map have no size", `self.m.all(k, k == self.u)`, 2 + 1 + 8*(3+3)},
		{"items of a literal are taken for self", `['a'].all(x, x == self.u)`, 10 + 1 + 1*(3+3)},
		{"a keyword field by its keyword, CTY-011", `self.namespace.startsWith(self.u) || self.u == self.namespace`, 4 + 314573 + 4 + 314573},
		{"and escaped", `self.u == self.__namespace__`, 4 + 2},
		{"a name in backticks", "self.u == self.`namespace`", 4 + 314573},
		{"fields of a call's result", `self.os.filter(x, true)[0].i == 1`, 2 + 11 + 20*13 + 1 + 1},

		// CES-020, CES-021.
		{"letters of a literal", `self.u.contains('äöüäöüäöüäöü')`, 2 + 314573*2},
		{"bytes of a literal", `self.bytes == b'äöüäöüäöü'`, 2 + 2},
		{"enum", `self.e == self.u`, 4 + 1},
		{"int-or-string", `self.x == self.u`, 4 + 2},
		{"a time has a size where it is a field", `self.time == self.time`, 4 + 4},

		// CES-022, CES-051: entries of literals are known, those of unknown lists are not.
		{"item of a literal", `['abcdefghijk', 'a'][0] == self.u`, 10 + 1 + 2 + 2},
		{"item of an empty literal", `[][0] == self.u`, 10 + 1 + 2 + 0},
		{"empty item of a literal", `[''][0].contains('a')`, 10 + 1 + 0},
		{"empty value of a literal", `{'a': ''}['a'].contains('a')`, 30 + 1 + 0},
		{"value of a literal", `{'a': 'abcdefghijk'}['a'] == self.u`, 30 + 1 + 2 + 2},
		{"item of a sum", `(['abcdefghijk'] + ['a'])[0] == self.u`, 20 + 1 + 1 + 2 + 2},
		{"item of a ternary", `(self.b ? ['abcdefghijk'] : ['a'])[0] == self.u`, 2 + 10 + 1 + 2 + 2},
		{"item of a map's result", `self.l.map(x, 'abcdefghijk')[0] == self.u`, 2 + 11 + 10*12 + 1 + 2 + 2},
		{"item of a split", `self.s.split(',')[0] == self.u`, 2 + 80 + 1 + 2 + 0},

		// CES-050, CES-054.
		{"isSorted of numbers", `self.is.isSorted()`, 2 + 10},
		{"isSorted of strings", `self.l.isSorted()`, 2 + 10*11},
		{"isSorted of a literal", `['a'].isSorted()`, 10 + 1*(1+oneTenth)},
		{"sum", `self.is.sum() == 1`, 2 + 10 + 1},
		{"indexOf on a string", `self.s.indexOf('a') == 1`, 2 + 40 + 1},
		{"indexOf on a list", `self.l.indexOf('a') == 1`, 2 + 10*11 + 1},
		{"includes on a list", `self.l.includes('a')`, 2 + 10*11},
		{"includes on another", `self.x.includes('a')`, 2 + 20},
		{"url", `url(self.s).getHost() == self.u`, 2 + 40 + 1 + 2 + 314573},
		{"isURL", `isURL(self.s)`, 2 + 1},
		{"lowerAscii keeps the size", `self.s.lowerAscii() == self.u`, 2 + 40 + 2 + 40},
		{"replace of a field", `self.s.replace(self.t, 'ab') == self.u`, 4 + 80 + 2 + (401*2+400+9)/10},
		{"replace of a literal by less", `self.s.replace('ab', 'a') == self.u`, 2 + 80 + 2 + 40},
		{"replace of a literal by more", `self.s.replace('abc', 'abcd') == self.u`, 2 + 80 + 2 + (134*4+9)/10},
		{"split with a limit", `self.s.split(',', 3).all(x, true)`, 2 + 80 + 1 + 3*3},
		{"split with limit -1", `self.s.split(',', -1).all(x, true)`, maxUint},
		{"join", `self.l.join(',') == self.u`, 2 + (10*100+9+9)/10 + 2 + (10*100+9+9)/10},
		{"join of a literal", `['a', 'b'].join() == self.u`, 10 + oneTenth + 2 + 314573},
		{"find", `self.s.find('abcd') == self.u`, 2 + 41*1 + 2 + 40},
		{"quantity", `quantity(self.s) == quantity(self.t)`, 2 + 40 + 2 + 20 + 1},
		{"ip", `ip(self.s) == ip(self.t)`, 2 + 40 + 2 + 20 + 1},
		{"ip.isCanonical", `ip.isCanonical(self.s)`, 2 + 80},
		{"member ip", `cidr(self.s).ip().family() == 4`, 2 + 40 + 1 + 1 + 1},
		{"containsIP of a string", `cidr(self.s).containsIP(self.t)`, 2 + 40 + 2 + 4 + 20},
		{"containsIP of an ip", `cidr(self.s).containsIP(ip(self.t))`, 2 + 40 + 2 + 20 + 4},
		{"containsCIDR of a string", `cidr(self.s).containsCIDR(self.t)`, 2 + 40 + 2 + 7 + 20},
		{"== of urls", `url(self.s) == url(self.t)`, 2 + 40 + 2 + 20 + 20},
		{"== of formats", `format.dns1123Label() == format.dns1123Label()`, 2 + 7},
		{"!= of quantities is another overload", `quantity(self.s) != quantity(self.t)`, 2 + 40 + 2 + 20 + oneTenth},
		{"validate", `format.named('uri').value().validate(self.s).hasValue()`, 1 + 1 + 2 + 40*32 + 1},
		{"check", `null.path(self.s).check('get').allowed()`, 2 + 1 + 350000 + 1},
		{"labelSelector", `null.labelSelector(self.s) == null`, 2 + 10 + 40 + 200*50 + 1},
		{"sets", `sets.contains(self.l, ['a', 'b'])`, 2 + 10 + 1 + 20},
		{"sets.equivalent", `sets.equivalent(self.l, ['a', 'b'])`, 2 + 10 + 1 + 40},
		{"slice", `self.l.slice(1, 3) == self.l`, 2 + 11 + 2 + 2 + 1},
		{"slice to a field", `self.l.slice(4, self.i) == self.l`, 4 + 11 + 6 + 2 + 1},
		{"slice backwards", `self.l.slice(3, 1) == self.l`, maxUint},
		{"slice from below", `self.l.slice(-3, 1) == self.l`, 2 + 11 + 1 + 2 + 1},
		{"range", `lists.range(7).all(x, true)`, 11 + 7 + 1 + 7*3},
		{"range of a field", `lists.range(self.i).all(x, true)`, maxUint},
		{"reverse", `self.l.reverse() == self.l`, 2 + 11 + 10 + 2 + 1},
		{"flatten", `[self.l].flatten() == self.l`, 10 + 2 + 11 + 1 + 2 + 1},
		{"flatten deep", `[self.l].flatten(3) == self.l`, 10 + 2 + 11 + 3 + 2 + 1},
		{"flatten by a field", `[self.l].flatten(self.i) == self.l`, maxUint},
		{"distinct", `self.l.distinct() == self.l`, 2 + 11 + 200 + 2 + 1},
		{"sort", `self.is.sort() == self.is`, 2 + 11 + 200 + 2 + 1},
		{"sort of strings", `self.l.sort() == self.l`, 2 + 11 + 210 + 2 + 1},

		// CES-051.
		{"ordering of strings", `self.s < self.t`, 4 + 20},
		{"ordering of numbers", `self.i < self.d`, 4 + 1},
		{"+ of strings", `self.s + self.t == self.u`, 4 + 60 + 2 + 60},
		{"+ of lists", `self.l + self.l == self.l`, 4 + 1 + 2 + 1},
		{"in a list", `self.s in self.l`, 4 + 10},
		{"in a map", `self.s in self.m`, 4 + 1},
		{"startsWith", `self.s.startsWith(self.t)`, 4 + 20},
		{"contains", `self.s.contains(self.t)`, 4 + 40*20},
		{"matches", `self.s.matches('[a-z]+')`, 2 + 41*2},
		{"global matches", `matches(self.s, '[a-z]+')`, 2 + 41*2},
		{"bytes of a string", `bytes(self.s) == self.bytes`, 2 + 40 + 2 + 4},
		{"string of bytes", `string(self.bytes) == self.u`, 2 + 4 + 2 + 4},
		{"bytes of a string, of which each code point may take four", `bytes(self.s) == bytes(self.s)`, 2*(2+40) + 160},
		{"quote", `strings.quote(self.s) == self.u`, 2 + 40 + 2 + 81},
		{"format", `'%s%s%s%s%s'.format([self.s, self.s, self.s, self.s, self.s]) == 'a'`, 10 + 10 + 1 + 1},
		{"a number's text is unknown", `string(self.i) == self.u`, 2 + 1 + 2 + 314573},
		{"an optional's value is unknown", `self.?s.value() == self.u`, 1 + 1 + 1 + 2 + 314573},
		{"several overloads, CES-032", `dyn(self.s) < dyn(self.i)`, 3 + 3 + 1},

		// CES-060, CES-061, CES-062, CES-063.
		{"all", `self.is.all(x, x == 1)`, 2 + 1 + 10*(3+1)},
		{"exists", `self.is.exists(x, x == 1)`, 2 + 1 + 10*(4+1)},
		{"exists_one", `self.is.exists_one(x, x == 1)`, 2 + 2 + 10*(2+1)},
		{"existsOne", `self.is.existsOne(i, x, x == 1)`, 2 + 2 + 10*(2+1)},
		{"map", `self.is.map(x, x).size() == 1`, 2 + 11 + 10*13 + 1 + 1},
		{"map with filter", `self.is.map(x, self.b, x).size() == 1`, 2 + 11 + 10*(13+2) + 1 + 1},
		{"filter", `self.is.filter(x, self.b).size() == 1`, 2 + 11 + 10*(13+2) + 1 + 1},
		{"transformList", `self.is.transformList(i, x, x).size() == 1`, 2 + 11 + 10*13 + 1 + 1},
		{"transformMap", `self.is.transformMap(i, x, x).size() == 1`, 2 + 31 + 10*4 + 1 + 1},
		{"transformMapEntry", `self.is.transformMapEntry(i, x, {x: i}).size() == 1`, 2 + 31 + 10*(2+32) + 1 + 1},
		{"optMap", `self.?b.optMap(x, x).orValue(true)`, 13 + 2*2 + 1 + 1},
		{"optFlatMap", `self.?b.optFlatMap(x, optional.of(x)).orValue(true)`, 12 + 2*2 + 2 + 1},
		{"sortBy", `self.os.sortBy(x, x.i).size() == 1`, 10 + 2 + (1 + 11 + 20*(12+2)) + 1 + (11 + 2*400) + 1 + 1},
		{"a range that is a result", `self.is.map(x, x).all(x, true)`, 2 + 11 + 10*13 + 1 + 10*3},
	} {
		t.Run(row.clause, func(t *testing.T) {
			require.Equal(t, row.want, cost(t, typ, row.rule), row.rule)
		})
	}
}

// CWH-009, CES-063 and the traps of section H: rules on other nodes.
func TestCostOnOtherNodes(t *testing.T) {
	for _, row := range []struct {
		name, schema, rule string
		want               uint64
	}{
		{"string with a limit", `{type: string, maxLength: 20}`, `self.contains('abcdefghijk')`, 17},
		{"string without", `{type: string}`, `self.contains('abcdefghijk')`, 629147},
		{"list with a limit", `{type: array, maxItems: 10, items: {type: integer}}`, `self.all(x, true)`, 32},
		{"list without", `{type: array, items: {type: integer}}`, `self.all(x, true)`, 4718591},
		{"documented rule that is refused", `{type: object, properties: {values: {type: array, items: {type: integer}}}}`, `self.values.all(value, value >= 0 && value < 100)`, 11010044},
		{"list at the largest", `{type: array, maxItems: 9223372036854775807, items: {type: integer}}`, `self.all(x, true)`, maxUint},
		{"scalar", `{type: integer}`, `self == oldSelf`, 2},
		{"type name has the size of self", `{type: string}`, `type(self) == string`, 314576},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, cost(t, self(t, row.schema), row.rule), row.rule)
		})
	}
}

// CES-013: paths that share storage. If the variable's path has spare capacity, the last selection from the variable in
// the loop's body changes the path of its range.
func TestSharedPaths(t *testing.T) {
	node := `{type: object, properties: {
		name: {type: string, maxLength: 1}, l: {type: array, maxItems: 7, items: {type: string, maxLength: 2}},
		is: {type: array, maxItems: 10, items: {type: object, properties: {
			name: {type: string, maxLength: 63}, l: {type: array, maxItems: 5, items: {type: string, maxLength: 10}}}}}}}`
	typ := self(t, node)
	// The path of x is self, is, @items: three words with capacity for a fourth.
	require.EqualValues(t, 2+1+10*(3+(2+1+252*(3+1+2+4))), cost(t, typ, `self.is.all(x, x.l.all(y, y != x.name))`), "252 turns instead of 5")
	require.EqualValues(t, 2+1+10*(3+(2+1+5*(3+1+1))), cost(t, typ, `self.is.all(x, x.l.all(y, y != 'abc'))`), "nothing else is selected")
	// Without a loop around it, the range keeps its path.
	require.EqualValues(t, 2+1+7*(3+1+2+1), cost(t, typ, `self.l.all(y, y != self.name)`))
}

// Long and deep expressions add up like others.
func TestCostOfDeepExpressions(t *testing.T) {
	typ := self(t, object)
	require.EqualValues(t, 100*2, cost(t, typ, strings.Repeat("self.b && ", 99)+"self.b"))
	require.EqualValues(t, 2+60*40+2+40, cost(t, typ, "self.s"+strings.Repeat(".trim()", 60)+" == self.u"))
	nested, want := "true", 0
	for i := range 12 {
		nested, want = fmt.Sprintf("self.os.all(x%d, %s)", i, nested), 2+1+20*(3+want)
	}
	require.EqualValues(t, want, cost(t, typ, nested))
}

// CES-023, CES-031: an argument is sized before what it is called on, and functions that go by their name size it again
// if its size was not known then. So a path that was written over meanwhile counts with its new end.
func TestOrderOfSizes(t *testing.T) {
	typ := self(t, `{type: object, properties: {is: {type: array, maxItems: 10, items: {type: object, properties: {
		name: {type: string, maxLength: 63}, namespace: {type: string, maxLength: 5}}}}}}`)
	// The name in its keyword's form has no size, until name replaces it.
	require.EqualValues(t, 2+1+10*(3+2+2+26*63), cost(t, typ, `self.is.all(x, x.name.find(x.namespace) == '')`))
	require.Equal(t, uint64(maxUint), cost(t, typ, `self.is.all(x, x.name.contains(x.namespace))`), "sized once")
	require.Equal(t, uint64(maxUint), cost(t, typ, `self.is.all(x, x.namespace.find(x.name) == '')`), "the other way round")
}

// The estimate does not change what it reads, so it is the same each time.
func TestCostTwice(t *testing.T) {
	typ := self(t, object)
	e, err := new(check.Checker).Rule(`self.os.all(x, x.l.all(y, y != x.name))`, typ, false, false)
	require.NoError(t, err)
	first := estimator().Cost(e.AST, typ)
	require.Equal(t, first, estimator().Cost(e.AST, typ))
}
