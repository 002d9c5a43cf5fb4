package ruleset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// One row for each behaviour of a walk that the larger tests touch only in passing.
func TestWalk(t *testing.T) {
	const outOfBudget = ": validation failed due to running out of cost budget, no further validation rules will be run"
	for _, c := range []struct {
		name, schema, object, old string
		options                   ruleset.EvalOptions
		want, warnings            []string
		cost                      int64
	}{
		{name: "CEV-001, CMS-001: what is true has no error, what is false has one, and both are paid for",
			schema: `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'x'"}, {rule: "self == 'y'"}]}}}`,
			object: `{a: x}`, want: []string{`Invalid a: Invalid value: "x": failed rule: self == 'y'`}, cost: 4},
		{name: "CEV-004: beneath are items, properties and additionalProperties",
			schema: `{type: object, properties: {l: {type: array, items: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: "self > 1"}]}}}}}`,
			object: `{l: [{a: 1}, {a: 2, b: 0}]}`, want: []string{"Invalid l[0][a]: Invalid value: 1: failed rule: self > 1", "Invalid l[1][b]: Invalid value: 0: failed rule: self > 1"}, cost: 6},
		{name: "CEV-009: neither null nor a node without rules asks for the budget, one whose rules would all be skipped does",
			schema: `
type: object
properties:
  a: {type: string, nullable: true, x-kubernetes-validations: [{rule: "true"}]}
  b: {type: object, properties: {x: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}}}
  c: {type: string, x-kubernetes-validations: [{rule: "true"}]}`,
			object: `{a: null, b: {x: q}, c: q}`, options: ruleset.EvalOptions{Budget: -1},
			want: []string{`Invalid b.x: Invalid value: "string"` + outOfBudget}},
		{name: "CEV-012: self is a resource wherever one is embedded",
			schema: `
type: object
properties:
  l: {type: array, items: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "self.kind == 'K' && self.metadata.name == 'p'"}]}}
  m: {type: object, additionalProperties: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "self.apiVersion == 'v1'"}]}}`,
			object: `{l: [{kind: K, metadata: {name: p}}, {kind: K, metadata: {name: q}}], m: {k: {apiVersion: v2}}}`,
			want: []string{"Invalid l[1]: Invalid value: failed rule: self.kind == 'K' && self.metadata.name == 'p'",
				"Invalid m[k]: Invalid value: failed rule: self.apiVersion == 'v1'"}, cost: -1},
		{name: "CEV-014: beneath metadata the declared schema counts",
			schema: `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, x-kubernetes-validations: [{rule: "self != 'q'"}]}}}}}`,
			object: `{metadata: {name: q}}`, want: []string{`Invalid metadata.name: Invalid value: "q": failed rule: self != 'q'`}, cost: 2},
		{name: "CEV-015: undeclared keys are not visited",
			schema: `{type: object, properties: {o: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, x-kubernetes-validations: [{rule: "false"}]}}}}}`,
			object: `{o: {a: x, b: {a: x}, o: {a: x}}}`, want: []string{`Invalid o.a: Invalid value: "x": failed rule: false`}},
		{name: "CEV-020: a loop variable makes a transition rule, a messageExpression does not",
			schema: `{type: object, x-kubernetes-validations: [{rule: "[1].all(oldSelf, oldSelf == 2)"}, {rule: "false", messageExpression: "'%s'.format([oldSelf])"}]}`,
			object: `{}`, want: []string{"Invalid <nil>: Invalid value: failed rule: false"}, cost: -1},
		{name: "CEV-020: with an old value it runs",
			schema: `{type: object, x-kubernetes-validations: [{rule: "[1].all(oldSelf, oldSelf == 2)"}]}`,
			object: `{}`, old: `{}`, want: []string{"Invalid <nil>: Invalid value: failed rule: [1].all(oldSelf, oldSelf == 2)"}, cost: 6},
		{name: "CEV-025: an old value that does not fit is there, and fails where it is used",
			schema: `{type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: "!oldSelf.hasValue()", optionalOldSelf: true}, {rule: "oldSelf.value() == 1", optionalOldSelf: true}]}}}`,
			object: `{a: 1}`, old: `{a: x}`,
			want: []string{"Invalid a: Invalid value: 1: failed rule: !oldSelf.hasValue()",
				`Invalid a: Invalid value: "integer": invalid data, expected int, got string evaluating rule: oldSelf.value() == 1`}, cost: -1},
		{name: "CEV-033: what is forgiven is paid for, and optionalOldSelf alone makes no transition rule",
			schema: `{type: object, properties: {v: {type: integer, x-kubernetes-validations: [{rule: "self > 0", messageExpression: "'is ' + string(self)"}, {rule: "self > 1", optionalOldSelf: true}, {rule: "!oldSelf.hasValue()", optionalOldSelf: true}]}}}`,
			object: `{v: 0}`, old: `{v: 0}`, options: ruleset.EvalOptions{Ratchet: true},
			want:     []string{"Invalid v: Invalid value: 0: failed rule: !oldSelf.hasValue()"},
			warnings: []string{"Invalid v: Invalid value: 0: is 0", "Invalid v: Invalid value: 0: failed rule: self > 1"}, cost: (2 + 3) + 2 + 3},
		{name: "CRC-002: all rules of an object share one budget, and those that fail are paid for",
			schema: `{type: object, properties: {l: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: "lists.range(900000)[self] >= 0"}]}}}}`,
			object: `{l: [` + strings.Repeat("-1, ", 11) + `0, 0]}`,
			want: append(repeated(11, func(i int) string {
				return fmt.Sprintf(`Invalid l[%d]: Invalid value: "integer": index out of bounds: -1 evaluating rule: lists.range(900000)[self] >= 0`, i)
			}), `Invalid l[11]: Invalid value: "integer"`+outOfBudget), cost: 10_000_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ruleset.Prepare(given.Structural(t, c.schema))
			got := r.Evaluate(t.Context(), object(t, c.object), object(t, c.old), &c.options)
			require.Equal(t, append([]string{}, c.want...), texts(got.Errors))
			require.Equal(t, append([]string{}, c.warnings...), texts(got.Warnings))
			if c.cost >= 0 {
				require.Equal(t, c.cost, got.Cost)
			}
		})
	}
}

