package validity

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// list checks items. before is the old list for [Compare], with the same number of items, or nil.
func (w *walker) list(n *plan.Node, items, before []any, checks mode) bool {
	if checks.idle(n) {
		return true
	}
	if !w.List(items) {
		return false
	}
	if checks&checkSchema != 0 && (n.Accept&plan.KindArray == 0 || ItemCount(n, len(items)) != 0 || NotUnique(n, items)) && !w.fail(Schema) {
		return false
	}
	checks &^= metaChecked
	if n.Has&plan.PreserveFields != 0 {
		checks |= preserving
	}
	for i, v := range items {
		switch {
		case n.Items == nil && checks&checkStored == 0:
		case n.Items == nil:
			if !w.schemaless(v, checks&preserving != 0) {
				return false
			}
			if before != nil && !jsonval.Equal(v, before[i]) {
				w.differs = true
				w.oldNotStored = w.oldNotStored || !w.schemaless(before[i], checks&preserving != 0)
			}
		case before != nil:
			if !w.compare(n.Items, v, before[i], checks) {
				return false
			}
		default:
			if !w.value(n.Items, v, checks) {
				return false
			}
		}
	}
	// This comes after the items, which have counted the size of the list: comparisons are not counted.
	return n.Has&plan.HasList == 0 || checks&checkLists == 0 || n.Distinct(items) || w.fail(Lists)
}
