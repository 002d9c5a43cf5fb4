package hostile

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/schema"
)

// ruleRows are rules: work that costs little, and compiling.
var ruleRows = []row{
	// Loops.
	ruleRow("a map in a loop", 65_000, ruleMap, "self.l.all(i, self.m.exists(k, true))"),
	ruleRow("a map in a free loop", 65_000, ruleMap, "self.l.filter(i, self.m.exists(k, true) && false).size() == 0"),
	ruleRow("filters that let nothing through", 1_000_000, ruleInts, "self.l.all(i, self.l.filter(j, false).size() == 0)"),
	ruleRow("filters of a sum of lists", 200_000, ruleInts, "cel.bind(v, "+strings.Repeat("self.l + ", 9)+"self.l, self.l.all(i, v.filter(j, false).size() == 0))"),
	ruleRow("literals of many constants, kept", 1_000_000, ruleInts, "self.l.map(i, [i"+strings.Repeat(",1", 5000)+"]).size() > 1"),
	ruleRow("maps of many constants, kept", 1_000_000, ruleInts, "self.l.map(i, {-1 - i: 1"+ruleEntries(2000)+"}).size() > 1"),
	ruleRow("lists of maps of lists, kept", 1_000_000, ruleInts, "self.l.map(i, self.l.map(j, [j])).size() > 1"),
	ruleRow("transformMap of a large map", 65_000, ruleMap, "self.m.transformMap(k, v, v).size() > 1 && self.l.all(i, self.m.transformMap(k, v, v).size() > 1)"),
	ruleRow("maps that grow in maps", 65_000, ruleMap, "self.m.transformMap(k, v, self.m.transformMap(k, v, v)).size() > 1"),

	// Equality.
	ruleRow("lists that share structure", 40, ruleInts, "", func(n int) string {
		return ruleShared(n, "[a%[1]d, a%[1]d]", "[0]") + "&& self.l.all(i, true)"
	}),
	ruleRow("maps that share structure", 40, ruleInts, "", func(n int) string {
		return ruleShared(n, "{'a': a%[1]d, 'b': a%[1]d}", "{'a': 0}")
	}),
	ruleRow("equality of a large list in a loop", 50_000, ruleInts, "self.l.all(i, self.l == self.l2)"),
	ruleRow("equality of nested lists in a free loop", 50_000, ruleInts, "self.l.filter(i, self.ll != self.ll2).size() == 0"),
	ruleRow("equality of sets in a loop", 50_000, ruleInts, "self.l.all(i, self.set == self.set2)"),
	ruleRow("equality of list maps in a loop", 30_000, ruleInts, "self.l.all(i, self.lm == self.lm2)"),
	ruleRow("equality of maps in a loop", 30_000, ruleMap, "self.l.all(i, self.m == self.m2)"),
	ruleRow("equality of unknown fields in a loop", 200_000, ruleInts, "self.l.all(i, self.x == self.x2)"),
	ruleRow("equality of computed lists", 100_000, ruleInts, "cel.bind(a, self.l.map(i, [i]), cel.bind(b, self.l.map(i, [i]), self.l.all(i, a == b)))"),
	ruleRow("sums of sets in a loop", 50_000, ruleInts, "self.l.all(i, (self.set + self.set2).size() > 1)"),
	ruleRow("sums of list maps in a loop", 30_000, ruleInts, "self.l.all(i, (self.lm + self.lm2).size() > 1)"),
	ruleRow("long strings in a list", 1_400_000, ruleText, "self.l.all(i, dyn(self.s2) in [self.s, self.s, self.s, self.s, self.s])"),
	ruleRow("order of long strings of unknown type", 1_400_000, ruleText, "self.l.all(i, dyn(self.s) < dyn(self.s2))"),
	ruleRow("a long string compared with a short one", 2_800_000, ruleText, "self.l.all(i, self.u != 'a string of some length')"),
	ruleRow("an object in a list of objects", 30_000, ruleInts, "self.l.all(i, !(dyn({'k': -1}) in self.lm))"),

	// Functions of lists.
	ruleRow("sort of unknown items", 1_000_000, ruleInts, "self.l.all(i, dyn(self.l).sort().size() > 1)"),
	ruleRow("sort of long strings", 600, ruleTexts, "dyn(self.t).sort().size() > 1 && self.t.sort().size() > 1"),
	ruleRow("distinct items of unknown type", 1_000_000, ruleInts, "dyn(self.l).distinct().size() > 1"),
	ruleRow("a large set intersects nothing", 1_000_000, ruleInts, "self.l.all(i, !sets.intersects(self.l, []))"),
	ruleRow("a large set contains another", 900, ruleInts, "sets.equivalent(self.ll, self.ll2)"),
	ruleRow("join that fails at its last item", 1_000_000, ruleInts, "self.l.exists(i, dyn(self.mixed).join() == '')"),
	ruleRow("unwrap of none", 300_000, ruleInts, "cel.bind(v, self.l.map(i, optional.none()), self.l.all(i, optional.unwrap(v).size() == 0))"),
	ruleRow("flatten of one list many times", 1_000_000, ruleInts, "self.l.all(i, [self.l, self.l].flatten().size() > 1)"),
	ruleRow("flatten of lists of lists", 1_000_000, ruleInts, "self.l.all(i, dyn(self.ll).flatten(0).size() > 1)"),
	ruleRow("first of a sum of lists", 30_000, ruleInts, "self.l.all(i, (self.l + self.l2).first().hasValue())"),
	ruleRow("an item of a deep sum of lists", 200_000, ruleInts, "cel.bind(v, self.l"+strings.Repeat(" + [1]", 100)+", self.l.all(i, v[0] < 1))"),
	ruleRow("slices", 1_000_000, ruleInts, "self.l.all(i, self.l.slice(0, 100000).size() > 1)"),
	ruleRow("sum, min and max of unknown items", 1_000_000, ruleInts, "self.l.all(i, dyn(self.l).max() > 0)"),
	ruleRow("indexOf in a list", 1_000_000, ruleInts, "self.l.all(i, dyn(self.l).indexOf(-1) < 0)"),
	ruleRow("ranges", 900_000, ruleInts, "self.l.all(i, lists.range(900000).size() > 1)"),

	// Functions of strings.
	ruleRow("size of a long string", 2_800_000, ruleText, "self.l.all(i, self.u.size() > 1)"),
	ruleRow("the last letter of a long string", 2_800_000, ruleText, "self.l.all(i, self.u.charAt(900000) != 'a')"),
	ruleRow("a long key that is missing", 2_800_000, ruleText, "self.l.all(i, self.mm[self.u].size() == 0 || true)"),
	ruleRow("an error for each item that none of them hides", 2_800_000, ruleText, "self.l.exists(i, self.mm[self.u].size() == 0)"),
	ruleRow("a long string that is no number", 2_800_000, ruleText, "self.l.all(i, int(self.s + 'x') == 0 || true)"),
	ruleRow("a long string that is no time", 2_800_000, ruleText, "self.l.all(i, timestamp(self.s) == timestamp(self.s) || true)"),
	ruleRow("a long string that is no duration", 2_800_000, ruleText, "self.l.all(i, duration(self.s) == duration(self.s) || true)"),
	ruleRow("a long string that is a double", 2_800_000, ruleDigits, "self.l.all(i, double(self.s) > 0.0)"),
	ruleRow("a date that is none", 900_000, ruleDates, "self.l.all(i, self.date == self.date || true)"),
	ruleRow("a duration of many words", 900_000, ruleDates, "self.l.all(i, self.dur == self.dur || true)"),
	ruleRow("bytes in a loop", 900_000, ruleDates, "self.l.all(i, self.b == self.b || true)"),
	ruleRow("a long quantity", 2_800_000, ruleDigits, "self.l.all(i, quantity(self.s).asApproximateFloat() > 0.0)"),
	ruleRow("a long quantity, again and again", 2_800_000, ruleDigits, "cel.bind(q, quantity(self.s), self.l.all(i, q.asApproximateFloat() > 0.0))"),
	ruleRow("sums of long quantities", 2_800_000, ruleDigits, "cel.bind(q, quantity(self.s), self.l.all(i, q.add(q).isGreaterThan(q)))"),
	ruleRow("a long version, again and again", 1_400_000, ruleVersion, "cel.bind(v, semver(self.s), self.l.all(i, v.compareTo(v) == 0))"),
	ruleRow("a query of many values", 1_400_000, ruleURL, "cel.bind(u, url(self.s), self.l.all(i, u.getQuery().size() > 0))"),
	ruleRow("a long path that is escaped", 1_400_000, ruleURL, "cel.bind(u, url(self.s2), self.l.all(i, u.getEscapedPath().size() > 0))"),
	ruleRow("equality of long URLs", 1_400_000, ruleURL, "cel.bind(u, url(self.s2), self.l.all(i, u == u))"),
	ruleRow("sums of strings of unknown type", 2_800_000, ruleText, "self.l.all(i, dyn(self.u) + dyn(self.u) != '')"),
	ruleRow("sums of strings that are kept", 2_800_000, ruleText, "self.l.map(i, dyn(self.u) + dyn(self.u)).size() > 1"),
	ruleRow("replace that grows", 1_400_000, ruleText, "self.l.all(i, self.s.replace('', self.s.substring(0, 40)).size() > 1)"),
	ruleRow("split into letters", 1_400_000, ruleText, "self.l.all(i, self.s.split('').size() > 1)"),
	ruleRow("join of a long list", 1_000_000, ruleInts, "cel.bind(v, self.l.map(i, 'a'), self.l.all(i, v.join(',').size() > 1))"),
	ruleRow("format with many digits", 1_000_000, ruleInts, "'"+strings.Repeat("%.32767f", 2000)+"'.format(["+strings.Repeat("0.1,", 2000)+"]) != '' && self.l.all(i, '%.32767f'.format([0.1]) != '')"),
	ruleRow("format with many blanks", 1_000_000, ruleInts, "self.l.all(i, '"+strings.Repeat("%.65535e", 300)+"'.format(["+strings.Repeat("0.1,", 300)+"]) != '')"),
	ruleRow("format of a long list", 300_000, ruleInts, "self.l.all(i, '%s'.format([self.l]) != '')"),
	ruleRow("format of maps in maps", 1_400_000, ruleText, "self.l.all(i, '%s'.format(["+strings.Repeat("{'a': ", 60)+"self.s"+strings.Repeat("}", 60)+"]) != '')"),
	ruleRow("format of a string again and again", 2_800_000, ruleText, "self.l.all(i, '%s%s%s%s'.format([self.s, self.s, self.s, self.s]) != '')"),
	ruleRow("text of an address that is none", 2_800_000, ruleText, "self.l.all(i, ip(self.s).family() == 4 || true)"),
	ruleRow("time zones that do not exist", 300_000, ruleZones, "self.t.all(z, timestamp('2020-01-01T00:00:00Z').getHours(z) == 1 || true)"),
	ruleRow("a time zone with a long name", 2_800_000, ruleText, "self.l.all(z, timestamp('2020-01-01T00:00:00Z').getHours(self.s) == 1 || true)"),

	// Keys and optionals.
	ruleRow("keys of a literal", 1_000_000, ruleInts, "self.l.all(i, {'a': 1, 'b': 2, self.l[0] == 0 ? 'c' : 'd': i}.size() == 3)"),
	ruleRow("keys that are lists", 1_000_000, ruleInts, "self.l.all(i, {self.l: 1, self.l2: 2}.size() == 2)"),
	ruleRow("chains of optionals", 1_000_000, ruleInts, "self.l.all(i, !self.?o"+strings.Repeat(".?o", 60)+".hasValue())"),
	ruleRow("has in chains", 1_000_000, ruleInts, "self.l.all(i, !has(self.o) || has(self.o.o.o.o))"),
	ruleRow("a key with escapes", 2_800_000, ruleEscapes, "self.l.all(i, !(dyn(self.s) in dyn(self)) || true)"),

	ruleCompileRow("list literals in one another", 240, 1, func(n, _ int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) + ".size() == 1" }),
	ruleCompileRow("map literals in one another", 110, 1, func(n, _ int) string {
		return strings.Repeat("{1: ", n) + "1" + strings.Repeat("}", n) + ".size() == 1"
	}),
	ruleCompileRow("thousands of rules with nested literals", 3000, 0, func(n, i int) string {
		return fmt.Sprintf("%s%d%s.size() == 1", strings.Repeat("[", 200), i, strings.Repeat("]", 200))
	}),
	ruleCompileRow("thousands of different rules", 30_000, 0, func(n, i int) string { return fmt.Sprintf("self.l.all(i, i > %d)", i) }),
	ruleCompileRow("thousands of rules with faults", 30_000, 0, func(n, i int) string { return fmt.Sprintf("self.nothing > %d", i) }),
	ruleCompileRow("a rule of many comparisons", 5_000, 1, func(n, _ int) string {
		return strings.Repeat("self.l[0] == self.l2[0] && ", n) + "self.nothing"
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

	ruleCancelRow("sort", 1_000_000, ruleInts, "dyn(self.l).sort().size() > 1"),
	ruleCancelRow("equality", 1_000_000, ruleInts, "self.l.all(i, self.l == self.l2)"),
	ruleCancelRow("format", 1_000_000, ruleInts, "self.l.all(i, '%s'.format([self.l]) != '')"),
	ruleCancelRow("maps", 65_000, ruleMap, "self.l.all(i, self.m.exists(k, true))"),
	ruleCancelRow("long strings", 2_800_000, ruleText, "self.l.all(i, self.u.size() > 1)"),
	ruleCancelRow("queries", 1_400_000, ruleURL, "cel.bind(u, url(self.s), self.l.all(i, u.getQuery().size() > 0))"),
	ruleCancelRow("sums of quantities", 2_800_000, ruleDigits, "cel.bind(q, quantity(self.s), self.l.all(i, q.add(q).isGreaterThan(q)))"),
}

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
  l: {type: array, items: {type: integer}}
  l2: {type: array, items: {type: integer}}
  ll: {type: array, items: {type: array, items: {type: integer}}}
  ll2: {type: array, items: {type: array, items: {type: integer}}}
  mixed: {type: array, items: {x-kubernetes-int-or-string: true}}
  m: {type: object, additionalProperties: {type: integer}}
  m2: {type: object, additionalProperties: {type: integer}}
  mm: {type: object, additionalProperties: {type: string}}
  x: {x-kubernetes-preserve-unknown-fields: true}
  x2: {x-kubernetes-preserve-unknown-fields: true}
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

// ruleRow is a rule on an object of size n. If text is given, it makes the rule from n.
func ruleRow(name string, n int, object func(n int) map[string]any, rule string, text ...func(n int) string) row {
	return row{name: "rule: " + name, n: n, want: "cost", setup: func(n int) func() string {
		r := rule
		for _, t := range text {
			r = t(n)
		}
		rules, obj := ruleProgram(r, ruleRepeats), object(n)
		return func() string {
			result := cel.EvaluateRules(context.Background(), rules, obj, nil, nil)
			return ruleAnswer(result)
		}
	}}
}

func ruleAnswer(result cel.Result) string {
	text := fmt.Sprintf("cost %d, %d errors", result.Cost, len(result.Errors))
	if n := len(result.Errors); n > 0 {
		text += ": " + fmt.Sprintf("%.300s", result.Errors[n-1].Detail)
	}
	return text
}

// ruleCancelRow is a rule whose context ends after 20 ms. The answer says whether that was seen within 100 ms of CPU time.
func ruleCancelRow(name string, n int, object func(n int) map[string]any, rule string) row {
	return row{name: "rule: cancelled: " + name, n: n, want: "in time", setup: func(n int) func() string {
		rules, obj := ruleProgram(rule, ruleRepeats), object(n)
		return func() string {
			ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer stop()
			var used time.Duration
			done := make(chan cel.Result)
			go func() { done <- cel.EvaluateRules(ctx, rules, obj, nil, nil) }()
			<-ctx.Done()
			before := cpuTime()
			result := <-done
			used = cpuTime() - before
			if used > 100*time.Millisecond {
				return fmt.Sprintf("late: %v, %s", used, ruleAnswer(result))
			}
			return "in time: " + ruleAnswer(result)
		}
	}}
}

// ruleProgram returns a rule, several times.
func ruleProgram(rule string, times int) *cel.Rules {
	props, err := schema.Decode([]byte(ruleSchema))
	if err != nil {
		panic(err)
	}
	for range times {
		props.XValidations = append(props.XValidations, schema.ValidationRule{Rule: rule})
	}
	s, errs := schema.Compile(props)
	if len(errs) > 0 {
		panic(errs)
	}
	return cel.Prepare(s)
}

// ruleCompileRow is a definition with rules. times is how many there are, 0 for as many as n, the size.
func ruleCompileRow(name string, n, times int, rule func(n, i int) string) row {
	return row{name: "rule: compile: " + name, n: n, want: "errors", setup: func(n int) func() string {
		props, err := schema.Decode([]byte(ruleSchema))
		if err != nil {
			panic(err)
		}
		count := times
		if count == 0 {
			count = n
		}
		for i := range count {
			props.XValidations = append(props.XValidations, schema.ValidationRule{Rule: rule(n, i)})
		}
		s, errs := schema.Compile(props)
		if len(errs) > 0 {
			panic(errs)
		}
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

// ruleEntries are entries of a map literal.
func ruleEntries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", %d: 1", i)
	}
	return b.String()
}

// ruleShared compares two values that have n levels, in each of which the one beneath stands twice.
func ruleShared(n int, level, first string) string {
	var b strings.Builder
	b.WriteString("cel.bind(a0, " + first + ", ")
	for i := range n {
		fmt.Fprintf(&b, "cel.bind(a%d, "+strings.ReplaceAll(level, "%[1]d", "%[2]d")+", ", i+1, i)
	}
	fmt.Fprintf(&b, "%s == %s", fmt.Sprintf(level, n), fmt.Sprintf(level, n))
	return b.String() + strings.Repeat(")", n+1)
}

func ruleInts(n int) map[string]any {
	list := func(n int) []any {
		all := make([]any, n)
		for i := range all {
			all[i] = int64(i)
		}
		return all
	}
	nested := func(n int) []any {
		all := make([]any, n/10+1)
		for i := range all {
			all[i] = list(3)
		}
		return all
	}
	keyed := func(n int) []any {
		all := make([]any, min(n, 100_000))
		for i := range all {
			all[i] = map[string]any{"k": int64(i)}
		}
		return all
	}
	mixed := list(n)
	for i := range mixed {
		mixed[i] = "a"
	}
	mixed[n-1] = int64(1)
	return map[string]any{
		"l": list(n), "l2": list(n), "ll": nested(n), "ll2": nested(n), "set": list(n), "set2": list(n), "mixed": mixed,
		"lm": keyed(n), "lm2": keyed(n), "x": list(n), "x2": list(n),
	}
}

func ruleMap(n int) map[string]any {
	few := make([]any, max(1, n/8))
	for i := range few {
		few[i] = int64(i)
	}
	entries := func() map[string]any {
		m := make(map[string]any, n)
		for i := range n {
			m[fmt.Sprintf("key-%d", i*7919%n)] = int64(i)
		}
		return m
	}
	return map[string]any{"l": few, "m": entries(), "m2": entries()}
}

// ruleLoop is a list to go through while something is done to a long text.
func ruleLoop() []any {
	all := make([]any, 100_000)
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

func ruleText(n int) map[string]any {
	s := strings.Repeat("a", n-1)
	return map[string]any{
		"s": s + "b", "s2": s + "c", "u": strings.Repeat("ü", n/2), "l": ruleLoop(), "mm": map[string]any{"a": "b"},
	}
}

func ruleTexts(n int) map[string]any {
	all := make([]any, n)
	for i := range all {
		all[i] = strings.Repeat("a", 5000) + fmt.Sprint(i*7919%n)
	}
	return map[string]any{"t": all}
}

func ruleZones(n int) map[string]any {
	all := make([]any, n)
	for i := range all {
		all[i] = fmt.Sprintf("A/%d", i)
	}
	return map[string]any{"t": all}
}

func ruleDates(n int) map[string]any {
	return map[string]any{
		"date": strings.Repeat("2", n), "dur": strings.Repeat("1d ", n/3), "b": strings.Repeat("abcd", n/4), "l": ruleLoop(),
	}
}

func ruleDigits(n int) map[string]any {
	return map[string]any{"s": strings.Repeat("7", n), "l": ruleLoop()}
}

func ruleVersion(n int) map[string]any {
	return map[string]any{"s": "1.0.0-" + strings.Repeat("a.", n/2) + "a", "l": ruleLoop()}
}

func ruleURL(n int) map[string]any {
	return map[string]any{
		"s": "https://a.b/?" + strings.Repeat("a&", n/2), "s2": "https://a.b/" + strings.Repeat("\"", n), "l": ruleLoop(),
	}
}

func ruleEscapes(n int) map[string]any {
	return map[string]any{"s": strings.Repeat("__dot__", n/7), "l": ruleLoop()}
}
