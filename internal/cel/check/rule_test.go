package check_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// node is the schema of the node with the rules of these tests.
const node = `
type: object
properties:
  b: {type: boolean}
  i: {type: integer}
  'n': {type: number}
  s: {type: string}
  by: {type: string, format: byte}
  d: {type: string, format: duration}
  t: {type: string, format: date-time}
  ls: {type: array, items: {type: string}}
  li: {type: array, items: {type: integer}}
  m: {type: object, additionalProperties: {type: string}}
  o: {type: object, properties: {x: {type: integer}, oldSelf: {type: integer}}}
  p: {type: object, properties: {x: {type: integer}}}
  x: {x-kubernetes-int-or-string: true}
  nul: {type: string, nullable: true}
  namespace: {type: string}
  a-b: {type: string}
`

func typeOf(tb testing.TB, text string) *types.SchemaType {
	tb.Helper()
	p := given.Schema(tb, text)
	// A property of the root, so that it is no resource.
	root, err := schema.CompileLoose(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"spec": p}})
	require.NoError(tb, err)
	t := types.Scope(plan.Root(root).Props[0].Node)
	require.NotNil(tb, t)
	return t
}

func TestRuleCompiles(t *testing.T) {
	self := typeOf(t, node)
	for _, tt := range []struct{ clause, rule string }{
		{"CTY-011", "self.namespace == 'a' && self.__namespace__ == 'a'"},
		{"CTY-012", "self.`a__dash__b` == self.a__dash__b && self.`namespace` == ''"},
		{"CTY-030", "self.s == oldSelf.s"},
		{"CTY-033: null goes with objects", "self.o == null && self.t == null && self.d == null"},
		{"CTY-033: null goes with opaque types", "null.family() == 4"},
		{"CTY-033, CEN-034: null goes with the types of Kubernetes", "null.check('x').allowed()"},
		{"CTY-033: dyn goes with all", "self.x == 1 && self.x == 'a'"},
		{"CTY-034", "self.i < 1.5 && self.i <= 2u && self.n > 1"},
		{"CTY-035: an empty literal takes the type of its neighbours",
			"[[], [1]].size() == 2 && [{}, {'a': 1}].size() == 2 && [optional.none(), optional.of(1)].size() == 2"},
		{"CTY-035: mixed inside format", "'%s %d'.format([['a', 1], 1]) == ''"},
		{"CEN-010", "self.m.all(k, v, k == v) && self.ls.existsOne(i, e, i == 1 && e == 'a') && has(self.s)"},
		{"CEN-010", "self.m.transformMap(k, v, v + k).size() == self.m.transformMapEntry(k, v, {v: k}).size()"},
		{"CEN-010", "self.ls.sortBy(e, e.size())[0] == self.ls.transformList(i, e, e)[0]"},
		{"CEN-010", "self.?s.optMap(v, v.size()).orValue(1) == self.?o.optFlatMap(v, v.?x).orValue(1)"},
		{"CEN-020", "!self.b || -self.i % 2 == 0 || 'a' in self.ls || 'a' in self.m || self.b ? true : false"},
		{"CEN-021", "type(self.s) == string && type(self.t) == google.protobuf.Timestamp && type(self.b) != net.IP"},
		{"CEN-021", "google.protobuf.Int64Value{value: 1} == 1"},
		{"CEN-022", "self.s.charAt(0).lowerAscii().split(',').join('') == strings.quote(self.s).replace('a', 'b', 1)"},
		{"CEN-023", "sets.contains(self.ls, ['a']) && sets.equivalent([1], self.li) && sets.intersects([1], self.li)"},
		{"CEN-024", "lists.range(3).slice(0, 1).reverse().distinct().flatten(1).size() == self.li.sort().size()"},
		{"CEN-025", "self.?o.x == optional.none() && self.ls[?0].or(self.ls.first()).orValue('') == [?self.ls.last()][0]"},
		{"CEN-026", "self.li.sum() > self.li.min() && self.li.isSorted() && self.ls.indexOf('a') == self.s.indexOf('a')"},
		{"CEN-027", "self.s.find('a') in self.s.findAll('a', 1)"},
		{"CEN-028", "isURL(self.s) && url(self.s).getQuery()['a'][0] == url(self.s).getHost()"},
		{"CEN-029, CEN-030", "cidr(self.s).containsIP(ip(self.s)) && cidr(self.s).ip().isLoopback() && string(ip(self.s)) == string(cidr(self.s))"},
		{"CEN-031", "quantity('1k').add(1).sub(quantity('1')).isGreaterThan(quantity('1')) && sign(quantity('1')) == 1"},
		{"CEN-032", "semver('v1', true).major() == 1 && isSemver(self.s) && semver('1.0.0').compareTo(semver('1.0.0')) == 0"},
		{"CEN-033", "!format.named('uuid').value().validate(self.s).hasValue() && format.dns1123LabelPrefix().validate('a').hasValue()"},
		{"CEN-052: not a literal", "matches(self.s, '[' + '') && duration('x' + '') == self.d"},
		{"CEN-052: the pattern of the global form", "matches(self.s, '[')"},
		{"CER-020", "[1,] == [1] && {'a': 1,} == {'a': 1} // a comment"},
		{"CER-020", "r'\\' == \"\"\"\\\\\"\"\" && b'\\xff' == br'a' && '\\?\\101' == 'A' || !!self.b && 0x1Fu > .5e1"},
		{"CER-023: chains are balanced", strings.Repeat("self.b && ", 500) + "self.b || " + strings.Repeat("self.b || ", 500) + "true"},
	} {
		t.Run(tt.clause, func(t *testing.T) {
			e, err := new(check.Checker).Rule(tt.rule, self, false, false)
			require.NoError(t, err)
			require.NotNil(t, e.AST)
			requireVariants(t, tt.rule, self)
		})
	}
}

