package ruleset_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

func TestEvaluateRules(t *testing.T) {
	const outOfBudget = ": validation failed due to running out of cost budget, no further validation rules will be run"
	for _, c := range []struct {
		name, schema, object, old string
		options                   ruleset.EvalOptions
		want, warnings            []string
		cost                      int64
	}{
		{name: "CEV-006, CMS-040: own rules, then items by index, keys by name, properties by name",
			schema: `
type: object
x-kubernetes-validations: [{rule: "false", message: one}, {rule: "false", message: two}]
properties:
  z: {type: string, x-kubernetes-validations: [{rule: "false"}]}
  l: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}}
  m: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}}`,
			object: `{z: q, l: [1, 2, 0], m: {b: 1, a.x: 0, c: 5}}`,
			want: []string{"Invalid <nil>: Invalid value: one", "Invalid <nil>: Invalid value: two",
				"Invalid l[0]: Invalid value: 1: failed rule: self > 1", "Invalid l[2]: Invalid value: 0: failed rule: self > 1",
				"Invalid m[a.x]: Invalid value: 0: failed rule: self > 1", "Invalid m[b]: Invalid value: 1: failed rule: self > 1",
				`Invalid z: Invalid value: "q": failed rule: false`},
			cost: 12},
		{name: "CEV-007: null and absent are skipped at no cost",
			schema: `{type: object, properties: {a: {type: string, nullable: true, x-kubernetes-validations: [{rule: "self == 'x'"}]}, b: {type: string, x-kubernetes-validations: [{rule: "false"}]}}}`,
			object: `{a: null}`},
		{name: "CEV-008: the whole object may be nil",
			schema: `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: has(self.a)}]}`,
			object: ``, want: []string{"Invalid <nil>: Invalid value: failed rule: has(self.a)"}, cost: 1},
		{name: "CEV-005: a property that rules cannot see has none, one whose name cannot be written has",
			schema: `{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "false"}]}, x$y: {type: string, x-kubernetes-validations: [{rule: "false"}]}}}`,
			object: `{a: 1, x$y: b}`, want: []string{`Invalid x$y: Invalid value: "b": failed rule: false`}},
		{name: "CEV-005, CTY-020: in an embedded resource, metadata has names only",
			schema: `
type: object
properties:
  t:
    type: object
    x-kubernetes-embedded-resource: true
    properties: {metadata: {type: object, properties: {labels: {type: object, x-kubernetes-validations: [{rule: "false"}]}, name: {type: string, x-kubernetes-validations: [{rule: "false"}]}}}}`,
			object: `{t: {metadata: {labels: {}, name: q}}}`, want: []string{`Invalid t.metadata.name: Invalid value: "q": failed rule: false`}},
		{name: "CEV-010, CEV-011, CMS-014: a rule that does not compile keeps no other from running",
			schema: `{type: object, x-kubernetes-validations: [{rule: self.zz, reason: FieldValueRequired, fieldPath: .a}, {rule: " "}, {rule: "false"}], properties: {a: {type: string}}}`,
			object: `{}`,
			want: []string{"Invalid <nil>: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz\n | ....^",
				"Invalid <nil>: Invalid value: failed rule: false"}},
		{name: "CMS-005, CMS-020, CMS-021: errors name the type and the rule",
			schema: `
type: object
properties:
  a: {type: string, x-kubernetes-validations: [{rule: "self.charAt(9) == 'q'", reason: FieldValueForbidden, message: " long enough "}]}
  b: {x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: self < 5}]}`,
			object: `{a: x, b: w}`,
			want: []string{`Invalid a: Invalid value: "string": index out of range: 9 evaluating rule: long enough`,
				`Invalid b: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self < 5`},
			cost: 5},
		{name: "CMS-002, CMS-003, CMS-004: reasons and values",
			schema: `
type: object
properties:
  a: {type: string, x-kubernetes-validations: [{rule: "false", reason: FieldValueForbidden, message: m}, {rule: "false", reason: FieldValueRequired, message: m}, {rule: "false", reason: FieldValueDuplicate, message: m}, {rule: "false", reason: FieldValueInvalid}]}
  b: {type: object, x-kubernetes-validations: [{rule: "false", reason: FieldValueDuplicate}]}`,
			object: `{a: x, b: {}}`,
			want: []string{"Forbidden a: Forbidden: m", "Required a: Required value: m", `Duplicate a: Duplicate value: "x"`, `Invalid a: Invalid value: "x": failed rule: false`,
				"Duplicate b: Duplicate value"}},
		{name: "CMS-006, CMS-030, CMS-032: where the text comes from",
			schema: `
type: object
properties:
  a: {type: string}
x-kubernetes-validations:
- {rule: "false", message: m, messageExpression: "' said ' + 'so '"}
- {rule: "false", message: m, messageExpression: "'  '"}
- {rule: "false", message: m, messageExpression: "'a\\nb'"}
- {rule: "false", message: m, messageExpression: "self.a"}
- {rule: " false ", messageExpression: "self.zz"}
- {rule: "false", fieldPath: .a, messageExpression: "self.zz"}`,
			object: `{}`,
			want: []string{"Invalid <nil>: Invalid value: said so", "Invalid <nil>: Invalid value: m", "Invalid <nil>: Invalid value: m", "Invalid <nil>: Invalid value: m",
				"Invalid <nil>: Invalid value: failed rule: false", "Invalid <nil>: Invalid value: failed rule: false"}, cost: 3},
		{name: "CMS-007: fieldPath",
			schema: `
type: object
properties:
  s:
    type: object
    properties: {b-c: {type: string}, m: {type: object, additionalProperties: {type: string}}, "": {type: string}}
    x-kubernetes-validations: [{rule: "false", fieldPath: "['b-c']"}, {rule: "false", fieldPath: .m.k}, {rule: "false", fieldPath: ".m['it\\'s']"}, {rule: "false", fieldPath: .no}, {rule: "false", fieldPath: "['']"}]
  m: {type: object, additionalProperties: {type: string}, x-kubernetes-validations: [{rule: "false", fieldPath: .k}]}
x-kubernetes-validations: [{rule: "false", fieldPath: .s.b-c}]`,
			object: `{s: {}, m: {}}`,
			want: []string{"Invalid s.b-c: Invalid value: failed rule: false", "Invalid m.[k]: Invalid value: failed rule: false", "Invalid s.b-c: Invalid value: failed rule: false",
				"Invalid s.m[k]: Invalid value: failed rule: false", "Invalid s.m[it's]: Invalid value: failed rule: false", "Invalid s: Invalid value: failed rule: false",
				"Invalid s.[]: Invalid value: failed rule: false"}},
		{name: "CMS-010: a rule that costs exactly the rest is fine, a node with nothing left is not",
			schema:  `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}, {rule: "true"}]}, b: {type: string, x-kubernetes-validations: [{rule: "true"}]}}}`,
			object:  `{a: x, b: w}`,
			options: ruleset.EvalOptions{Budget: 2},
			want:    []string{`Invalid b: Invalid value: "string"` + outOfBudget}, cost: 2},
		{name: "CMS-010: a rule that costs more",
			schema:  `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}, {rule: "false"}]}}}`,
			object:  `{a: x}`,
			options: ruleset.EvalOptions{Budget: 1},
			want:    []string{`Invalid a: Invalid value: "string"` + outOfBudget}, cost: 1},
		{name: "a negative budget",
			schema:  `{type: object, x-kubernetes-validations: [{rule: "true"}]}`,
			object:  `{}`,
			options: ruleset.EvalOptions{Budget: -5},
			want:    []string{`Invalid <nil>: Invalid value: "object"` + outOfBudget}},
		{name: "CMS-031: a messageExpression that costs more than is left ends the walk",
			schema:  `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "false", fieldPath: .a, messageExpression: "self.a + self.a"}, {rule: "false"}]}`,
			object:  `{a: x}`,
			options: ruleset.EvalOptions{Budget: 3},
			want: []string{`Invalid a: Invalid value: "object": messageExpression evaluation failed due to running out of cost budget, ` +
				"no further validation rules will be run"}, cost: 3},
		{name: "CMS-011: one evaluation over its limit ends the walk, with all of the budget spent",
			schema: `{type: object, properties: {l: {type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))", message: cubes}, {rule: "false"}]}}}`,
			object: `{l: [` + strings.Repeat("1,", 99) + `1]}`,
			want: []string{`Invalid l: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': ` +
				"no further validation rules will be run due to call cost exceeds limit for rule: cubes"}, cost: 10_000_000},
		{name: "CEV-023, CEV-024: transition rules on a create",
			schema: `{type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}, {rule: oldSelf.hasValue(), optionalOldSelf: true}]}}}`,
			object: `{a: 1}`, want: []string{"Invalid a: Invalid value: 1: failed rule: oldSelf.hasValue()"}, cost: 2},
		{name: "CEV-021: old values by key, by the keys of a list map, and none in other lists",
			schema: `
type: object
properties:
  m: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}
  l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}
  s: {type: array, x-kubernetes-list-type: set, items: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}`,
			object: `{m: {a: 1, b: 1}, l: [{k: x, v: 1}, {k: w, v: 1}, {k: new, v: 1}], s: [1]}`,
			old:    `{m: {a: 2, c: 1}, l: [{k: w, v: 2}, {k: x, v: 1}], s: [2]}`,
			want:   []string{"Invalid l[1].v: Invalid value: 1: failed rule: self >= oldSelf", "Invalid m[a]: Invalid value: 1: failed rule: self >= oldSelf"}, cost: 9},
		{name: "CEV-026, CEV-027: a messageExpression sees the plain old value, and only beside a transition rule",
			schema: `
type: object
properties:
  a: {type: integer, x-kubernetes-validations: [{rule: "false", messageExpression: "'was %d'.format([oldSelf])"}]}
  b: {type: integer, x-kubernetes-validations: [{rule: "false", messageExpression: "'was %d'.format([oldSelf])"}, {rule: self >= oldSelf}]}
  c: {type: integer, x-kubernetes-validations: [{rule: "!oldSelf.hasValue()", optionalOldSelf: true, messageExpression: "'was %d'.format([oldSelf.value()])"}]}`,
			object: `{a: 1, b: 1, c: 1}`, old: `{a: 0, b: 0, c: 0}`,
			want: []string{"Invalid a: Invalid value: 1: failed rule: false", "Invalid b: Invalid value: 1: was 0", "Invalid c: Invalid value: 1: failed rule: !oldSelf.hasValue()"}, cost: -1},
		{name: "CEV-031, CEV-032, CEV-039: what ratcheting forgives",
			options: ruleset.EvalOptions{Ratchet: true},
			schema: `
type: object
properties:
  same: {type: object, properties: {v: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}, {rule: "self / 0 > 1"}, {rule: "self > oldSelf"}]}}, x-kubernetes-validations: [{rule: self.v > 0}]}
  other: {type: object, properties: {v: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}, w: {type: integer}}, x-kubernetes-validations: [{rule: self.v > 0}]}
  list: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}}
  new: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}`,
			object: `{same: {v: 0}, other: {v: 0, w: 1}, list: [0], new: 0}`,
			old:    `{same: {v: 0}, other: {v: 0, w: 2}, list: [0]}`,
			want: []string{"Invalid new: Invalid value: 0: failed rule: self > 0", "Invalid other: Invalid value: failed rule: self.v > 0",
				`Invalid same.v: Invalid value: "integer": division by zero evaluating rule: self / 0 > 1`, "Invalid same.v: Invalid value: 0: failed rule: self > oldSelf"},
			warnings: []string{"Invalid list[0]: Invalid value: 0: failed rule: self > 0", "Invalid other.v: Invalid value: 0: failed rule: self > 0",
				"Invalid same: Invalid value: failed rule: self.v > 0", "Invalid same.v: Invalid value: 0: failed rule: self > 0"}, cost: -1},
		{name: "CEV-030: without ratcheting nothing is forgiven",
			schema: `{type: object, properties: {v: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}}}`,
			object: `{v: 0}`, old: `{v: 0}`, want: []string{"Invalid v: Invalid value: 0: failed rule: self > 0"}, cost: 2},
		{name: "CEV-035: kind and apiVersion of the whole object are never forgiven",
			options: ruleset.EvalOptions{Ratchet: true},
			schema:  `{type: object, properties: {kind: {type: string, x-kubernetes-validations: [{rule: "false"}]}, spec: {type: object, properties: {kind: {type: string, x-kubernetes-validations: [{rule: "false"}]}}}}}`,
			object:  `{kind: K, spec: {kind: K}}`, old: `{kind: K, spec: {kind: K}}`,
			want: []string{`Invalid kind: Invalid value: "K": failed rule: false`}, warnings: []string{`Invalid spec.kind: Invalid value: "K": failed rule: false`}},
		{name: "CEV-038: an object with a key that has no schema has changed",
			options: ruleset.EvalOptions{Ratchet: true},
			schema:  `{type: object, properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "false"}]}}}`,
			object:  `{a: {x: 1}}`, old: `{a: {x: 1}}`, want: []string{"Invalid a: Invalid value: failed rule: false"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := given.Structural(t, c.schema)
			compiled, _ := ruleset.Compile(s, nil)
			for _, r := range []*ruleset.Rules{compiled, ruleset.Prepare(s)} {
				obj, old := object(t, c.object), object(t, c.old)
				before := []any{jsonval.Clone(obj), jsonval.Clone(old)}
				got := r.Evaluate(t.Context(), obj, old, &c.options)
				require.Equal(t, append([]string{}, c.want...), texts(got.Errors))
				require.Equal(t, append([]string{}, c.warnings...), texts(got.Warnings))
				if c.cost >= 0 {
					require.Equal(t, c.cost, got.Cost)
				}
				require.Equal(t, before, []any{any(obj), any(old)}, "nothing is modified")
			}
		})
	}
}

