package report

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/internal/walk"
)

// This file has ratcheting: an update may keep values that are invalid, as long as they do not change. The rules of a schema ratchet in
// package cel, and lists with duplicate items in listtype.go.

// Update is [Value] without the errors of what is the same in old, the value that stood there before.
//
// Clauses: RAT-001 to RAT-010.
func Update(errs *errlist.List, n *plan.Node, at *field.Path, v, old any) {
	r := reporter{base: at, errs: *errs, work: jsonval.MaxWork}
	r.value(n, v, correlate.Root(n, v, old), nil, 0)
	*errs = r.errs
}

// typeMeta reports whether at is the whole value's apiVersion or kind, which count as changed even if they are not (RAT-004). A server
// knows the whole value by its empty name, which a property with an empty name has as well.
func typeMeta(at *walk.Frame) bool {
	return (at.Key == "apiVersion" || at.Key == "kind") && at.Parent.Unnamed()
}

// kept reports whether v may stay as it is, because nothing in it changed (RAT-005). It compares v with its old value only where v itself
// is wrong. Where just a part of an object or of a map list is, then either that part has an old value of its own, and is asked about
// when the walk gets there, or it has none, and so its whole changed.
//
// This order keeps the walk linear: below a value that did not change nothing is compared again, and of one that did its pair knows
// where.
func (r *reporter) kept(n *plan.Node, v any, p *correlate.Pair) bool {
	if p == nil {
		return false
	}
	switch v.(type) {
	case map[string]any:
		if verdict.Here(n, v, &r.work) {
			return false
		}
	case []any:
		if correlate.ByKeys(n) && verdict.Here(n, v, &r.work) {
			return false
		}
	}
	return p.Equal()
}