func TestRuleErrors(t *testing.T) {
	self := typeOf(t, node)
	for _, tt := range []struct {
		clause, rule string
		want         []string // at:text of each problem; a single one without a place is the whole error
	}{
		{"CTY-003", "self.nul == null", []string{"10: found no matching overload for '_==_' applied to '(string, null)'"}},
		{"CTY-030: no other variable", "other", []string{"1: undeclared reference to 'other' (in container '')"}},
		{"CTY-031, CER-010: dyn", "self.x", []string{"cel expression must evaluate to a bool"}},
		{"CTY-031: a wrapper", "google.protobuf.BoolValue{value: true}", []string{"cel expression must evaluate to a bool"}},
		{"CTY-031: an optional", "optional.of(true)", []string{"cel expression must evaluate to a bool"}},
		{"CTY-033: two places", "self.o == self.p", []string{"8: found no matching overload for '_==_' applied to '(selfType.o, selfType.p)'"}},
		{"CTY-034", "self.i == 1.0", []string{"8: found no matching overload for '_==_' applied to '(int, double)'"}},
		{"CTY-034", "self.n % 2.0 == 0.0", []string{"8: found no matching overload for '_%_' applied to '(double, double)'"}},
		{"CEN-001: only among the stored ones", "self.ls.includes('a')", []string{"17: undeclared reference to 'includes' (in container '')"}},
		{"CEN-002: not there", "cel.bind(x, 1, x == 1)", []string{
			"1: undeclared reference to 'cel' (in container '')",
			"9: undeclared reference to 'bind' (in container '')",
			"10: undeclared reference to 'x' (in container '')",
			"16: undeclared reference to 'x' (in container '')",
		}},
		{"CEN-002, CES-053: nor this", "jsonpatch.escapeKey(self.s) == ''", []string{
			"1: undeclared reference to 'jsonpatch' (in container '')",
			"20: undeclared reference to 'escapeKey' (in container '')",
		}},
		{"CLI-002: math is not there", "math.abs(1) == 1", []string{
			"1: undeclared reference to 'math' (in container '')",
			"9: undeclared reference to 'abs' (in container '')",
		}},
		{"CLI-002: base64 is not there", "base64.encode(self.by) == ''", []string{
			"1: undeclared reference to 'base64' (in container '')",
			"14: undeclared reference to 'encode' (in container '')",
		}},
		{"CLI-002: reverse is for lists", "self.s.reverse() == ''", []string{
			"15: found no matching overload for 'reverse' applied to 'string.()'"}},
		{"CEN-010: existsOne has three arguments", "self.ls.existsOne(e, true)", []string{
			"18: undeclared reference to 'existsOne' (in container '')",
			"19: undeclared reference to 'e' (in container '')",
		}},
		{"CEN-031: sign is global", "quantity('1').sign() == 1", []string{"19: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"}},

		{"CEN-051: a list, once", "[1, 'a', true].size() == 0", []string{"5: expected type 'int' but found 'string'"}},
		{"CEN-051: a map, each", "{1: 2, 'a': 3, 4: 'b'}.size() == 0", []string{
			"8: expected type 'int' but found 'string'", "19: expected type 'int' but found 'string'"}},
		{"CEN-051: what is in an optional", "[1, ?optional.of('a')].size() == 0", []string{"17: expected type 'int' but found 'string'"}},
		{"CEN-051: equivalence is strict", "[1, dyn(1)].size() == 0", []string{"8: expected type 'int' but found 'dyn'"}},
		{"CEN-052", "duration('x') == self.d", []string{"10: invalid duration argument"}},
		{"CEN-052", "timestamp('x') == self.t && timestamp(253402300800) == self.t", []string{
			"11: invalid timestamp argument", "39: invalid timestamp argument"}},
		{"CEN-052: null is no timestamp", "timestamp(null) == self.t", []string{"11: invalid timestamp argument"}},
		{"CEN-052", "self.s.matches('[')", []string{"16: invalid matches argument"}},
		{"CEN-052: the subject of the global form", "matches('[', self.s)", []string{"9: invalid matches argument"}},
		{"CEN-050: by place", "self.s.matches('[') && [1, 'a'].size() == 0", []string{
			"16: invalid matches argument", "28: expected type 'int' but found 'string'"}},

		{"CER-003: parse errors alone", "self.zz ==", []string{
			"11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"}},
		{"CER-003: type errors before validators", "self.zz && [1, 'a'] == []", []string{"5: undefined field 'zz'"}},
		{"CER-021", "self.s = 'a'", []string{
			"8: Syntax error: token recognition error at: '= '", "10: Syntax error: extraneous input ''a'' expecting <EOF>"}},
		{"CER-022", "self.true", []string{"6: Syntax error: mismatched input 'true' expecting IDENTIFIER"}},
		{"CER-022", "for == 1", []string{"1: reserved identifier: for"}},
		{"CER-023", "9223372036854775808 == 1", []string{"1: invalid int literal"}},
		{"CER-024", "self.ls.all(1, true)", []string{"13: argument must be a simple name"}},
		{"CER-024", "self.ls.map(1, true) == []", []string{"13: argument is not an identifier"}},
		{"CER-024: both must be names first", "self.m.all(k, 1, true)", []string{"15: argument must be a simple name"}},
		{"CER-024", "self.m.all(k, k, true)", []string{"15: duplicate variable name: k"}},
		{"CER-024", "self.m.transformMap(__result__, v, v) == {}", []string{"21: iteration variable overwrites accumulator variable"}},
		{"CER-024", "self.m.transformList(k, __result__, true, k) == []", []string{"25: iteration variable overwrites accumulator variable"}},
		{"CER-024", "has(self)", []string{"5: invalid argument to has() macro"}},
		{"CER-024", "self.?s.optMap(1, 1) == 1", []string{"16: optMap() variable name must be a simple identifier"}},
		{"CER-024", "self.?s.optFlatMap(a.b, 1) == 1", []string{"21: optFlatMap() variable name must be a simple identifier"}},
		{"CER-024", "'a'.sortBy(x, x) == 1", []string{
			"1: sortBy can only be applied to a list, identifier, comprehension, call or select expression"}},
		{"CER-024", "self.ls.sortBy(1, 1) == 1", []string{"16: argument is not an identifier"}},

		{"CER-030", "f(y)", []string{"2: undeclared reference to 'f' (in container '')", "3: undeclared reference to 'y' (in container '')"}},
		{"CER-030", "has(self.zz)", []string{"4: undefined field 'zz'"}},
		{"CER-030", "self.s.f == 1", []string{"7: type 'string' does not support field selection"}},
		{"CER-030: an opaque type has no fields at all", "ip('1.2.3.4').f == 1", []string{"14: type 'net.IP' does not support field selection"}},
		{"CER-030: an object of Kubernetes has none by any name", "quantity('1').f == 1", []string{"14: unexpected failed resolution of 'kubernetes.Quantity'"}},
		{"CER-030", "self.ls.startsWith('a')", []string{"19: found no matching overload for 'startsWith' applied to 'list(string).(string)'"}},
		{"CER-030", "1 && self.b", []string{"1: expected type 'bool' but found 'int'"}},
		{"CER-030", "self.s.all(x, true)", []string{
			"5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)"}},
		{"CER-030", "[?self.s].size() == 1", []string{"7: expected type 'optional_type(string)' but found 'string'"}},
		{"CER-030: expanded macros show theirs", "self.ls.filter(x, 'a') == []", []string{
			"15: found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'"}},
		{"CER-031", "[] + {} == dyn(1)", []string{"4: found no matching overload for '_+_' applied to '(list(dyn), map(dyn, dyn))'"}},
	} {
		t.Run(tt.clause+"/"+tt.rule, func(t *testing.T) {
			_, err := new(check.Checker).Rule(tt.rule, self, false, false)
			require.EqualError(t, err, detail("compilation failed: ", tt.rule, tt.want))
			requireVariants(t, tt.rule, self)
		})
	}
}

