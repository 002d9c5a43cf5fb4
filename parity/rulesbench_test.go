package parity

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/internal/bench"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// A ruledSubject is a schema with rules, and objects.
type ruledSubject struct {
	ours   *cel.Rules
	theirs *reference.Rules

	schema              *schema.Structural
	valid, old, invalid map[string]any
}

func fleet(tb testing.TB) *ruledSubject {
	all, err := bench.Files("testdata")
	require.NoError(tb, err)
	s := all[slices.IndexFunc(all, func(s *bench.Subject) bool { return s.Name == "fleet" })]
	r := &ruledSubject{schema: s.Schema, valid: s.Complete, ours: s.Rules}
	r.old = changed(r.valid, func(spec map[string]any) { spec["version"], spec["proxy"] = "v1.3.0", "http://proxy" })
	r.invalid = changed(r.valid, func(spec map[string]any) { spec["replicas"], spec["network"] = int64(50), "10.0.0.0" })
	r.theirs, err = reference.NewRules(given.JSON(tb, s.Stored.Spec.Versions[0].Schema.OpenAPIV3Schema))
	require.NoError(tb, err)
	require.True(tb, r.theirs.Prepare())
	return r
}

// changed returns a copy of an object whose spec has been changed.
func changed(obj map[string]any, change func(spec map[string]any)) map[string]any {
	c := unstructured.Clone(obj)
	change(c["spec"].(map[string]any))
	return c
}

// The two sides of each benchmark do the same work, with the same outcome.
func TestFleet(t *testing.T) {
	r := fleet(t)
	rules, errs := cel.Compile(r.schema, nil)
	require.Empty(t, errs)
	costs, err := r.theirs.Costs(false)
	require.NoError(t, err)
	require.Equal(t, costLinesReference(costs), costLines(rules.Costs()))

	for name, c := range map[string]struct {
		obj, old map[string]any
		wrong    int
	}{
		"valid create": {r.valid, nil, 0}, "valid update": {r.valid, r.old, 0}, "invalid create": {r.invalid, nil, 3}, "invalid update": {r.invalid, r.old, 4},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.ours.Evaluate(context.Background(), c.obj, c.old, &cel.EvalOptions{Ratchet: c.old != nil})
			require.Len(t, got.Errors, c.wrong)
			errs, left := r.theirs.Evaluate(context.Background(), nil, c.obj, anyOf(c.old), 10_000_000, c.old != nil)
			require.Equal(t, listedReference(errs), listed(got.Errors))
			require.Equal(t, 10_000_000-left, got.Cost)
		})
	}
}

func anyOf(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}

func (r *ruledSubject) evaluate(b *testing.B, obj, old map[string]any) {
	opts := &cel.EvalOptions{Ratchet: old != nil}
	sides(b, func() {
		r.ours.Evaluate(context.Background(), obj, old, opts)
	}, func() {
		r.theirs.Evaluate(context.Background(), nil, obj, anyOf(old), 10_000_000, old != nil)
	})
}

func BenchmarkRulesCreate(b *testing.B) { r := fleet(b); r.evaluate(b, r.valid, nil) }

func BenchmarkRulesUpdate(b *testing.B) { r := fleet(b); r.evaluate(b, r.valid, r.old) }

func BenchmarkRulesInvalid(b *testing.B) { r := fleet(b); r.evaluate(b, r.invalid, nil) }

// Single rules, each on an object of the size that a person writes.
func BenchmarkRule(b *testing.B) {
	for _, c := range []struct{ name, rule string }{
		{"compare", "self.a <= self.b"},
		{"has", "!has(self.s) || size(self.s) > 2"},
		{"matches", "self.s.matches('^[a-z]+$')"},
		{"all", "self.l.all(x, x.startsWith('item'))"},
		{"unique", "self.l.all(x, self.l.exists_one(y, y == x))"},
		{"map", "self.l.map(x, size(x)).sum() > 10"},
		{"quantity", "quantity(self.q).isLessThan(quantity('2Gi'))"},
		{"cidr", "cidr('10.0.0.0/8').containsIP(self.ip)"},
		{"cidrEqual", "cidr(self.cidr) == cidr(self.cidr).masked()"},
		{"equal", "self.l == self.k"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"s":{"type":"string"},"q":{"type":"string"},"ip":{"type":"string"},"cidr":{"type":"string"},
				"l":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":20}},"k":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":20}}}}`)
			var doc map[string]any
			require.NoError(b, json.Unmarshal(text, &doc))
			doc["x-kubernetes-validations"] = []any{map[string]any{"rule": c.rule}}
			s, theirs := ruled(doc)
			require.True(b, theirs.Prepare())
			obj := given.Object(b, `{"a":1,"b":2,"s":"abcdef","q":"1500Mi","ip":"10.1.2.3","cidr":"10.1.0.0/16","l":["item1","item2","item3","item4","item5"],"k":["item1","item2","item3","item4","item5"]}`)
			r := &ruledSubject{ours: cel.Prepare(s), theirs: theirs}
			require.Empty(b, r.ours.Evaluate(context.Background(), obj, nil, nil).Errors)
			r.evaluate(b, obj, nil)
		})
	}
}

// What is done with the rules of a new definition: compile them, with errors and estimates.
func BenchmarkRulesCompile(b *testing.B) {
	r := fleet(b)
	sides(b, func() {
		cel.Compile(r.schema, nil)
	}, func() {
		if _, err := r.theirs.Costs(false); err != nil {
			b.Fatal(err)
		}
	})
}

// What is done before the first object of a definition that is stored already: the reference compiles all, this module
// what is met.
func BenchmarkRulesFirst(b *testing.B) {
	r := fleet(b)
	sides(b, func() {
		cel.Prepare(r.schema).Evaluate(context.Background(), r.valid, nil, nil)
	}, func() {
		again := &reference.Rules{Props: r.theirs.Props, Structural: r.theirs.Structural}
		again.Prepare()
		again.Evaluate(context.Background(), nil, r.valid, nil, 10_000_000, false)
	})
}