// The place of an error is there as data, too.
func TestErrorPaths(t *testing.T) {
	s := given.Structural(t, `{type: object, properties: {a: {type: object, additionalProperties: {type: array, items: {type: object, properties: {x.y: {type: string}},
x-kubernetes-validations: [{rule: "false"}, {rule: "false", fieldPath: "['x.y']"}]}}}}}`)
	errs := ruleset.Prepare(s).Evaluate(t.Context(), object(t, "{a: {k.1: [{}]}}"), nil, nil).Errors
	require.Len(t, errs, 2)
	require.Equal(t, "a[k.1][0]", errs[0].Field)
	require.Equal(t, "/a/k.1/0", errs[0].Pointer())
	require.Equal(t, "a[k.1][0].x.y", errs[1].Field)
	require.Equal(t, "/a/k.1/0/x.y", errs[1].Pointer())
}

func TestEvaluateValue(t *testing.T) {
	s := given.Structural(t, `{type: object, properties: {spec: {type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: self > 0}, {rule: self >= oldSelf}]}}}, other: {type: string}},
x-kubernetes-validations: [{rule: "false"}]}`)
	r := ruleset.Prepare(s)
	spec := s.Root().Property("spec")
	at := field.NewPath("spec")
	got := r.EvaluateValue(t.Context(), spec, at, object(t, "{num: 0}"), nil, nil)
	require.Equal(t, []string{"Invalid spec.num: Invalid value: 0: failed rule: self > 0"}, texts(got.Errors), "the rule of the root is not asked")
	require.Equal(t, int64(2), got.Cost)

	got = r.EvaluateValue(t.Context(), spec.Property("num"), at.Child("num"), int64(-1), int64(0), &ruleset.EvalOptions{Ratchet: true})
	require.Equal(t, []string{"Invalid spec.num: Invalid value: -1: failed rule: self > 0", "Invalid spec.num: Invalid value: -1: failed rule: self >= oldSelf"}, texts(got.Errors))

	require.Zero(t, r.EvaluateValue(t.Context(), s.Root().Property("other"), nil, "x", nil, nil), "no rules there")
	require.Zero(t, r.EvaluateValue(t.Context(), spec, at, nil, nil, nil), "CEV-007")
	require.Zero(t, r.EvaluateValue(t.Context(), given.Structural(t, "{type: object}").Root(), nil, map[string]any{}, nil, nil), "a node of another schema")
	require.Zero(t, r.EvaluateValue(t.Context(), schema.Node{}, nil, "x", nil, nil))

	require.NotEmpty(t, r.Evaluate(t.Context(), object(t, "{spec: {num: 0}}"), nil, nil).Errors)
}