// detail prints problems of a rule of one line as CER-002 has it.
func detail(prefix, text string, problems []string) string {
	var blocks []string
	for _, problem := range problems {
		var column int
		if _, err := fmt.Sscanf(problem, "%d:", &column); err != nil {
			return problem
		}
		_, message, _ := strings.Cut(problem, ": ")
		dots := ""
		for _, r := range []rune(text)[:column-1] {
			if r < 0x80 {
				dots += "."
			} else {
				dots += "．"
			}
		}
		blocks = append(blocks, fmt.Sprintf("ERROR: <input>:1:%d: %s\n | %s\n | %s^", column, message, text, dots))
	}
	return prefix + strings.Join(blocks, "\n")
}

func TestFormat(t *testing.T) {
	self := typeOf(t, node)
	const cannotParse = "could not parse formatting clause: "
	for _, tt := range []struct{ call, want string }{ // want is at:text, or empty
		{"'%s%%%d'.format([self.s, 1])", ""},
		{"'%s %s %s %s %s'.format([self.ls, self.m, self.by, self.d, self.t])", ""},
		{"'%s %s %s'.format([type(1), null, [1, 'a']])", ""},
		{"'%d %o %x %X %b'.format([1, 2u, self.by, 'a', true])", ""},
		{"'%f %e %.3f %.100000s'.format([1.0, 'NaN', 2.0, 'a'])", ""},
		{"'%d %f %s'.format([dyn('a'), self.x, dyn(1)])", ""},
		{"self.s.format([1])", ""}, // not a literal
		{"'%d'.format(self.ls)", ""},
		{"'%s'.format(['a', 1, 2])", "12: too many arguments supplied to string.format (expected 1, got 3)"},
		{"'%s %s'.format(['a'])", "15: index 1 out of range"},
		{"'a%'.format([])", "12: unexpected end of string"},
		{"'%q'.format(['a'])", `12: ` + cannotParse + `unrecognized formatting clause "q"`},
		{"'%é'.format(['a'])", `12: ` + cannotParse + `unrecognized formatting clause "Ã"`},
		{"'%.5'.format(['a'])", "13: " + cannotParse + "error while parsing precision: could not find end of precision specifier"},
		{"'%.f'.format([1.0])", "13: " + cannotParse +
			`error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`},
		{"'%d'.format(['a'])", "14: error during formatting: decimal clause can only be used on integers, was given string"},
		{"'%o'.format(['a'])", "14: error during formatting: octal clause can only be used on integers, was given string"},
		{"'%f'.format([1])", "14: error during formatting: fixed-point clause can only be used on doubles, was given int"},
		{"'%e'.format([1])", "14: error during formatting: scientific clause can only be used on doubles, was given int"},
		{"'%b'.format(['a'])", "14: error during formatting: only integers and bools can be formatted as binary, was given string"},
		{"'%X'.format([1.0])", "14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double"},
		{"'%s'.format([[1, [quantity('1')]]])", "27: error during formatting: string clause can only be used on strings, bools, bytes, ints, " +
			"doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity"},
		{"'%s'.format([{'a': self.?s}])", "24: error during formatting: string clause can only be used on strings, bools, bytes, ints, " +
			"doubles, maps, lists, types, durations, and timestamps, was given optional_type"},
	} {
		t.Run("CEN-053/"+tt.call, func(t *testing.T) {
			_, err := new(check.Checker).Message(tt.call, self, false, false)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, detail("messageExpression compilation failed: ", tt.call, []string{tt.want}))
		})
	}
}

