package eval

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/validity"
)

// everything has a field of each type.
const everything = `
type: object
properties:
  i: {type: integer}
  num: {type: number}
  s: {type: string}
  b: {type: boolean}
  by: {type: string, format: byte}
  d: {type: string, format: date}
  dt: {type: string, format: date-time}
  du: {type: string, format: duration}
  ios: {x-kubernetes-int-or-string: true}
  nul: {type: string, nullable: true}
  a-b: {type: string}
  namespace: {type: string}
  o: {type: object, properties: {x: {type: integer}, t: {type: string}}}
  keep: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {x: {type: integer}}}
  raw: {x-kubernetes-preserve-unknown-fields: true}
  m: {type: object, additionalProperties: {type: string}}
  mn: {type: object, additionalProperties: {type: string, nullable: true}}
  l: {type: array, items: {type: integer}}
  ls: {type: array, items: {type: string}}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  lm:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k]
    items: {type: object, properties: {k: {type: string}, v: {type: integer}}}
  lk:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k-k]
    items: {type: object, properties: {k-k: {type: string}, v: {type: integer}}}
  emb: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
`

// An example is data that fits everything.
const example = `
apiVersion: example.com/v1
kind: Case
metadata: {name: one}
i: 3
num: 1.5
s: abcdefghijkl
b: true
by: aGk=
d: 2026-02-03
dt: 2026-02-03T04:05:06.5+01:00
du: 90m
ios: 80%
nul: null
a-b: dash
namespace: prod
o: {x: 1}
keep: {x: 1, other: [1]}
raw: {a: [1]}
m: {k1: v1, k2: v2}
mn: {k1: null}
l: [3, 1, 2]
ls: [b, a]
set: [a, b]
lm: [{k: a, v: 1}, {k: b, v: 2}]
lk: [{k-k: a, v: 1}, {k-k: b, v: 2}]
emb: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {}}
`

func compiled(t testing.TB, text string) *plan.Node {
	t.Helper()
	s := given.Structural(t, text)
	return plan.Root(s)
}

func planned(t testing.TB, n *plan.Node, rule string, optionalOld bool) *Program {
	t.Helper()
	checked, err := CheckRule(rule, types.Scope(n), optionalOld)
	require.NoError(t, err, rule)
	p, err := Plan(checked, n)
	require.NoError(t, err, rule)
	return p
}

func run(t testing.TB, rule, data string) Result {
	t.Helper()
	n, self := compiled(t, everything), given.Object(t, data)
	p := planned(t, n, rule, false)
	r := NewMachine(context.Background(), 1_000_000).Run(p, &Input{Node: n, Self: self})
	if validity.OK(n, self, validity.Schema|validity.Lists) && r.Outcome != Failed { // errors may quote anything
		require.Equal(t, r, NewMachine(context.Background(), 1_000_000).Run(p, &Input{Node: n, Self: reduced(n, self, readsOf(t, n, rule))}), "of what is read: %s", rule)
	}
	return r
}

// printed runs size([expr]) == 0 to see that expr can be an item of a list, and returns the text that expr prints as,
// or its error.
func printed(t testing.TB, expr, data string) string {
	t.Helper()
	n := compiled(t, everything)
	checked, err := CheckMessage("'%s'.format(["+expr+"])", types.Scope(n))
	require.NoError(t, err, expr)
	p, err := Plan(checked, n)
	require.NoError(t, err, expr)
	return NewMachine(context.Background(), 1_000_000).Run(p, &Input{Node: n, Self: given.Object(t, data)}).Text
}