// CMS-024: the walk itself looks at the context, besides the loops of rules.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := given.Structural(t, `{type: object, properties: {
l: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: "true", message: small}]}},
m: {type: array, items: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "true"}]}}}},
q: {type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, x > 0)"}, {rule: "true"}]}}}`)
	r := ruleset.Prepare(s)
	list := func(n int, v any) []any { return slices.Repeat([]any{v}, n) }
	require.Empty(t, r.Evaluate(ctx, map[string]any{"l": list(63, int64(1))}, nil, nil).Errors, "short walks finish")
	require.Equal(t, []string{`Invalid l[63]: Invalid value: "integer": operation interrupted: context canceled evaluating rule: small`},
		texts(r.Evaluate(ctx, map[string]any{"l": list(1000, int64(1))}, nil, nil).Errors), "64 evaluations")
	require.Equal(t, []string{`Invalid m[253]: Invalid value: "object": operation interrupted: context canceled evaluating rule: true`},
		texts(r.Evaluate(ctx, map[string]any{"m": list(1000, map[string]any{})}, nil, nil).Errors), "256 values, of which none has a rule")
	require.Equal(t, []string{`Invalid q: Invalid value: "array": operation interrupted: context canceled evaluating rule: self.all(x, x > 0)`},
		texts(r.Evaluate(ctx, map[string]any{"q": list(1000, int64(1))}, nil, nil).Errors), "loops of rules")
	//lint:ignore SA1012 CMS-012
	require.Empty(t, r.Evaluate(nil, map[string]any{"q": list(1000, int64(1))}, nil, nil).Errors, "no context")
}