func TestMessage(t *testing.T) {
	self := typeOf(t, node)
	_, err := new(check.Checker).Message("'a' + self.s", self, false, false)
	require.NoError(t, err)
	_, err = new(check.Checker).Message("self.b", self, false, false)
	require.EqualError(t, err, "messageExpression must evaluate to a string") // CTY-032, CER-012
	_, err = new(check.Checker).Message("google.protobuf.StringValue{value: 'a'}", self, false, false)
	require.EqualError(t, err, "messageExpression must evaluate to a string")
	_, err = new(check.Checker).Message("self.zz", self, false, false)
	require.EqualError(t, err, "messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz\n | ....^")
}

func TestStored(t *testing.T) {
	self := typeOf(t, node)
	const rule = "self.ls.includes('a')" // CEN-001
	_, err := new(check.Checker).Rule(rule, self, false, true)
	require.NoError(t, err)
	_, err = new(check.Checker).Rule(rule, self, false, false)
	require.ErrorContains(t, err, "undeclared reference to 'includes'")
}

func TestOldSelf(t *testing.T) {
	self := typeOf(t, node)
	// CTY-030
	_, err := new(check.Checker).Rule("oldSelf.hasValue() && oldSelf.value() == self", self, true, false)
	require.NoError(t, err)
	_, err = new(check.Checker).Rule("oldSelf.hasValue()", self, false, false)
	require.ErrorContains(t, err, "found no matching overload for 'hasValue' applied to 'selfType.()'")
	_, err = new(check.Checker).Rule("oldSelf == self", self, true, false)
	require.ErrorContains(t, err, "applied to '(optional_type(selfType), selfType)'")

	for _, tt := range []struct {
		rule string
		want bool
	}{
		{"self == oldSelf", true},
		{"self == .oldSelf", true},
		{"[1].all(x, oldSelf.b)", true},
		{"[1].all(oldSelf, oldSelf == 1)", true},
		{"[1].all(oldSelf, .oldSelf.b)", false},
		{"self.o.oldSelf == 1", false},
		{"self.s == 'oldSelf'", false},
	} {
		t.Run("CCO-001/"+tt.rule, func(t *testing.T) {
			e, err := new(check.Checker).Rule(tt.rule, self, false, false)
			require.NoError(t, err)
			require.Equal(t, tt.want, e.UsesOldSelf)
		})
	}
}