// Values of data and of functions, as they print (CVA, CLI).
func TestValues(t *testing.T) {
	for _, row := range []struct{ clause, expr, want string }{
		{"CVA-001", "self.i", "3"},
		{"CVA-001", "self.num", "1.5"},
		{"CVA-001", "self.by", "hi"},
		{"CVA-001", "self.d", "2026-02-03T00:00:00Z"},
		{"CVA-001", "self.dt", "2026-02-03T04:05:06.5+01:00"},
		{"CVA-001", "self.du", "5400s"},
		{"CVA-001", "self.ios", "80%"},
		{"CVA-004", "[type(self.ios), type(self.du), type(self.o), type(self.l)]", "[string, google.protobuf.Duration, map, list]"},
		{"CVA-010", "[has(self.keep.x), 'other' in dyn(self.keep)]", "[true, false]"},
		{"CVA-011", "[self.a__dash__b, self.__namespace__, self.namespace]", `["dash", "prod", "prod"]`},
		{"CVA-012", "[has(self.nul), 'k1' in self.mn]", "[false, true]"},
		{"CVA-013", "size(dyn(self.keep))", "2"},
		{"CVA-014", "dyn(self.keep).map(k, k)", `["x", null]`},
		{"CVA-016", "[self.o == self.o, self.keep == self.keep, self.m == {'k2': 'v2', 'k1': 'v1'}, self.m == {'k1': 'v1'}]", "[true, true, true, false]"},
		{"CVA-015", "dyn(self).raw == dyn(self).raw", "true"},
		{"CVA-030, CVA-031", "[self.set == ['b', 'a'], ['b', 'a'] == self.set]", "[true, false]"},
		{"CVA-030", "self.set + ['b', 'c']", `["a", "b", "c"]`},
		{"CVA-030: more is added than there was", "self.set + ['b', 'c', 'd', 'e', 'f']", `["a", "b", "c", "d", "e", "f"]`},
		{"CVA-030: more is added than there was", "(self.lm + (self.lm.map(x, x) + self.lm.map(x, x))).map(x, x.k)", `["a", "b"]`},
		{"CVA-030", "[self.lm == self.lm, self.lm == self.lm.reverse(), self.lm.reverse() == self.lm]", "[true, true, false]"},
		{"CVA-030", "(self.lm + self.lm.map(x, x)).map(x, x.k)", `["a", "b"]`},
		{"CVA-032", "[self.set.map(x, x) == ['b', 'a'], self.set.filter(x, true) == ['b', 'a'], self.set.filter(x, true) == ['a', 'b']]", "[false, false, true]"},
		{"CVA-035: a key that is escaped is never found", "[self.lk == self.lk, self.lk[1] == self.lk[1], size(self.lk + self.lk) == 2]", "[false, true, true]"},
		{"CVA-033", "[dyn(5) == dyn(self.l)]", "[false]"},
		{"CVA-040", "[dyn(1) == dyn(1u), dyn(1) == dyn(1.0), dyn(9223372036854775807) == dyn(9223372036854775807.0)]", "[true, true, true]"},
		{"CVA-041", "[dyn(quantity('1')) != dyn(1), dyn(ip('::1')) != dyn('::1'), dyn(1) == dyn(quantity('1'))]", "[true, true, false]"},
		{"CVA-042", "quantity('50k').sub(20000) == quantity('30k')", "true"},
		{"CVA-043", "[optional.none() == optional.none(), optional.of(1) == optional.of(1)]", "[true, true]"},
		{"CVA-044", "[self.dt == timestamp('2026-02-03T03:05:06.5Z'), self.du == duration('1h30m'), self.by == b'hi']", "[true, true, true]"},
		{"CVA-045", "[ip('::1')] == [dyn(1)]", "true"},
		{"CMS-022", "[size({self: 1, self: 2}), size({self.o: 1, self.o: 2})]", "[1, 2]"}, // a variable is one value, fields are not
		{"CEV-012, CEV-013", "[self.metadata.name, self.kind, self.emb.metadata.name]", `["one", "Case", "p"]`},
		{"CMS-023", "[1, 2].exists(x, x / (x - 1) > 0)", "true"},
		{"CEN-022", "[[self.l, [1]], [self.set], [self.lm.map(x, x.k)]]", `[[[3, 1, 2], [1]], [["a", "b"]], [["a", "b"]]]`},
		{"CEN-022", "[dyn(self.o), dyn(self.m), dyn({'a': self.ls})]", `[{"x":1}, {"k1":"v1", "k2":"v2"}, {"a":["b", "a"]}]`},
		{"CEN-010", "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)", `{"b":4}`},
		{"CEN-010", "[1, 2].transformMapEntry(i, v, {v: i})", `{1:0, 2:1}`},
		{"CMS-022", "[dyn(1.0), dyn(1)].transformMapEntry(i, v, {v: i}).size()", "2"}, // an int does not find a double
		{"CRC-022", "[dyn(optional.of('ab')).matches('^a'), dyn(optional.of(optional.of('b'))).matches('^a'), dyn(string).matches('^str')]", "[true, false, true]"},
		{"CRC-022", "[dyn(optional.of('ab')).find('[ab]'), dyn(int).find('i')]", `["a", "i"]`},
		{"CRC-022", "[dyn(optional.of('ab')).findAll('[ab]'), dyn(optional.of('ab')).findAll('[ab]', 1)]", `[["a", "b"], ["a"]]`},
		{"CEN-010", "['b', 'a'].sortBy(x, x)", `["a", "b"]`},
		{"CEN-010", "[1, 2, 3].filter(x, x > 1).map(x, x * 2)", "[4, 6]"},
		{"CEN-010", "[[1, 2].exists_one(x, x > 1), [1, 2].existsOne(i, x, x > 0)]", "[true, false]"},
		{"CEN-010", "[self.?o.x.optMap(x, x + 1).orValue(0), self.?o.t.optMap(y, size(y)).orValue(-1)]", "[2, -1]"},
		{"CEN-011", "self.m.map(k, k)", `["k1", "k2"]`},
		{"CLI-010", "[self.l.sum(), self.l.min(), self.l.max(), self.l.sort()[1], self.l.indexOf(2)]", "[6, 1, 3, 2, 2]"},
		{"CLI-010", "[[1, [2, [3]]].flatten(), [1, [2, [3]]].flatten(2)].map(x, size(x))", "[3, 3]"},
		{"CLI-010", "[3, 1, 3, 2].distinct()", "[3, 1, 2]"},
		{"CLI-010", "lists.range(3).slice(1, 3)", "[1, 2]"},
		{"CLI-010", "[sets.contains([1, 2], [2]), sets.intersects([1], [2]), sets.equivalent([1, 1], [1])]", "[true, false, true]"},
		{"CLI-010", "[self.ls.first().value(), self.ls.last().value()]", `["b", "a"]`},
		{"CLI-011", "[self.l.includes(2), self.s.includes('b')]", "[true, false]"},
		{"CLI-020", "[quantity('1k') == quantity('1000'), quantity('1Ki').isGreaterThan(quantity('1k'))]", "[true, true]"},
		{"CLI-030", "[string(ip('::A')), string(cidr('1.2.3.4/24').masked())]", `["::a", "1.2.3.0/24"]`},
		{"CLI-033", "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "true"},
		{"CLI-041", "[url('https://H:1/p?a=b').getHost(), url('https://H:1/p?a=b').getQuery()['a'][0]]", `["H:1", "b"]`},
		{"CLI-052", "semver('1.2.3').isLessThan(semver('v1.10', true))", "true"},
		{"CLI-060", "[format.dns1123Label().validate('a').hasValue(), format.named('uuid').value().validate('a').value()[0] != '']", "[false, true]"},
		{"CLI-070", "[self.dt.getHours(), self.dt.getHours('+01:00'), self.dt.getMonth(), self.du.getMinutes()]", "[3, 4, 1, 90]"},
		{"CMS-022", "[duration('1h') + duration('-1m'), duration('1h') - duration('1m'), -dyn(duration('1h'))].map(d, string(d))", `["3540s", "3540s", "-3600s"]`},
		{"CMS-022", "duration('9223372036854775807ns') + duration('-9223372036854775808ns') == duration('-1ns')", "true"},
		{"CMS-022", "duration('-9223372036854775808ns') - duration('-9223372036854775808ns') == duration('0s')", "true"},
		{"CLI-072", "[int('7'), int(1.9), int(self.dt)]", "[7, 1, 1770087906]"},
		{"CLI-073", "[optional.ofNonZeroValue('').hasValue(), optional.ofNonZeroValue(self.o).hasValue()]", "[false, true]"},
		{"CEN-021", "[google.protobuf.Int64Value{value: 2} == 2, google.protobuf.Duration{seconds: 60} == duration('1m')]", "[true, true]"},
	} {
		require.Equal(t, row.want, printed(t, row.expr, example), "%s: %s", row.clause, row.expr)
	}
}

// Errors, and what replaces the values that cause them.
func TestErrors(t *testing.T) {
	const misfits = `{i: 1.5, s: 5, b: x, o: [], l: {}, by: '+', du: soon, d: now, ios: 1.5, m: {k: null}, set: [[1]]}`
	for _, row := range []struct{ clause, rule, data, want string }{
		{"CMS-022", "self.o.t == ''", example, "no such key: t"},
		{"CMS-022", "self.l[7] == 1", example, "index out of bounds: 7"},
		{"CMS-022", "dyn(self.l)['a'] == 1", example, "unsupported index type 'string' in list"},
		{"CVA-038", "dyn(self.l)[0u] == 3", example, "unsupported index: 0"},
		{"CMS-022", "dyn(self.i).a == 1", example, "no such key: a"},
		{"CMS-022", "9223372036854775807 + self.i == 0", example, "integer overflow"},
		{"CMS-022", "1u - 2u == 0u", example, "unsigned integer overflow"},
		{"CMS-022", "duration('9223372036854775807ns') + duration('1ns') == self.du", example, "integer overflow"},
		{"CMS-022", "duration('-9223372036854775808ns') + duration('-1ns') == self.du", example, "integer overflow"},
		{"CMS-022", "duration('0s') - duration('-9223372036854775808ns') == self.du", example, "integer overflow"},
		{"CMS-022", "duration('-2ns') - duration('9223372036854775807ns') == self.du", example, "integer overflow"},
		{"CMS-022", "-dyn(duration('-9223372036854775808ns')) == self.du", example, "integer overflow"},
		{"CMS-022", "self.i / 0 == 1", example, "division by zero"},
		{"CMS-022", "self.i % 0 == 1", example, "modulus by zero"},
		{"CMS-022", "timestamp('9999-12-31T00:00:00Z') + duration('48h') == self.dt", example, "timestamp overflow"},
		{"CLI-001", "[dyn('a'), dyn(5)].join() == ''", example, "join: invalid input: 5"},
		{"CMS-022", "optional.none().value() == 1", example, "optional.none() dereference"},
		{"CMS-022", "dyn(self.b) < dyn(1)", example, "no such overload"},
		{"CMS-022", "dyn(self.l) < dyn(1)", example, "no such overload: _<_"},
		{"CMS-022", "dyn(self.s).all(x, true)", example, "got 'types.String', expected iterable type"},
		{"CMS-022", "dyn(self.i).all(i, x, true)", example, "unsupported comprehension range type: types.Int"},
		{"CMS-022", "self.m.transformMapEntry(k, v, {'same': v}).size() == 1", example, "insert failed: key same already exists"},
		{"CMS-022", "[dyn(1), dyn(1u)].transformMapEntry(i, v, {v: i}) == {}", example, "insert failed: key 1 already exists"},
		{"CMS-022", "[dyn(1u), dyn(1)].transformMapEntry(i, v, {v: i}) == {}", example, "insert failed: key 1 already exists"},
		{"CMS-022", "[dyn(1), dyn(1.0)].transformMapEntry(i, v, {v: i}) == {}", example, "insert failed: key 1 already exists"},
		{"CMS-022", "[dyn(1u), dyn(1.0)].transformMapEntry(i, v, {v: i}) == {}", example, "insert failed: key 1 already exists"},
		{"CMS-022", "{dyn(1): 2, dyn(1u): 3}.transformMap(k, v, v) == {}", example, "insert failed: key 1 already exists"},
		{"an optional element of an unknown type", "[?dyn(self.i)] == []", example, "cannot initialize optional list element from non-optional value 3"},
		{"an optional entry of an unknown type", "{?'a': dyn(1)} == {}", example, "cannot initialize optional entry 'a' from non-optional value 1"},
		{"CMS-022", "[1, 2].transformMapEntry(i, v, {dyn(optional.none()): v}).size() == 1", example, "insert failed: key optional.none() already exists"},
		{"CRC-022", "dyn(optional.none()).matches('a')", example, "no such overload"},
		{"CRC-022", "dyn(optional.of(1)).find('a') == ''", example, "no such overload"},
		{"CVA-012", "has(self.m.k)", misfits, "invalid data, got null for schema with nullable=false"},
		{"CVA-016", "dyn(self.o) == dyn(1)", example, "no such overload"},
		{"CVA-016: a key without a schema", "dyn(self.keep) == dyn({'x': dyn(1), 'other': dyn([1])})", example, "no such overload"},
		{"CVA-002, CVA-020", "self.i == 1", misfits, "invalid data, expected int, got float64"},
		{"CVA-020", "self.s == ''", misfits, "invalid data, expected string, got int64"},
		{"CVA-020", "self.b", misfits, "invalid data, expected bool, got string"},
		{"CVA-020", "self.o.x == 1", misfits, "invalid data, expected a map for the provided schema with type=object"},
		{"CVA-020", "self.l.all(x, true)", misfits, "invalid data, expected an array for the provided schema with type=array"},
		{"CVA-020", "self.ios == 'x'", misfits, "invalid data, expected XIntOrString value to be either a string or integer"},
		{"CVA-020", "self.du == duration('1s')", misfits, "Invalid duration soon: unable to parse soon as duration"},
		{"CVA-020", "self.by == b''", misfits, "Invalid byte formatted string +: illegal base64 data at input byte 0"},
		{"CVA-021", "self.s == ''", `{s: {}}`, "invalid data, expected string, got map[string]interface {}"},
		{"CVA-021", "self.num == 1.0", `{num: [1]}`, "invalid data, expected float, got []interface {}"},
		{"CVA-041", "dyn(quantity('1')) == dyn(1)", example, "no such overload"},
		{"CVA-042", "quantity('30k') == quantity('50k').sub(20000)", example, "no such overload"},
		{"CLI-001", "self.s.charAt(99) == ''", example, "index out of range: 99"},
		{"CLI-010", "self.l.filter(x, x > 9).min() == 1", example, "min called on empty list"},
		{"CLI-010", "self.l.slice(2, 1) == self.l", example, "cannot slice(2, 1), start index must be less than or equal to end index"},
		{"CRC-062", "self.?o.t.value().split(',').sort().size() == 1 || true", `{o: {}}`,
			"internal error: interface conversion: *types.Err is not traits.Lister: missing method Add"},
		{"CEV-026", "self.i == oldSelf.i", example, "no such attribute(s): oldSelf"},
	} {
		got := run(t, row.rule, row.data)
		require.Equal(t, Failed, got.Outcome, "%s: %s", row.clause, row.rule)
		require.Equal(t, row.want, got.Text, "%s: %s", row.clause, row.rule)
	}
}

// CVA-037, CVA-046: an item that does not fit is an error only where it is looked at.
func TestMisfitItems(t *testing.T) {
	const data, misfit = `{i: 1.5, l: [x, 2, 3]}`, "invalid data, expected int, got string"
	for _, row := range []struct{ clause, rule, want string }{ // want is an error, or empty if the rule is true
		{"CVA-037", "self.l[1] == 2", ""},
		{"CVA-037", "2 in self.l", ""},
		{"CVA-037", "9 in self.l", misfit},
		{"CVA-037", "self.l.exists(x, x == 3)", ""},
		{"CVA-046", "self.l[?0].hasValue()", ""},
		{"CVA-046", "self.l[?0].value() == 1", misfit},
		{"CVA-046", "self.?i.hasValue()", "invalid data, expected int, got float64"},
		{"CVA-046", "self.l.reverse().size() == 3 && (self.l + self.l).size() == 6 && self.l.slice(0, 1).size() == 1", ""},
		{"CVA-046", "self.l.map(x, x).size() == 3", misfit},
		{"CVA-046", "[[1], self.l].flatten().reverse().sum() == 1", misfit},
	} {
		got := run(t, row.rule, data)
		if row.want == "" {
			require.Equal(t, True, got.Outcome, "%s: %s: %s", row.clause, row.rule, got.Text)
			continue
		}
		require.Equal(t, Failed, got.Outcome, "%s: %s", row.clause, row.rule)
		require.Equal(t, row.want, got.Text, "%s: %s", row.clause, row.rule)
	}
}

// CVA-036: of items that have the same keys the last one of the left side counts.
func TestDuplicateKeys(t *testing.T) {
	const data = `{lm: [{k: a, v: 1}, {k: a, v: 2}]}`
	require.Equal(t, False, run(t, "self.lm == self.lm", data).Outcome)
	require.Equal(t, True, run(t, "self.lm == self.lm.map(x, self.lm[1])", data).Outcome)
	require.Equal(t, False, run(t, "self.lm == self.lm.filter(x, x.v == 2)", data).Outcome)
}

// CVA-001, CVA-002: Go types that no decoder gives.
func TestGoTypes(t *testing.T) {
	n := compiled(t, everything)
	for _, row := range []struct {
		name, rule string
		value      any
		want       string // an error, or empty if the rule is true
	}{
		{"i", "self.i == 1", int(1), ""},
		{"i", "self.i == 1", int32(1), ""},
		{"i", "self.i == 1", 1.0, "invalid data, expected int, got float64"},
		{"i", "self.i == 1", uint8(1), "invalid data, expected int, got uint8"},
		{"i", "self.i == 1", uint64(1), "invalid data, expected int, got uint64"},
		{"num", "self.num == 1.0", int64(1), ""},
		{"num", "self.num == 1.0", float32(1), ""},
		{"num", "self.num == 1.0", uint64(1), "invalid data, expected float, got uint64"},
		{"ios", "self.ios == 1", int32(1), ""},
		{"ios", "self.ios == 1", 1.0, "invalid data, expected XIntOrString value to be either a string or integer"},
		{"m", "self.m == {}", map[string]string{}, "invalid data, expected a map for the provided schema with type=object"},
		{"ls", "self.ls == []", []string{}, "invalid data, expected an array for the provided schema with type=array"},
	} {
		p := planned(t, n, row.rule, false)
		got := NewMachine(context.Background(), 1_000_000).Run(p, &Input{Node: n, Self: map[string]any{row.name: row.value}})
		want := Result{Outcome: Failed, Text: row.want, Cost: got.Cost}
		if row.want == "" {
			want.Outcome = True
		}
		require.Equal(t, want, got, "%s: %T", row.name, row.value)
	}
}

// CER-040: what fails before any data is there, whether or not it would ever be evaluated.
func TestPlanErrors(t *testing.T) {
	n := compiled(t, everything)
	for _, row := range []struct{ rule, want string }{
		{"int('x') == 1", "type conversion error from 'string' to 'int'"},
		{"true || [int('x')] == [1]", "type conversion error from 'string' to 'int'"},
		{"uint(-1) == 1u", "unsigned integer overflow"},
		{"int(1e300) == 1", "integer overflow"},
		{"string(b'\\xff') == ''", "invalid UTF-8 in bytes, cannot convert to string"},
		{"int(dyn(null)) == 1", "no such overload: int(null_type)"},
		{"self.s.find('[') == ''", "error parsing regexp: missing closing ]: `[`"},
		{"self.s.findAll('[') == []", "error parsing regexp: missing closing ]: `[`"},
		{"matches(self.s, '[')", "error parsing regexp: missing closing ]: `[`"},
		{"self.ios[[1]] == 1", "invalid qualifier type: *types.baseList"},
		{"self.?ios[[1]] == optional.none()", "invalid qualifier type: *types.baseList"},
		{"has(self.ios[[1]].a)", "invalid qualifier type: *types.baseList"},
		{"self.ios[{1: 1}] == 1", "invalid qualifier type: *types.baseMap"},
		{"type(self.dt) == type(timestamp)", "reference to undefined type: timestamp"},
		// Of two faults, the left one counts.
		{"[uint('+3')][int(1e300)] == 1u", "type conversion error from 'string' to 'uint'"},
		{"[[1]][int(1e300)][int('+')] == 1", "integer overflow"},
		{"[1].map(x, int(1e300) == 1, uint('+3')) == []", "integer overflow"},
		{"ip('bad') == ip('::1')", ""},
		{"1 / 0 == 1 || [1][5] == 1 || quantity('bad') == quantity('1')", ""},
	} {
		checked, err := CheckRule(row.rule, types.Scope(n), false)
		require.NoError(t, err, row.rule)
		_, err = Plan(checked, n)
		if row.want == "" {
			require.NoError(t, err, row.rule)
			continue
		}
		require.EqualError(t, err, row.want, row.rule)
	}
}
