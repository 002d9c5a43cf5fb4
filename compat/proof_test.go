package compat

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// specFacts returns the facts of a schema for spec.
func specFacts(t *testing.T, schema string) *facts {
	t.Helper()
	return factsAt(newPair(t, schema, schema).old, constraint.Steps{property("spec")})
}

// Bounds that all numbers of a schema satisfy because of its own bounds or formats. For integers, bounds are rounded to
// integers.
func TestImpliedBounds(t *testing.T) {
	for _, c := range []struct {
		own, bound string // as keywords
		integer    bool   // whether it is implied for integers
		number     bool   // and for numbers
	}{
		{"minimum: 2", "minimum: 2", true, true},
		{"minimum: 2", "minimum: 1", true, true},
		{"minimum: 2", "minimum: 3", false, false},
		{"minimum: 2", "minimum: 2, exclusiveMinimum: true", false, false},
		{"minimum: 2, exclusiveMinimum: true", "minimum: 2", true, true},
		{"minimum: 2, exclusiveMinimum: true", "minimum: 2, exclusiveMinimum: true", true, true},
		{"minimum: 2, exclusiveMinimum: true", "minimum: 3", true, false},
		{"minimum: 2, exclusiveMinimum: true", "minimum: 4", false, false},
		{"minimum: 2, exclusiveMinimum: true", "minimum: 3, exclusiveMinimum: true", false, false},
		{"maximum: 2", "maximum: 2", true, true},
		{"maximum: 2", "maximum: 3", true, true},
		{"maximum: 2", "maximum: 1", false, false},
		{"maximum: 2", "maximum: 2, exclusiveMaximum: true", false, false},
		{"maximum: 2, exclusiveMaximum: true", "maximum: 2", true, true},
		{"maximum: 2, exclusiveMaximum: true", "maximum: 2, exclusiveMaximum: true", true, true},
		{"maximum: 2, exclusiveMaximum: true", "maximum: 1", true, false},
		{"maximum: 2, exclusiveMaximum: true", "maximum: 0", false, false},
		{"maximum: 2, exclusiveMaximum: true", "maximum: 1, exclusiveMaximum: true", false, false},
		{"minimum: 1", "maximum: 9", false, false},
		{"multipleOf: 6", "multipleOf: 6", true, true},
		{"multipleOf: 6", "multipleOf: 3", true, false},
		{"multipleOf: 3", "multipleOf: 6", false, false},
		// An integer type cannot hold these bounds, so that no integer satisfies them.
		{"multipleOf: 1.5", "multipleOf: 1.5", false, true},
		{"minimum: 1.5", "minimum: 1.2", false, true},
		{"minimum: 1.2", "minimum: 1.5", false, false},
		{"maximum: 1.2", "maximum: 1.5", false, true},
		{"maximum: 1.5", "maximum: 1.2", false, false},
		{"minimum: 1", "multipleOf: 1", true, false},
	} {
		for _, typ := range []string{"integer", "number"} {
			own, bound := specFacts(t, "{type: "+typ+", "+c.own+"}"), specFacts(t, "{type: "+typ+", "+c.bound+"}")
			implied := true
			for _, b := range bound.lower {
				implied = implied && own.withinMinimum(b)
			}
			for _, b := range bound.upper {
				implied = implied && own.withinMaximum(b)
			}
			for _, b := range bound.factors {
				implied = implied && own.impliesMultipleOf(b)
			}
			require.Equal(t, map[string]bool{"integer": c.integer, "number": c.number}[typ], implied, "%s: %s and %s", typ, c.own, c.bound)
		}
	}
}

func TestImpliedRanges(t *testing.T) {
	for _, c := range []struct {
		own      string
		r        plan.Range
		implied  bool
		in, outs any // values in the range and outside of it, if it is not implied
	}{
		{"{type: integer}", plan.RangeAny, true, nil, nil},
		{"{type: integer}", plan.RangeInt, true, nil, nil},
		{"{type: integer}", plan.RangeInt64, true, nil, nil},
		{"{type: number}", plan.RangeInt64, false, 2.0, 2.5},
		{"{type: integer}", plan.RangeInt32, false, int64(1)<<31 - 1, int64(1) << 31},
		{"{type: integer, format: int32}", plan.RangeInt32, true, nil, nil},
		{"{type: integer, minimum: -2147483648, maximum: 2147483647}", plan.RangeInt32, true, nil, nil},
		{"{type: integer, minimum: -2147483649, maximum: 2147483647}", plan.RangeInt32, false, int64(-1) << 31, int64(-1)<<31 - 1},
		{"{type: integer, minimum: -2147483648, maximum: 2147483648}", plan.RangeInt32, false, int64(0), 3e9},
		{"{type: number, minimum: 1, maximum: 2}", plan.RangeInt32, false, int64(1), 1.5},
		{"{type: number}", plan.RangeFloat, false, math.MaxFloat32, 4e38},
		{"{type: number}", plan.RangeFloat, false, -3e38, -4e38},
		{"{type: number, format: float}", plan.RangeFloat, true, nil, nil},
	} {
		require.Equal(t, c.implied, specFacts(t, c.own).withinRange(c.r), "%s and %d", c.own, c.r)
		if !c.implied {
			require.False(t, violates(&plan.NumberChecks{Ranged: c.r}, c.in), "%d: %v", c.r, c.in)
			require.True(t, violates(&plan.NumberChecks{Ranged: c.r}, c.outs), "%d: %v", c.r, c.outs)
			require.False(t, violates(&plan.NumberChecks{Ranged: c.r}, "text"))
		}
	}
}

