package hostile

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// patternRows are regular expressions, in schemas and in rules.
var patternRows = []row{
	{name: "pattern: slow for each of many strings", n: 10_000, want: "take too long", setup: func(n int) func() string {
		return patternItems(map[string]any{"type": "string", "pattern": strings.Repeat("(.?é)?", 300) + "x"}, errorItems(n, strings.Repeat("aé", 150)))
	}},
	{name: "pattern: slow far down", n: 60, want: "take too long", setup: func(n int) func() string {
		leaf := map[string]any{"type": "string", "pattern": strings.Repeat("(.?é)?", 500) + "x"}
		node, v := map[string]any{"type": "array", "items": leaf}, any(errorItems(2_000, strings.Repeat("aé", 200)))
		for range n {
			node = map[string]any{"type": "object", "properties": map[string]any{"a": node}}
			v = map[string]any{"a": v}
		}
		return patternValidate(node, v)
	}},
	{name: "pattern: branches for each of many items", n: 200_000, want: "take too long", setup: func(n int) func() string {
		branches := given.List(5_000, func(i int) any { return map[string]any{"minimum": int64(1000 + i)} })
		return patternItems(map[string]any{"type": "integer", "anyOf": branches}, ruleNumbers(n, 10))
	}},
	{name: "pattern: what must not be, for each of many items", n: 200_000, want: "take too long", setup: func(n int) func() string {
		branches := given.List(5_000, func(i int) any { return map[string]any{"pattern": fmt.Sprintf("^x%d$", i)} })
		return patternItems(map[string]any{"type": "string", "not": map[string]any{"anyOf": branches}}, errorItems(n, "y"))
	}},
	{name: "pattern: groups in a schema", n: 6_000, want: "0 errors", linear: true, setup: func(n int) func() string {
		return patternOnce(strings.Repeat("(a|b)?", n), "a")
	}},
	{name: "pattern: 500,000 groups in a schema", n: 500_000, want: "0 errors", linear: true, setup: func(n int) func() string {
		return patternOnce(strings.Repeat("(a|b)?", n), "a")
	}},
	{name: "pattern: groups within groups", n: 49, want: "0 errors", setup: func(n int) func() string {
		return patternOnce(strings.Repeat(strings.Repeat("(", n)+"a"+strings.Repeat(")*", n), 10_000), strings.Repeat("a", 1000))
	}},
	{name: "pattern: negated classes against 10,000 strings", n: 300_000, want: "0 errors", linear: true, setup: func(n int) func() string {
		return patternMany(strings.Repeat("[^a]", n)+"|[0-9]$", 10_000, func(i int) string { return "é" + strconv.Itoa(i) })
	}},
	{name: "pattern: as many instructions as a pattern may have", n: 3_300, want: "1 errors", setup: func(n int) func() string {
		return patternOnce(strings.Repeat("[a-z]{1000}", n), strings.Repeat("a", 100_000))
	}},
	{name: "pattern: as many optional instructions as a pattern may have", n: 1_600, want: "0 errors", linear: true, setup: func(n int) func() string {
		return patternOnce("^"+strings.Repeat("(?:a?){1000}", n)+"é?$", "aé")
	}},
	{name: "pattern: large classes", n: 20_000, want: "1 errors", linear: true, setup: func(n int) func() string {
		return patternOnce(strings.Repeat(`\pL`, n), strings.Repeat("é", 1000))
	}},
	{name: "pattern: dots", n: 3 << 20, want: "1 errors", linear: true, setup: func(n int) func() string {
		return patternOnce(strings.Repeat(".", n), strings.Repeat("a", 1000))
	}},
	{name: "pattern: a long literal", n: 3 << 20, want: "1 errors", linear: true, setup: func(n int) func() string {
		return patternOnce(strings.Repeat("a", n), strings.Repeat("a", n-1))
	}},
	{name: "pattern: a long text that is no plain pattern", n: 3 << 20, want: "expression too large", setup: func(n int) func() string {
		return patternOnce("(?s)"+strings.Repeat(".", n), "a")
	}},
	{name: "pattern: ranges in either case", n: 2_000, want: "expression too large", setup: func(n int) func() string {
		return patternOnce("(?i)"+strings.Repeat(`[\x{80}-\x{1e900}]`, n), "a")
	}},
	{name: "pattern: states that double, on a long string", n: 1 << 20, want: "1 errors", linear: true, setup: func(n int) func() string {
		return patternOnce("(a|b)*a(a|b){20}c", strings.Repeat("abaab", n/5))
	}},
	{name: "pattern: states that double, on a string beyond ASCII", n: 1 << 20, want: "1 errors", linear: true, setup: func(n int) func() string {
		return patternOnce("(a|é)*a(a|é){20}c", strings.Repeat("aéaaé", n/7))
	}},
	{name: "pattern: 50,000 patterns of 1,000 instructions each", n: 50_000, want: "0 errors", linear: true, setup: func(n int) func() string {
		return patternEach(n, func(i int) string { return fmt.Sprintf("^([a-z]{0,1000}%d)?x", i) }, "xé")
	}},
	{name: "pattern: patterns with a large automaton each", n: 1_000, want: "0 errors", linear: true, setup: func(n int) func() string {
		long := strings.Repeat("abaab", 600)
		return patternEach(n, func(i int) string { return fmt.Sprintf("(a|b)*a(a|b){12}|%d", i) }, long)
	}},
	{name: "pattern: many threads on a long string", n: 3 << 20, want: "1 errors", setup: func(n int) func() string {
		return patternOnce("("+strings.Repeat("a?", 900)+"é?)*c", strings.Repeat("é", n/2))
	}},

	{name: "pattern: groups from an object, in a rule", n: 6_000, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("self.s.matches(self.p)", map[string]any{"s": "a", "p": strings.Repeat("(a|b)?", n)})
	}},
	{name: "pattern: findAll that looks far ahead", n: 3 << 20, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("size(self.s.findAll('a*?b|a')) == size(self.s)", map[string]any{"s": strings.Repeat("a", n)})
	}},
	{name: "pattern: findAll that looks far ahead beyond ASCII", n: 1 << 20, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("size(self.s.findAll('é*?b|é')) == size(self.s)", map[string]any{"s": strings.Repeat("é", n)})
	}},
	{name: "pattern: findAll that looks far ahead with a large pattern", n: 3 << 20, want: "cost limit exceeded", setup: func(n int) func() string {
		return patternRule("size(self.s.findAll(self.p)) == 0", map[string]any{"s": strings.Repeat("a", n), "p": "a{1,999}b|a"})
	}},
	{name: "pattern: findAll of nothing", n: 3 << 20, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("size(self.s.findAll('')) == size(self.s) + 1", map[string]any{"s": strings.Repeat("a", n)})
	}},
	{name: "pattern: findAll of every character, twice", n: 3 << 20, want: "cost limit exceeded", setup: func(n int) func() string {
		return patternRule("self.s.findAll('.') == self.s.findAll('a')", map[string]any{"s": strings.Repeat("a", n)})
	}},
	{name: "pattern: findAll of a large pattern in a loop", n: 100, want: "cost limit exceeded", setup: func(n int) func() string {
		return patternRule("self.l.all(i, size(self.s.findAll(self.p)) >= 0)",
			map[string]any{"l": ruleNumbers(n, n), "s": strings.Repeat("aé", 1000), "p": strings.Repeat("[^b]{0,999}", 5) + "b"})
	}},
	{name: "pattern: a large pattern made in a loop", n: 1_000, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("self.l.all(i, !self.s.matches(self.p))",
			map[string]any{"l": ruleNumbers(n, n), "s": "é", "p": strings.Repeat("[a-z]{1000}", 100)})
	}},
	{name: "pattern: different large patterns made in a loop", n: 1_000, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("self.q.all(p, !self.s.matches(p))", map[string]any{"s": "é", "q": patternTexts(n, strings.Repeat("[a-z]{1000}", 200))})
	}},
	{name: "pattern: different small patterns", n: 600_000, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("true", map[string]any{"each": patternTexts(n, "x")})
	}},
	{name: "pattern: different small patterns that are not plain", n: 600_000, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("true", map[string]any{"each": patternTexts(n, "(?i)")})
	}},
	{name: "pattern: a string as a pattern", n: 3 << 20, want: "true", linear: true, setup: func(n int) func() string {
		return patternRule("!self.s.matches(self.p)", map[string]any{"s": "a", "p": strings.Repeat("a", n)})
	}},
	{name: "pattern: a long string of dots as a pattern", n: 3 << 20, want: "cost limit exceeded", setup: func(n int) func() string {
		return patternRule("!self.s.matches(self.p)", map[string]any{"s": "a", "p": strings.Repeat(".", n)})
	}},
	{name: "pattern: ranges in either case from an object", n: 1_000, want: "cost limit exceeded", setup: func(n int) func() string {
		return patternRule("self.q.all(p, !self.s.matches(p))",
			map[string]any{"s": "a", "q": patternTexts(n, "(?i)"+strings.Repeat(`[\x{80}-\x{1e900}]`, 20))})
	}},
	{name: "pattern: a cancelled search", n: 1 << 20, timed: true, want: "in time", setup: func(n int) func() string {
		run := patternRuleIn("self.s.matches(self.p)", map[string]any{"s": strings.Repeat("é", n/2), "p": "(?:(?:é?){300})*c"})
		return func() string { return cancelled(cancelLimit, run) }
	}},
	{name: "pattern: a cancelled findAll", n: 3 << 20, timed: true, want: "in time", setup: func(n int) func() string {
		run := patternRuleIn("size(self.s.findAll('(é?){20}b|é')) == 0", map[string]any{"s": strings.Repeat("é", n/2)})
		return func() string { return cancelled(cancelLimit, run) }
	}},
	{name: "pattern: a cancelled loop of patterns", n: 1_000, timed: true, want: "in time", setup: func(n int) func() string {
		run := patternRuleIn("self.q.all(p, !self.s.matches(p))", map[string]any{"s": "a", "q": patternTexts(n, strings.Repeat(`\pL`, 900))})
		return func() string { return cancelled(cancelLimit, run) }
	}},
}

