package hostile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// ruleRows are rules: work that costs little, and compiling.
var ruleRows = []row{
	// Loops.
	ruleRow("a map in a loop", ruleSpent, 65_000, ruleMap, "self.loop.all(i, self.m.exists(k, true))"),
	ruleRow("a map in a free loop", ruleSpent, 65_000, ruleMap, "self.loop.filter(i, self.m.exists(k, true) && false).size() == 0"),
	ruleRow("filters that let nothing through", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, self.l.filter(j, false).size() == 0)"),
	ruleRow("filters of a sum of lists", ruleStopped, 200_000, ruleFields("l"), "["+strings.Repeat("self.l + ", 9)+"self.l].all(v, self.loop.all(i, v.filter(j, false).size() == 0))"),
	ruleRow("literals of many constants, kept", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.map(i, [i"+strings.Repeat(",1", 5000)+"]).size() > 1"),
	ruleRow("maps of many constants, kept", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.map(i, {-1 - i: 1"+settledNames(", %d: 1", 2000)+"}).size() > 1"),
	ruleRow("lists of maps of lists, kept", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.map(i, self.l.map(j, [j])).size() > 1"),
	ruleRow("transformMap of a large map", ruleStopped, 65_000, ruleMap, "self.m.transformMap(k, v, v).size() > 1 && self.loop.all(i, self.m.transformMap(k, v, v).size() > 1)"),
	ruleRow("maps that grow in maps", ruleStopped, 65_000, ruleMap, "self.m.transformMap(k, v, self.m.transformMap(k, v, v)).size() > 1"),

	// Equality.
	ruleRow("lists that share structure", ruleSpent, 40, ruleFields("l"), "", func(n int) string {
		return ruleShared(n, "[a%[1]d, a%[1]d]", "[0]") + "&& self.loop.all(i, true)"
	}),
	ruleRow("maps that share structure", ruleTrue, 40, ruleFields("l"), "", func(n int) string {
		return ruleShared(n, "{'a': a%[1]d, 'b': a%[1]d}", "{'a': 0}")
	}),
	ruleRow("equality of a large list in a loop", ruleSpent, 50_000, ruleFields("l", "l2"), "self.loop.all(i, self.l == self.l2)"),
	ruleRow("equality of nested lists in a free loop", ruleSpent, 50_000, ruleFields("ll", "ll2"), "self.loop.filter(i, self.ll != self.ll2).size() == 0"),
	ruleRow("equality of sets in a loop", ruleSpent, 50_000, ruleFields("set", "set2"), "self.loop.all(i, self.set == self.set2)"),
	ruleRow("equality of list maps in a loop", ruleSpent, 30_000, ruleFields("lm", "lm2"), "self.loop.all(i, dyn(self.lm) == dyn(self.lm2))"),
	ruleRow("equality of maps in a loop", ruleSpent, 30_000, ruleMap, "self.loop.all(i, self.m == self.m2)"),
	ruleRow("equality of computed lists", ruleSpent, 20_000, ruleFields("l"), "[self.l.map(i, [i])].all(a, [self.l.map(i, [i])].all(b, self.loop.all(i, a == b)))"),
	ruleRow("sums of sets in a loop", ruleStopped, 50_000, ruleFields("set", "set2"), "self.loop.all(i, (self.set + self.set2).size() > 1)"),
	ruleRow("sums of list maps in a loop", ruleStopped, 30_000, ruleFields("lm", "lm2"), "self.loop.all(i, (dyn(self.lm) + dyn(self.lm2)).size() > 1)"),
	ruleRow("long strings in a list", ruleStopped, 1_400_000, ruleText, "self.loop.all(i, !(dyn(self.s2) in [self.s, self.s, self.s, self.s, self.s]))"),
	ruleRow("order of long strings of unknown type", ruleStopped, 1_400_000, ruleText, "self.loop.all(i, dyn(self.s) < dyn(self.s2))"),
	ruleRow("a long string compared with a short one", ruleSpent, 2_800_000, ruleText, "self.loop.all(i, self.u != 'a string of some length')"),
	ruleRow("an object in a list of objects", ruleStopped, 30_000, ruleFields("lm"), "self.loop.all(i, !(dyn({'k': -1}) in self.lm))"),

	// Functions of lists.
	ruleRow("sort of unknown items", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, dyn(self.l).sort().size() > 1)"),
	ruleRow("sort of long strings", ruleTrue, 600, ruleTexts, "dyn(self.t).sort().size() > 1 && self.t.sort().size() > 1"),
	ruleRow("distinct items of unknown type", ruleSpent, 1_400_000, ruleFields("l"), "dyn(self.l).distinct().size() > 1"),
	ruleRow("a large set intersects nothing", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, !sets.intersects(self.l, []))"),
	ruleRow("a large set contains another", ruleTrue, 900, ruleFields("ll", "ll2"), "sets.equivalent(self.ll, self.ll2)"),
	ruleRow("join that fails at its last item", ruleStopped, 1_000_000, ruleFields("mixed"), "self.loop.exists(i, dyn(self.mixed).join() == '')"),
	ruleRow("unwrap of none", ruleStopped, 30_000, ruleFields("l"), "[self.l.map(i, optional.none())].all(v, self.loop.all(i, optional.unwrap(v).size() == 0))"),
	ruleRow("flatten of one list many times", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, [self.l, self.l].flatten().size() > 1)"),
	ruleRow("flatten of lists of lists", ruleStopped, 1_000_000, ruleFields("ll"), "self.loop.all(i, dyn(self.ll).flatten(0).size() > 1)"),
	ruleRow("first of a sum of lists", ruleSpent, 30_000, ruleFields("l", "l2"), "self.loop.all(i, (self.l + self.l2).first().hasValue())"),
	ruleRow("an item of a deep sum of lists", ruleStopped, 200_000, ruleFields("l"), "[self.l"+strings.Repeat(" + [1]", 100)+"].all(v, self.loop.all(i, v[0] < 1))"),
	ruleRow("slices", ruleTrue, 1_400_000, ruleFields("l"), "self.loop.all(i, self.l.slice(0, 100000).size() > 1)"),
	ruleRow("sum, min and max of unknown items", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, dyn(self.l).max() > 0)"),
	ruleRow("indexOf in a list", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, dyn(self.l).indexOf(-1) < 0)"),
	ruleRow("ranges", ruleSpent, 900_000, ruleFields("l"), "self.loop.all(i, lists.range(900000).size() > 1)"),

	// Functions of strings.
	ruleRow("size of a long string", ruleStopped, 2_800_000, ruleText, "self.loop.all(i, self.u.size() > 1)"),
	ruleRow("the last letter of a long string", ruleStopped, 2_800_000, ruleText, "self.loop.all(i, self.u.charAt(900000) != 'a')"),
	ruleRow("a long key that is missing", ruleSpent, 2_800_000, ruleText, "self.loop.all(i, self.mm[self.u].size() == 0 || true)"),
	ruleRow("an error for each item that none of them hides", "more are not listed", 2_800_000, ruleText, "self.loop.exists(i, self.mm[self.u].size() == 0)"),
	ruleRow("a long string that is no number", ruleTrue, 2_800_000, ruleText, "self.loop.all(i, int(self.s + 'x') == 0 || true)"),
	ruleRow("a long string that is no time", ruleStopped, 2_800_000, ruleText, "self.loop.all(i, timestamp(self.s) == timestamp(self.s) || true)"),
	ruleRow("a long string that is no duration", ruleStopped, 2_800_000, ruleText, "self.loop.all(i, duration(self.s) == duration(self.s) || true)"),
	ruleRow("a long string that is a double", ruleStopped, 2_800_000, ruleDigits, "self.loop.all(i, double(self.s) > 0.0)"),
	ruleRow("a date that is none", ruleStopped, 900_000, ruleDates, "self.loop.all(i, self.date == self.date || true)"),
	ruleRow("a duration of many words", ruleStopped, 900_000, ruleDates, "self.loop.all(i, self.dur == self.dur || true)"),
	ruleRow("bytes in a loop", ruleStopped, 900_000, ruleDates, "self.loop.all(i, self.b == self.b || true)"),
	ruleRow("a long quantity", ruleTrue, 2_800_000, ruleDigits, "self.loop.all(i, quantity(self.s).asApproximateFloat() > 0.0)"),
	ruleRow("a long quantity, again and again", ruleSpent, 2_800_000, ruleDigits, "[quantity(self.s)].all(q, self.loop.all(i, q.asApproximateFloat() > 0.0))"),
	ruleRow("sums of long quantities", ruleStopped, 2_800_000, ruleDigits, "[quantity(self.s)].all(q, self.loop.all(i, q.add(q).isGreaterThan(q)))"),
	ruleRow("a long version, again and again", ruleStopped, 1_400_000, ruleVersion, "[semver(self.s)].all(v, self.loop.all(i, v.compareTo(v) == 0))"),
	ruleRow("a query of many values", ruleStopped, 1_400_000, ruleURL, "[url(self.s)].all(u, self.loop.all(i, u.getQuery().size() > 0))"),
	ruleRow("a long path that is escaped", ruleStopped, 1_400_000, ruleURL, "[url(self.s2)].all(u, self.loop.all(i, u.getEscapedPath().size() > 0))"),
	ruleRow("equality of long URLs", ruleStopped, 1_400_000, ruleURL, "[url(self.s2)].all(u, self.loop.all(i, u == u))"),
	ruleRow("sums of strings of unknown type", ruleStopped, 2_800_000, ruleText, "self.loop.all(i, dyn(self.u) + dyn(self.u) != '')"),
	ruleRow("sums of strings that are kept", ruleStopped, 2_800_000, ruleText, "self.loop.map(i, dyn(self.u) + dyn(self.u)).size() > 1"),
	ruleRow("replace that grows", ruleTooLarge, 1_400_000, ruleText, "self.loop.all(i, self.s.replace('', self.s.substring(0, 40)).size() > 1)"),
	ruleRow("split into letters", ruleTrue, 1_400_000, ruleText, "self.loop.all(i, self.s.split('').size() > 1)"),
	ruleRow("join of a long list", ruleStopped, 50_000, ruleFields("l"), "[self.l.map(i, 'a')].all(v, self.loop.all(i, v.join(',').size() > 1))"),
	ruleRow("format with many digits", ruleStopped, 1_400_000, ruleFields("l"), "'"+strings.Repeat("%.32767f", 2000)+"'.format(["+strings.Repeat("0.1,", 2000)+"]) != '' && self.loop.all(i, '%.32767f'.format([0.1]) != '')"),
	ruleRow("format with many blanks", ruleStopped, 1_400_000, ruleFields("l"), "self.loop.all(i, '"+strings.Repeat("%.65535e", 300)+"'.format(["+strings.Repeat("0.1,", 300)+"]) != '')"),
	ruleRow("format of a long list", ruleStopped, 300_000, ruleFields("l"), "self.loop.all(i, '%s'.format([self.l]) != '')"),
	ruleRow("format of maps in maps", ruleStopped, 1_400_000, ruleText, "self.loop.all(i, '%s'.format(["+strings.Repeat("{'a': ", 60)+"self.s"+strings.Repeat("}", 60)+"]) != '')"),
	ruleRow("format of a string again and again", ruleStopped, 2_800_000, ruleText, "self.loop.all(i, '%s%s%s%s'.format([self.s, self.s, self.s, self.s]) != '')"),
	ruleRow("text of an address that is none", ruleTrue, 2_800_000, ruleText, "self.loop.all(i, ip(self.s).family() == 4 || true)"),
	ruleRow("time zones that do not exist", ruleStopped, 300_000, ruleZones, "self.t.all(z, timestamp('2020-01-01T00:00:00Z').getHours(z) == 1 || true)"),
	ruleRow("a time zone with a long name", ruleStopped, 2_800_000, ruleText, "self.loop.all(z, timestamp('2020-01-01T00:00:00Z').getHours(self.s) == 1 || true)"),

	// Keys and optionals.
	ruleRow("keys of a literal", ruleSpent, 1_400_000, ruleFields("l"), "self.loop.all(i, {'a': 1, 'b': 2, self.l[0] == 0 ? 'c' : 'd': i}.size() == 3)"),
	ruleRow("keys that are lists", ruleSpent, 1_000_000, ruleFields("l", "l2"), "self.loop.all(i, {self.l: 1, self.l2: 2}.size() == 2)"),
	ruleRow("chains of optionals", ruleSpent, 1_400_000, ruleFields("l"), "self.loop.all(i, !self.?o.?o.?o.?o.hasValue())"),
	ruleRow("has in chains", ruleSpent, 1_400_000, ruleFields("l"), "self.loop.all(i, !has(self.o) || has(self.o.o.o.o))"),
	ruleRow("a key with escapes", ruleStopped, 2_800_000, ruleEscapes, "self.loop.all(i, !(dyn(self.s) in dyn(self)) || true)"),

	// What is paid for, as fast as it can be had.
	rulePaidRow("comparisons", "i <= j + 10"),
	rulePaidRow("URLs", "isURL(s)"),
	rulePaidRow("URLs of a constant", "isURL('http://a')"),
	rulePaidRow("addresses", "!isIP(s)"),
	rulePaidRow("networks", "!isCIDR(s)"),
	rulePaidRow("quantities", "!isQuantity(s)"),
	rulePaidRow("quantities of a constant", "quantity('1.5').isGreaterThan(quantity('1'))"),
	rulePaidRow("versions", "!isSemver(s)"),
	rulePaidRow("versions of a constant", "isSemver('1.2.3-a.b')"),
	rulePaidRow("times", "self.date == self.date"),
	rulePaidRow("times that are computed", "timestamp(j) < timestamp(i + 1000)"),
	rulePaidRow("texts of doubles", "string(double(j) / 7.0) != ''"),
	rulePaidRow("texts of times", "string(timestamp(j)) != ''"),
	rulePaidRow("errors", "(int(s) == 0 || true)"),
	rulePaidRow("URLs that are compared", "url(s) == url(s)"),
	rulePaidRow("errors of addresses", "(ip(s) == ip(s) || true)"),
	rulePaidRow("hours", "timestamp(j).getHours('Europe/Paris') < 30"),
	rulePaidRow("formats", "'%f%d'.format([0.1, j]) != ''"),
	rulePaidRow("optionals", "optional.of(j).orValue(1) < 100"),
	rulePaidRow("optional fields", "!self.?o.?o.?o.hasValue()"),
	rulePaidRow("replace", "s.replace('a', 'b') != ''"),
	rulePaidRow("split", "s.split('a').size() > 0"),
	rulePaidRow("letters", "s.charAt(0) != 'q'"),
	rulePaidRow("lower case", "s.lowerAscii() != ''"),
	rulePaidRow("small lists", "[j, j].size() == 2"),
	rulePaidRow("small maps", "{j: j}.size() == 1"),
	rulePaidRow("bytes", "bytes(s) != b'a'"),
	rulePaidRow("names of a format", "format.dns1123Label().validate(s).hasValue()"),
	rulePaidRow("types", "type(j) == int"),
	rulePaidRow("in a list", "j in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"),
	rulePaidRow("a key", "!(s in self.mm)"),
	rulePaidRow("an unknown type", "dyn(j) == dyn(j)"),

	ruleCompileRow("list literals in one another", 240, 1, func(n, _ int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) + ".size() == 1" }),
	ruleCompileRow("map literals in one another", 110, 1, func(n, _ int) string {
		return strings.Repeat("{1: ", n) + "1" + strings.Repeat("}", n) + ".size() == 1"
	}),
	ruleCompileRow("thousands of rules with nested literals", 3000, 0, func(n, i int) string {
		return fmt.Sprintf("%s%d%s.size() == 1", strings.Repeat("[", 200), i, strings.Repeat("]", 200))
	}),
	ruleCompileRow("thousands of different rules", 30_000, 0, func(n, i int) string { return fmt.Sprintf("self.loop.all(i, i > %d)", i) }),
	ruleCompileRow("thousands of rules with faults", 30_000, 0, func(n, i int) string { return fmt.Sprintf("self.nothing > %d", i) }),
	ruleCompileRow("a rule of many comparisons", 5_000, 1, func(n, _ int) string {
		return strings.Repeat("1 == 1 && ", n) + "self.nothing"
	}),
	ruleCompileRow("long rules with a fault", 400, 0, func(n, i int) string {
		return fmt.Sprintf("self.nothing == %d || ", i) + strings.Repeat("self.l == self.l2 || ", 300) + "false"
	}),
	ruleCompileRow("many optMaps", 30, 1, func(n, _ int) string {
		return "optional.of(1)" + strings.Repeat(".optMap(a, [a, a])", n) + ".hasValue()"
	}),
	ruleCompileRow("a pattern in thousands of rules", 2_000, 0, func(n, i int) string {
		return fmt.Sprintf("'a'.matches('(a|b){%d}')", i%1000)
	}),

	ruleCancelRow("sort", 1_400_000, ruleFields("l"), "dyn(self.l).sort().size() > 1"),
	ruleCancelRow("equality", 1_400_000, ruleFields("ll", "ll2"), "self.loop.all(i, self.ll == self.ll2)"),
	ruleCancelRow("format", 1_400_000, ruleFields("l"), "self.loop.all(i, '%s'.format([self.l]) != '')"),
	ruleCancelRow("maps", 65_000, ruleMap, "self.loop.all(i, self.m.exists(k, true))"),
	ruleCancelRow("long strings", 2_800_000, ruleText, "self.loop.all(i, self.u.size() > 1)"),
	ruleCancelRow("queries", 10, ruleURL, "[url(self.s)].all(u, self.loop.all(i, u.getQuery().size() > 0))"),
	ruleCancelRow("sums of quantities", 2_800_000, ruleDigits, "[quantity(self.s)].all(q, self.loop.all(i, q.add(q).isGreaterThan(q)))"),
}

// How the rules of an object end.
const (
	ruleTrue     = " 0 errors"
	ruleSpent    = "running out of cost budget"
	ruleStopped  = "actual cost limit exceeded" // by what one evaluation costs, makes or works
	ruleTooLarge = "result is too large"
)

// ruleSchema is that of the objects. Its rules are added.
const ruleSchema = `
type: object
properties:
  s: {type: string}
  s2: {type: string}
  u: {type: string}
  date: {type: string, format: date-time}
  dur: {type: string, format: duration}
  b: {type: string, format: byte}
  t: {type: array, items: {type: string}}
  loop: {type: array, items: {type: integer}}
  l: {type: array, items: {type: integer}}
  l2: {type: array, items: {type: integer}}
  ll: {type: array, items: {type: array, items: {type: integer}}}
  ll2: {type: array, items: {type: array, items: {type: integer}}}
  mixed: {type: array, items: {x-kubernetes-int-or-string: true}}
  m: {type: object, additionalProperties: {type: integer}}
  m2: {type: object, additionalProperties: {type: integer}}
  mm: {type: object, additionalProperties: {type: string}}
  set: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
  set2: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
  lm: &lm
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k]
    items: {type: object, required: [k], properties: {k: {type: integer}}}
  lm2: *lm
  o: {type: object, properties: {o: {type: object, properties: {o: {type: object, properties: {o: {type: integer}}}}}}}
`

// ruleRepeats is how often a rule stands on the object: each evaluation may cost a tenth of the budget.
const ruleRepeats = 12

// ruleRow is a rule on an object of size n, which ends as want says at the full size. If text is given, it makes the
// rule from n. The rule may loop over self.loop, which is as long as the cost of one evaluation allows.
func ruleRow(name, want string, full int, object func(n int) map[string]any, rule string, text ...func(n int) string) row {
	return row{name: "rule: " + name, n: full, want: want, setup: func(n int) func() string {
		r := rule
		for _, t := range text {
			r = t(n)
		}
		obj, times := object(n), ruleRepeats
		if n < full {
			times = 1
		}
		obj["loop"] = ruleNumbers(ruleTurns(ruleProgram(r, 1), obj), 10)
		rules := ruleProgram(r, times)
		return func() string { return ruleAnswer(rules.Evaluate(context.Background(), obj, nil, nil)) }
	}}
}

// ruleTurns returns how many turns a rule may make of the loop that it has.
func ruleTurns(rules *cel.Rules, obj map[string]any) int {
	var costs [2]int64
	for i := range costs {
		obj["loop"] = ruleNumbers(i+1, 10)
		costs[i] = rules.Evaluate(context.Background(), obj, nil, nil).Cost
	}
	if each := costs[1] - costs[0]; each > 0 {
		return max(1, int(min(ruleLoopMost, (950_000-costs[0])/each)))
	}
	return 1
}

// ruleLoopMost is how many numbers a request can hold.
const ruleLoopMost = 1_400_000

// rulePaidRow is a rule that does one thing as often as the budget lets it: a loop around many times the same
// condition.
func rulePaidRow(name, condition string) row {
	const times = 100
	rule := "self.loop.all(i, self.l.all(j, self.t.all(s, " + strings.Repeat(condition+" && ", times) + "true)))"
	object := func(n int) map[string]any {
		return map[string]any{
			"l": ruleNumbers(n, 10), "t": []any{"http:/b c"}, "date": "2020-02-29T23:59:59.123456789+01:00", "mm": map[string]any{"a": "b"},
		}
	}
	return ruleRow("paid: "+name, ruleSpent, 10, object, rule)
}

func ruleAnswer(result cel.Result) string {
	text := fmt.Sprintf("cost %d, %d errors", result.Cost, len(result.Errors))
	if n := len(result.Errors); n > 0 {
		text += ": " + fmt.Sprintf("%.300s", result.Errors[n-1].Detail)
	}
	return text
}

// ruleCancelRow is a rule whose context ends before it does.
func ruleCancelRow(name string, n int, object func(n int) map[string]any, rule string) row {
	return row{name: "rule: cancelled: " + name, n: n, timed: true, want: "in time", setup: func(n int) func() string {
		rules, obj := ruleProgram(rule, ruleRepeats), object(n)
		obj["loop"] = ruleNumbers(100_000, 10)
		return func() string {
			return cancelled(cancelLimit, func(ctx context.Context) string { return ruleAnswer(rules.Evaluate(ctx, obj, nil, nil)) })
		}
	}}
}

// ruleProgram returns a rule, several times.
func ruleProgram(rule string, times int) *cel.Rules {
	return cel.Prepare(ruleStructural(slices.Repeat([]string{rule}, times)))
}

// ruleStructural returns the schema of the objects, with rules.
func ruleStructural(rules []string) *schema.Structural {
	s, errs := schema.Compile(costRuled(must(schema.Decode([]byte(ruleSchema))), rules...))
	if len(errs) > 0 {
		panic(errs)
	}
	return s
}

// ruleCompileRow is a definition with rules. times is how many there are, 0 for as many as n, the size.
func ruleCompileRow(name string, n, times int, rule func(n, i int) string) row {
	return row{name: "rule: compile: " + name, n: n, want: "errors", setup: func(n int) func() string {
		s := ruleStructural(given.List(cmp.Or(times, n), func(i int) string { return rule(n, i) }))
		return func() string {
			rules, errs := cel.Compile(s, nil)
			text := fmt.Sprintf("%d errors", len(errs))
			if n := len(errs); n > 0 {
				text += ": " + fmt.Sprintf("%.300s", errs[n/2].Detail)
			}
			if rules == nil {
				text += ", no rules"
			}
			return text
		}
	}}
}

// ruleShared compares two values of n levels, each of which has the next one twice.
func ruleShared(n int, level, first string) string {
	var b strings.Builder
	b.WriteString("[" + first + "].all(a0, ")
	for i := range n {
		fmt.Fprintf(&b, "["+level+"].all(a%[2]d, ", i, i+1)
	}
	fmt.Fprintf(&b, "%s == %s", fmt.Sprintf(level, n), fmt.Sprintf(level, n))
	return b.String() + strings.Repeat(")", n+1)
}

// ruleFields returns an object with the named fields, which have n items together, and a list to loop over.
func ruleFields(names ...string) func(n int) map[string]any {
	return func(n int) map[string]any {
		obj := map[string]any{}
		n = max(1, n/len(names))
		for _, name := range names {
			var all []any
			switch name {
			case "set", "set2":
				all = ruleNumbers(n, n)
			case "lm", "lm2":
				all = given.List(n, func(i int) any { return map[string]any{"k": int64(i)} })
			case "ll", "ll2":
				all = given.List(n/3, func(int) any { return ruleNumbers(3, 10) })
			case "mixed":
				all = errorItems(n, "a")
				all[n-1] = int64(1)
			default:
				all = ruleNumbers(n, 10)
			}
			obj[name] = all
		}
		return obj
	}
}

// ruleNumbers returns n numbers below a limit.
func ruleNumbers(n, limit int) []any {
	return given.List(n, func(i int) any { return int64(i % limit) })
}

func ruleMap(n int) map[string]any {
	entries := func() map[string]any {
		m := make(map[string]any, n)
		for i := range n {
			m[fmt.Sprintf("key-%d", i*7919%n)] = int64(i)
		}
		return m
	}
	return map[string]any{"m": entries(), "m2": entries()}
}

func ruleText(n int) map[string]any {
	s := strings.Repeat("a", n-1)
	return map[string]any{
		"s": s + "b", "s2": s + "c", "u": strings.Repeat("ü", n/2), "mm": map[string]any{"a": "b"},
	}
}

func ruleTexts(n int) map[string]any {
	return map[string]any{"t": given.List(n, func(i int) any { return strings.Repeat("a", 5000) + fmt.Sprint(i*7919%n) })}
}

func ruleZones(n int) map[string]any {
	return map[string]any{"t": patternTexts(n, "A/")}
}

func ruleDates(n int) map[string]any {
	return map[string]any{
		"date": strings.Repeat("2", n), "dur": strings.Repeat("1d ", n/3), "b": strings.Repeat("abcd", n/4),
	}
}

func ruleDigits(n int) map[string]any {
	return map[string]any{"s": strings.Repeat("7", n)}
}

func ruleVersion(n int) map[string]any {
	return map[string]any{"s": "1.0.0-" + strings.Repeat("a.", n/2) + "a"}
}

func ruleURL(n int) map[string]any {
	return map[string]any{
		"s": "https://a.b/?" + strings.Repeat("a&", n/2), "s2": "https://a.b/" + strings.Repeat("\"", n),
	}
}

func ruleEscapes(n int) map[string]any {
	return map[string]any{"s": strings.Repeat("__dot__", n/7)}
}