// Schemas that no value satisfies.
func TestEmpty(t *testing.T) {
	for schema, want := range map[string]bool{
		"{type: string}": false,
		"{type: string, minLength: 2, maxLength: 1}":                                                                                              true,
		"{type: string, minLength: 2, maxLength: 2}":                                                                                              false,
		"{type: string, nullable: true, minLength: 2, maxLength: 1}":                                                                              false,
		"{type: string, pattern: ^a$, minLength: 2}":                                                                                              true,
		"{type: string, pattern: ^a$, maxLength: 1}":                                                                                              false,
		"{type: string, enum: [a], maxLength: 0}":                                                                                                 true,
		"{type: integer, minimum: 2, maximum: 1}":                                                                                                 true,
		"{type: integer, minimum: 2, maximum: 2}":                                                                                                 false,
		"{type: integer, minimum: 2, maximum: 2, exclusiveMaximum: true}":                                                                         true,
		"{type: number, minimum: 2, exclusiveMinimum: true, maximum: 2}":                                                                          true,
		"{type: number, minimum: 1, exclusiveMinimum: true, maximum: 2}":                                                                          false,
		"{x-kubernetes-int-or-string: true, minimum: 2, maximum: 1}":                                                                              false,
		"{x-kubernetes-int-or-string: true, minimum: 2, maximum: 1, maxLength: 0, minLength: 1}":                                                  true,
		"{type: array, minItems: 2, maxItems: 1, items: {type: string}}":                                                                          true,
		"{type: array, minItems: 1, items: {type: string, maxLength: 0, minLength: 1}}":                                                           true,
		"{type: array, items: {type: string, maxLength: 0, minLength: 1}}":                                                                        false,
		"{type: object, minProperties: 2, maxProperties: 1}":                                                                                      true,
		"{type: object, maxProperties: 1, required: [a, b]}":                                                                                      true,
		"{type: object, maxProperties: 2, required: [a, b]}":                                                                                      false,
		"{type: object, maxProperties: 0, required: [a], properties: {a: {type: string, default: x}}}":                                            false,
		"{type: object, minProperties: 2, properties: {a: {type: string}}}":                                                                       true,
		"{type: object, minProperties: 1, properties: {a: {type: string}}}":                                                                       false,
		"{type: object, minProperties: 2, additionalProperties: {type: string}}":                                                                  false,
		"{type: object, required: [a], properties: {a: {type: string, maxLength: 0, minLength: 1}}}":                                              true,
		"{type: object, properties: {a: {type: string, maxLength: 0, minLength: 1}}}":                                                             false,
		"{type: object, required: [a], properties: {a: {type: object, required: [b], properties: {b: {type: string, enum: [x], maxLength: 0}}}}}": true,
	} {
		require.Equal(t, want, specFacts(t, schema).empty(emptyDepth), schema)
	}
	nested := "{type: string, minLength: 1, maxLength: 0}"
	for depth := 1; depth <= 4; depth++ {
		require.Equal(t, depth <= emptyDepth, specFacts(t, nested).empty(emptyDepth), "%d levels", depth)
		nested = "{type: object, required: [a], properties: {a: " + nested + "}}"
	}
}