func repeated(n int, text func(i int) string) []string {
	var out []string
	for i := range n {
		out = append(out, text(i))
	}
	return out
}

// Rules that keep a schema from being structural are never compiled or evaluated.
func TestSchemasWithoutRules(t *testing.T) {
	const rules = `x-kubernetes-validations: [{rule: "self.zz"}]`
	for _, c := range []struct{ name, schema, want string }{
		{"CWH-004, CWH-002: allOf", `{type: object, allOf: [{` + rules + `}], ` + rules + `}`, "allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural"},
		{"CWH-004, CEV-003: anyOf", `{type: object, anyOf: [{` + rules + `}]}`, "anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural"},
		{"CWH-004, CEV-003: not", `{type: object, not: {` + rules + `}}`, "not.x-kubernetes-validations: Forbidden: must be empty to be structural"},
		{"CWH-004: deep", `{type: object, properties: {a: {type: string}}, oneOf: [{properties: {a: {` + rules + `}}}]}`,
			"oneOf[0].properties[a].x-kubernetes-validations: Forbidden: must be empty to be structural"},
		{"CWH-005: metadata of the root", `{type: object, properties: {metadata: {type: object, ` + rules + `}}}`,
			"properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified"},
	} {
		t.Run(c.name, func(t *testing.T) {
			props, err := schema.Decode([]byte(c.schema))
			require.NoError(t, err)
			s, errs := schema.Compile(props)
			require.Nil(t, s)
			require.Equal(t, []string{"Forbidden " + c.want}, texts(errs))
		})
	}
}