// Go values that come from no decoder, cycles among them, are misfit data or ignored. Nothing panics.
func TestForeignValues(t *testing.T) {
	s := given.Structural(t, `{type: object, properties: {a: {type: array, items: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}]}}, x-kubernetes-validations: [{rule: "has(self.a)"}]},
x-kubernetes-validations: [{rule: self == oldSelf}, {rule: size(self) > 0}]}}}`)
	r := ruleset.Prepare(s)
	cycle := map[string]any{}
	cycle["a"] = []any{cycle}
	for _, v := range []any{cycle["a"], []any{nil}, []any(nil), 1.5, struct{}{}, []string{"a"}, map[string]string{}, make(chan int), []any{struct{}{}}} {
		obj := map[string]any{"a": v}
		for _, ratchet := range []bool{false, true} {
			got := r.Evaluate(t.Context(), obj, obj, &ruleset.EvalOptions{Ratchet: ratchet})
			require.GreaterOrEqual(t, got.Cost, int64(0), "%T", v)
			for _, e := range got.Errors {
				require.NotEmpty(t, e.Error())
			}
		}
	}
}

// Eight goroutines share Rules that are not compiled yet.
func TestConcurrentEvaluation(t *testing.T) {
	var props strings.Builder
	for i := range 20 {
		fmt.Fprintf(&props, "p%d: {type: integer, x-kubernetes-validations: [{rule: \"self != %d\"}, {rule: self.zz}]}\n  ", i, i%7)
	}
	s := given.Structural(t, "type: object\nproperties:\n  "+props.String()+"l: {type: array, items: {type: string, x-kubernetes-validations: [{rule: self.size() < 3}]}}")
	obj := map[string]any{"l": []any{"a", "abc"}}
	for i := range 20 {
		obj[fmt.Sprint("p", i)] = int64(i)
	}
	compiled, _ := ruleset.Compile(s, nil)
	want := compiled.Evaluate(t.Context(), obj, nil, nil)
	require.Len(t, want.Errors, 1+7+20)

	all := ruleset.PrepareAll(s, given.Structural(t, `{type: object, properties: {p1: {type: integer, x-kubernetes-validations: [{rule: self != 1}]}}}`))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 10 {
				got := all[0].Evaluate(context.Background(), obj, obj, &ruleset.EvalOptions{Ratchet: i%2 == 1})
				if i%2 == 0 && (fmt.Sprint(texts(got.Errors)) != fmt.Sprint(texts(want.Errors)) || got.Cost != want.Cost) {
					t.Errorf("got %v", texts(got.Errors))
				}
				if got := all[1].Evaluate(context.Background(), obj, nil, nil); len(got.Errors) != 1 {
					t.Errorf("got %v", texts(got.Errors))
				}
				if i == 3 {
					all[0].Costs()
				}
			}
		})
	}
	group.Wait()
}