// patternOnce validates one string against a pattern.
func patternOnce(pattern, s string) func() string {
	return patternMany(pattern, 1, func(int) string { return s })
}

// patternMany validates a list of n strings against a pattern.
func patternMany(pattern string, n int, item func(i int) string) func() string {
	list := errorList(&schema.JSONSchemaProps{Type: "string", Pattern: pattern})
	return patternCall(errorField("a", list), map[string]any{"a": given.List(n, func(i int) any { return item(i) })})
}

// patternEach validates n properties with the same string, each against its own pattern.
func patternEach(n int, pattern func(i int) string, s string) func() string {
	props, obj := map[string]*schema.JSONSchemaProps{}, map[string]any{}
	for i := range n {
		name := "p" + strconv.Itoa(i)
		props[name] = &schema.JSONSchemaProps{Type: "string", Pattern: pattern(i)}
		obj[name] = s
	}
	return patternCall(&schema.JSONSchemaProps{Type: "object", Properties: props}, obj)
}

func patternCall(props *schema.JSONSchemaProps, obj map[string]any) func() string {
	return func() string {
		s, errs := schema.Compile(props)
		if errs != nil {
			text := errs.String()
			return text[max(0, len(text)-1000):]
		}
		return fmt.Sprintf("%d errors", len(validate.Validate(s, obj)))
	}
}

