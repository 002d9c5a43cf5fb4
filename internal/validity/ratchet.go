package validity

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// This file has ratcheting for the errors: an update may keep invalid values as long as they do not change. For the
// verdict, compare.go accepts unchanged scalars and lists. duplicates.go handles lists with duplicate items, and package
// internal/cel/ruleset ratchets rules.

// ReportUpdate is [Report] without the errors of values that are equal in old, the previous value.
//
// Clauses: RAT-001 to RAT-010.
func ReportUpdate(errs *refusal.List, n *plan.Node, at *field.Path, schema string, v, old any) {
	r := reporter{base: at, schema: schema, errs: *errs, budget: jsonval.NewBudget(), measured: true}
	r.value(n, v, plan.NewPair(n, v, old), nil, 0)
	r.end(errs)
}

// typeMeta reports whether at is the whole value's apiVersion or kind, which always count as changed (RAT-004). A
// server recognizes the whole value by its empty name, which a property with an empty name also has.
func typeMeta(at *plan.Frame) bool {
	return (at.Key == "apiVersion" || at.Key == "kind") && at.Parent.Unnamed()
}

// ratcheted reports whether v is accepted because it did not change (RAT-005). It compares v with its old value only if
// v itself is invalid. If only a field of an object or an item of a list map is invalid, then either that part has an
// old value of its own and is compared when the walk reaches it, or it has none, which means that v has changed.
//
// This keeps the walk linear: nothing below an unchanged value is compared again, and the pair of a changed value
// caches where it differs.
func (r *reporter) ratcheted(n *plan.Node, v any, p *plan.Pair) bool {
	if p == nil {
		return false
	}
	switch v.(type) {
	case map[string]any:
		if here(n, v, &r.budget.Work) {
			return false
		}
	case []any:
		if plan.ByKeys(n) && here(n, v, &r.budget.Work) {
			return false
		}
	}
	return p.Equal()
}