func TestTypesCannotBeNamed(t *testing.T) {
	// CTY-013
	_, err := new(check.Checker).Rule("type(self) == selfType", typeOf(t, node), false, false)
	require.ErrorContains(t, err, "undeclared reference to 'selfType'")
}

func TestNoType(t *testing.T) {
	_, err := new(check.Checker).Rule("true", nil, true, false)
	require.NoError(t, err)
	_, err = new(check.Checker).Rule("self == self", nil, false, false)
	require.ErrorContains(t, err, "undeclared reference to 'self'")
}

func TestConcurrentUse(t *testing.T) {
	var group sync.WaitGroup
	for i := range 8 {
		self := typeOf(t, node)
		group.Go(func() {
			for range 20 {
				_, err := new(check.Checker).Rule("self.ls.all(x, x.matches('^a')) && self.m.transformMap(k, v, v).size() == 1", self, i%2 == 0, i%4 < 2)
				if err != nil {
					t.Error(err)
				}
				if _, err = new(check.Checker).Message("self.zz", self, false, false); err == nil {
					t.Error("no error")
				}
			}
		})
	}
	group.Wait()
}

func FuzzRule(f *testing.F) {
	for _, text := range []string{
		"self.ls.all(x, x == 'a')", "self.m.transformMapEntry(k, v, true, {v: k})", "self.?s.optMap(x, x).orValue('')",
		"self.li.sortBy(x, -x)[?0]", "'%s %.3f%%'.format([self.s, [1]])", "{1: 'a', ?'b': self.?s}", "duration('1s')",
		"timestamp(null) == self.t", "'\\ud800' + b'\\xff' r''' ", "self.`a-b`", "google.protobuf.Value{number_value: 1}", "\xff(\x00",
		"oldSelf", "((((((", "// comment\nself.b", "has(self.o.x) ? 1 : 2u", "matches('[', '[')", "type(self)",
	} {
		f.Add(text, true, false)
		f.Add(text, false, true)
	}
	self := typeOf(f, node)
	f.Fuzz(func(t *testing.T, text string, optionalOldSelf, stored bool) {
		e, err := new(check.Checker).Rule(text, self, optionalOldSelf, stored)
		if (e == nil) == (err == nil) {
			t.Errorf("%v %v", e, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "compilation failed: ERROR: <input>:") &&
			err.Error() != "cel expression must evaluate to a bool" {
			t.Error(err)
		}
		again, err2 := new(check.Checker).Rule(text, self, optionalOldSelf, stored)
		if (e == nil) != (again == nil) || err != nil && err.Error() != err2.Error() {
			t.Errorf("%v, then %v", err, err2)
		}
	})
}

func ExampleChecker_Rule() {
	p, _ := schema.Decode([]byte("{type: object, properties: {replicas: {type: integer}}}"))
	s, _ := schema.CompileLoose(p)
	self := types.Scope(plan.Root(s))

	_, err := new(check.Checker).Rule("self.replicas >= oldSelf.replicas", self, false, false)
	fmt.Println(err)
	_, err = new(check.Checker).Rule("self.replica > '1'", self, false, false)
	fmt.Println(err)
	// Output:
	// <nil>
	// compilation failed: ERROR: <input>:1:5: undefined field 'replica'
	//  | self.replica > '1'
	//  | ....^
}

func ExampleChecker_Message() {
	p, _ := schema.Decode([]byte("{type: integer}"))
	s, _ := schema.CompileLoose(p)

	_, err := new(check.Checker).Message("self + 1", types.Scope(plan.Root(s)), false, false)
	fmt.Println(err)
	// Output: messageExpression must evaluate to a string
}