// CWH-006: rules are compiled at all places.
func TestCompiledEverywhere(t *testing.T) {
	const rules = `x-kubernetes-validations: [{rule: "true"}]`
	s := given.Structural(t, `
type: object
properties:
  $: {type: string, `+rules+`}
  embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, properties: {metadata: {type: object, properties: {name: {type: string, `+rules+`}}}}}
  empty: {type: array, maxItems: 0, items: {type: string, `+rules+`}}
  kept: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, `+rules+`}}}
  map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, `+rules+`}}}}
  nullable: {type: string, nullable: true, `+rules+`}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string, `+rules+`}}
`)
	r, errs := ruleset.Compile(s, nil)
	require.Empty(t, errs)
	var paths []string
	for _, c := range r.Costs() {
		paths = append(paths, c.Path)
	}
	require.Equal(t, []string{"properties[$]", "properties[embedded].properties[metadata].properties[name]", "properties[empty].items",
		"properties[kept].properties[a]", "properties[map].items.properties[k]", "properties[nullable]", "properties[set].items"}, paths)
}

// CCO-002, CRF-007: what a messageExpression uses makes no transition rule, and keys that a rule does not know are
// dropped.
func TestWhatMakesNoTransitionRule(t *testing.T) {
	r, errs := ruleset.Compile(given.Structural(t, `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: integer,
x-kubernetes-validations: [{rule: "true", usesOldSelf: true, messageExpression: "oldSelf == self ? 'a' : 'b'"}]}}}}`), nil)
	require.Empty(t, errs, "not even where items have no old values")
	require.Equal(t, []ruleset.RuleCost{{Path: "properties[l].items", Cardinality: 5, MessageCost: 2}}, r.Costs())

	_, errs = ruleset.Compile(given.Structural(t, `{type: object, properties: {i: {type: integer,
x-kubernetes-validations: [{rule: "true", optionalOldSelf: true, messageExpression: "oldSelf.hasValue() ? 'a' : 'b'"}]}}}`), nil)
	require.Equal(t, []string{"Invalid properties[i].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"}, texts(errs))
}

// CMS-013: the type of a definition's root is always known, that of a loose schema may not be.
func TestNoTypeAtTheRoot(t *testing.T) {
	props, err := schema.Decode([]byte(`{type: array, x-kubernetes-validations: [{rule: "true"}, {rule: "true"}]}`))
	require.NoError(t, err)
	s, err := schema.CompileLoose(props)
	require.NoError(t, err)
	r := ruleset.Prepare(s)
	require.Equal(t, []string{`Invalid <nil>: Invalid value: "array": rule compiler initialization error: failed to convert to declType for CEL validation rules`},
		texts(r.EvaluateValue(t.Context(), s.Root(), nil, []any{"a"}, nil, nil).Errors))
	_, errs := ruleset.Compile(s, nil)
	require.Len(t, errs, 1, "CWH-007")
	require.Empty(t, r.Costs())
}

// CES-080: how often a rule may run in one object.
func TestCardinality(t *testing.T) {
	const rules = `x-kubernetes-validations: [{rule: "true"}]`
	s := given.Structural(t, `
type: object
properties:
  a: {type: object, maxProperties: 3, x-kubernetes-preserve-unknown-fields: true, properties: {x: {type: string, `+rules+`}}}
  b: {type: array, maxItems: 4, items: {type: object, maxProperties: 5, additionalProperties: {type: string, `+rules+`}}}
  c: {type: array, items: {type: object, maxProperties: 5, additionalProperties: {type: string, `+rules+`}}}
  d: {type: array, maxItems: 0, items: {type: string, `+rules+`}}
`)
	r, errs := ruleset.Compile(s, nil)
	require.Empty(t, errs)
	counts := map[string]uint64{}
	for _, c := range r.Costs() {
		counts[c.Path] = c.Cardinality
	}
	require.Equal(t, map[string]uint64{"properties[a].properties[x]": 1, "properties[b].items.additionalProperties": 20,
		"properties[c].items.additionalProperties": math.MaxUint64, "properties[d].items": 0}, counts)
}