// The fields that differ before a side validates.
func TestPresence(t *testing.T) {
	for _, c := range []struct {
		a, b                   string // the schema of field f; none if empty
		same, mayLose, mayGain bool   // from a to b
	}{
		{"{type: string}", "{type: integer}", true, false, false},
		{"", "", true, false, false},
		{"{type: string}", "", false, true, false},
		{"", "{type: string}", true, false, false}, // the object has no field that x drops
		{"", "{type: string, default: x}", false, false, true},
		{"{type: string}", "{type: string, default: x}", false, false, true},
		{"{type: string, default: x}", "{type: string}", false, true, false},
		{"{type: string, default: x}", "{type: string, default: z}", false, false, false},
		{"{type: string, default: x}", "{type: string, default: x}", true, false, false},
		{"{type: string, nullable: true}", "{type: string}", false, true, false},
		{"{type: string}", "{type: string, nullable: true}", false, false, true},
		{"{type: string, nullable: true}", "{type: string, default: x}", false, false, true},
		{"{type: string, default: x}", "{type: string, nullable: true}", false, true, false},
	} {
		schema := func(f string) string {
			if f == "" {
				return "{type: object, properties: {g: {type: string}}}"
			}
			return "{type: object, properties: {g: {type: string}, f: " + f + "}}"
		}
		x, y := specFacts(t, schema(c.a)), specFacts(t, schema(c.b))
		require.Equal(t, c.same, samePresence(x, y, property("f")), "%s and %s", c.a, c.b)
		require.Equal(t, c.mayLose, mayLose(x, y, property("f")), "%s and %s", c.a, c.b)
		require.Equal(t, c.mayGain, mayGain(x, y, property("f")), "%s and %s", c.a, c.b)
		names, others := differingPresence(x, y)
		require.Equal(t, !c.same, len(names) == 1 && names[0] == "f", "%s and %s", c.a, c.b)
		require.False(t, others)
	}
	closed, open := specFacts(t, "{type: object}"), specFacts(t, "{type: object, additionalProperties: {type: string}}")
	require.True(t, closed.closed())
	require.False(t, open.closed())
	require.True(t, mayLose(open, closed, undeclared))
	require.False(t, mayLose(closed, open, undeclared))
	_, others := differingPresence(open, closed)
	require.True(t, others)
	embedded := specFacts(t, "{type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}")
	require.False(t, embedded.closed(), "it has metadata")
	require.False(t, embedded.below(property("metadata")).pruned())
	require.True(t, embedded.below(property("b")).pruned())
}

// Proofs end when their steps are used up. Clauses: CMP-006.
func TestSteps(t *testing.T) {
	p := newPair(t, "{type: string}", "{type: string}")
	steps := &p.c.proofs.steps
	*steps = 5
	require.True(t, p.c.proofs.spend(5))
	require.False(t, p.c.proofs.spend(1))
	require.Equal(t, 0, p.c.proofs.limit(3))
	*steps = 5
	require.Equal(t, 3, p.c.proofs.limit(3))
	require.Equal(t, 5, p.c.proofs.limit(7))

	nothing := specNode(t, "{type: string, minLength: 2, maxLength: 1}")
	l := &location{node: nothing, branches: []*plan.Node{nothing, nothing}, proofs: &p.c.proofs}
	*steps = 3
	require.True(t, l.provedEmpty(emptyDepth), "a step for each node")
	*steps = 2
	require.False(t, l.provedEmpty(emptyDepth))

	rule := plan.Rule{Rule: "self.startsWith('a') && self.endsWith('b') && self.contains('c') && self != 'abc' && true"}
	n := len(rule.Rule) * len(rule.Rule) / 100
	*steps = n
	require.Len(t, p.conjuncts(&rule, nil), 4)
	*steps = n - 1
	whole := p.conjuncts(&rule, nil)
	require.Len(t, whole, 1)
	require.Equal(t, rule.Rule, whole[0].text)

	*steps = 1000
	q := prover{x: specFacts(t, "{type: string, enum: [b]}"), y: specFacts(t, "{type: string, pattern: ^a}"), depth: 1}
	q.x.loc.proofs = &p.c.proofs
	require.Equal(t, "pattern", q.refusingKeyword("b"))
	require.Less(t, *steps, 1000)

	branch := branchFacts(nothing, &p.c.proofs)
	require.Same(t, &p.c.proofs, branch.loc.proofs)
	require.Same(t, &p.c.proofs, branch.assuming(nothing).loc.proofs)
	require.Same(t, &p.c.proofs, branch.below(items).proofs)
}

// A search stays within its limit of effort, and leaves the rest.
func TestLimitedEffort(t *testing.T) {
	c := newComparer(t.Context(), &Options{Effort: 100})
	rest := c.limit(30)
	require.Equal(t, 30, c.effort)
	c.effort -= 20
	c.restore(rest)
	require.Equal(t, 80, c.effort)
	rest = c.limit(200)
	require.Equal(t, 80, c.effort)
	c.effort = -5 // a search may exceed its limit slightly
	c.restore(rest)
	require.Equal(t, 0, c.effort)
}
