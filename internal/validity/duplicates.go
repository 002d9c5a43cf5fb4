package validity

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// ReportLists adds the duplicates in the lists of v that are sets or maps (x-kubernetes-list-type), in the order of a
// walk with sorted properties. A value that occurs more than once is reported once, at its second occurrence.
//
// Clauses: LST-001 to LST-009.
func ReportLists(errs *refusal.List, n *plan.Node, at *field.Path, v any) {
	if OK(n, v, Lists) {
		return
	}
	if e := jsonval.TooLarge(at, v); e != nil {
		errs.Add(e)
		return
	}
	l := lister{base: at, errs: *errs}
	l.value(n, v, nil)
	*errs = l.errs
}

// ReportUpdatedLists is [ReportLists], but adds nothing if a list of old, the previous value, has duplicates.
//
// Clauses: RAT-020.
func ReportUpdatedLists(errs *refusal.List, n *plan.Node, at *field.Path, v, old any) {
	if n == nil || n.Below&plan.HasList == 0 {
		return
	}
	found := errs.Sub()
	found.Until(errs.Done())
	if ReportLists(&found, n, at, v); found.Len() == 0 {
		return
	}
	had := refusal.Within(field.Limit{Errors: -1})
	had.Until(errs.Done())
	if ReportLists(&had, n, at, old); had.Len() == 0 {
		errs.Append(found.Errors()...)
	}
}

type lister struct {
	base *field.Path
	errs refusal.List
}

func (l *lister) value(n *plan.Node, v any, at *plan.Frame) {
	if n == nil || n.Below&plan.HasList == 0 {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		f := plan.Frame{Parent: at}
		// LST-001: a schema for other keys is applied to all keys.
		if n.Additional != nil && n.Additional.Below&plan.HasList != 0 {
			f.Step = plan.StepOtherKey
			for _, k := range slices.Sorted(maps.Keys(x)) {
				f.Key = k
				l.value(n.Additional, x[k], &f)
			}
			f.Step = plan.StepProperty
		}
		for i := range n.Props {
			p := &n.Props[i]
			if p.Node.Below&plan.HasList == 0 {
				continue
			}
			if c, ok := x[p.Name]; ok {
				f.Key = p.Name
				l.value(p.Node, c, &f)
			}
		}
	case []any:
		switch n.List {
		case plan.ListSet:
			l.reportDuplicates(n, x, at) // LST-002, LST-003
		case plan.ListMap:
			l.reportSameKeys(n, x, at)
		}
		f := plan.Frame{Parent: at, Step: plan.StepItem}
		for i, c := range x {
			f.Index = i
			l.value(n.Items, c, &f)
		}
	}
}

// reportDuplicates reports each identity that several items have.
func (l *lister) reportDuplicates(n *plan.Node, items []any, at *plan.Frame) {
	if len(items) < 2 {
		return
	}
	counts := make(map[any]int, len(items))
	for i, v := range items {
		if i%checkInterval == checkInterval-1 && l.errs.Stopped() {
			return
		}
		id, shown, ok := n.Identity(v)
		if !ok {
			continue
		}
		if counts[id]++; counts[id] == 2 {
			l.add(field.ErrorTypeDuplicate, at, i, shown, "")
		}
	}
}

// add adds an error of that type about item i, unless the list of errors is full.
func (l *lister) add(t field.ErrorType, at *plan.Frame, i int, v any, detail string) {
	if l.errs.Full() {
		l.errs.Skip(t)
		return
	}
	path := at.Path(l.base).Index(i)
	e := &field.Error{Type: t, Field: path.String(), BadValue: v, Detail: detail, Path: path}
	origin.Set(e, origin.Place{Steps: at.Schema("")}, origin.ListType)
	l.errs.Add(e)
}

// reportSameKeys reports the items of a list map that have the same keys (LST-004 to LST-006).
func (l *lister) reportSameKeys(n *plan.Node, items []any, at *plan.Frame) {
	for i, v := range items {
		if _, ok := v.(map[string]any); !ok && v != nil {
			l.add(field.ErrorTypeInvalid, at, i, v, "must be an object for an array of list-type map")
			return
		}
	}
	l.reportDuplicates(n, items, at)
}