// FuzzEvaluate runs any rule on any object.
func FuzzEvaluate(f *testing.F) {
	const obj = `{"s":"abc","i":5,"n":1.5,"b":true,"l":["a","b"],"m":{"k":1},"o":{"x":"y"},"is":7,"d":"1h","t":"2020-01-01T00:00:00Z"}`
	for _, rule := range []string{
		"self.s == 'abc'", "self.i + 1 > oldSelf.i", "self.l.all(x, x != '') && self.m.exists(k, k == 'k')", "self.l.map(x, x + x).join(',').size() > 2",
		"self.is > 5", "has(self.o.x) ? self.o.x == 'y' : false", "self.t.getFullYear() == 2020", "self.d < duration('2h')", "quantity('1Ki').isInteger()",
		"'%s %d'.format([self.s, self.i]) == ''", "oldSelf.hasValue()", "self.l.sortBy(x, x)[0] == 'a'", "[1, 2].exists_one(x, x / 0 == 1)", "self.zz",
	} {
		f.Add(rule, "'%s'.format([self.s])", []byte(obj), []byte(`{"i":4,"l":["a"]}`), int64(0))
	}
	props, err := schema.Decode([]byte(`{type: object, properties: {s: {type: string}, i: {type: integer}, n: {type: number}, b: {type: boolean}, l: {type: array, items: {type: string}},
m: {type: object, additionalProperties: {type: integer}}, o: {type: object, properties: {x: {type: string}}}, is: {x-kubernetes-int-or-string: true}, d: {type: string, format: duration}, t: {type: string, format: date-time}}}`))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, rule, message string, data, oldData []byte, budget int64) {
		if len(rule)+len(message)+len(data)+len(oldData) > 2000 {
			return
		}
		p := *props
		yes := true
		p.XValidations = []schema.ValidationRule{{Rule: rule, MessageExpression: message, FieldPath: message}, {Rule: rule, OptionalOldSelf: &yes}}
		s, errs := schema.Compile(&p)
		require.Empty(t, errs)
		compiled, errs := ruleset.Compile(s, nil)
		_ = errs.Err()
		prepared := ruleset.Prepare(s)
		obj, err := decodeFuzzed(data)
		if err != nil {
			return
		}
		old, _ := decodeFuzzed(oldData)
		before := jsonval.Clone(obj)
		for _, ratchet := range []bool{false, true} {
			opts := &ruleset.EvalOptions{Ratchet: ratchet, Budget: budget % 100_000}
			got := compiled.Evaluate(t.Context(), obj, old, opts)
			require.GreaterOrEqual(t, got.Cost, int64(0))
			again := prepared.Evaluate(t.Context(), obj, old, opts)
			require.Equal(t, texts(got.Errors), texts(again.Errors))
			require.Equal(t, texts(got.Warnings), texts(again.Warnings))
			require.Equal(t, got.Cost, again.Cost)
		}
		require.Equal(t, before, any(obj))
	})
}

func decodeFuzzed(data []byte) (map[string]any, error) {
	return unstructured.Decode(data)
}