// patternRule evaluates a rule on an object.
func patternRule(rule string, obj map[string]any) func() string {
	run := patternRuleIn(rule, obj)
	return func() string { return run(context.Background()) }
}

// patternRuleIn compiles a rule on an object with a list of integers, two strings, a list of strings, and one of
// strings that are tried as patterns. The schema bounds their lengths so that any rule may be compiled; the object is
// not validated.
func patternRuleIn(rule string, obj map[string]any) func(ctx context.Context) string {
	small := int64(1)
	s, errs := schema.Compile(&schema.JSONSchemaProps{
		Type: "object",
		Properties: map[string]*schema.JSONSchemaProps{
			"l": {Type: "array", MaxItems: &small, Items: &schema.SchemaOrArray{Schema: &schema.JSONSchemaProps{Type: "integer"}}},
			"s": {Type: "string", MaxLength: &small},
			"p": {Type: "string", MaxLength: &small},
			"q": {Type: "array", MaxItems: &small, Items: &schema.SchemaOrArray{Schema: &schema.JSONSchemaProps{Type: "string", MaxLength: &small}}},
			"each": {Type: "array", MaxItems: &small, Items: &schema.SchemaOrArray{Schema: &schema.JSONSchemaProps{
				Type: "string", MaxLength: &small, XValidations: []schema.ValidationRule{{Rule: "!'a'.matches(self)"}},
			}}},
		},
		XValidations: []schema.ValidationRule{{Rule: rule}},
	})
	if errs != nil {
		return func(context.Context) string { return errs.String() }
	}
	rules, errs := cel.Compile(s, nil)
	if errs != nil {
		return func(context.Context) string { return errs.String() }
	}
	return func(ctx context.Context) string {
		result := rules.Evaluate(ctx, obj, nil, nil)
		if result.Errors == nil {
			return "true"
		}
		return fmt.Sprintf("%.500s; cost %d", result.Errors.String(), result.Cost)
	}
}

// patternTexts returns n different texts that begin alike.
func patternTexts(n int, start string) []any {
	return given.List(n, func(i int) any { return start + strconv.Itoa(i) })
}

// patternItems returns the validation of an object with a list.
func patternItems(item map[string]any, items []any) func() string {
	node := map[string]any{"type": "array", "items": item}
	return patternValidate(map[string]any{"type": "object", "properties": map[string]any{"a": node}}, map[string]any{"a": items})
}

// patternValidate returns the validation of an object. The answer is its last error.
func patternValidate(doc map[string]any, v any) func() string {
	props, err := schema.FromValue(doc)
	if err != nil {
		return func() string { return err.Error() }
	}
	s, errs := schema.Compile(props)
	if errs != nil {
		return func() string { return errs.String() }
	}
	return func() string {
		obj, _ := v.(map[string]any)
		errs := validate.Validate(s, obj)
		if len(errs) == 0 {
			return "valid"
		}
		return errs[len(errs)-1].Error()
	}
}
