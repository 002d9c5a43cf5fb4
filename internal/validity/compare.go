package validity

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Change is the result of [Compare] for a whole object and the old one.
type Change struct {
	Stored bool // the object is in its stored form; otherwise no other field is set
	// Valid: all other checks pass as well, or ratcheting accepts the violations.
	Valid     bool
	OldStored bool // the old object is in its stored form
	Same      bool // the objects are equal except for their metadata, as defined by [jsonval.Equal]
}

// Compare makes all checks for an update of a whole object in one walk. Both objects have the same apiVersion and kind,
// which are strings, and the caller checks their metadata.
//
// With ratchet, a part that violates the schema counts as valid if ratcheting certainly accepts it (RAT-001 to
// RAT-003): if it is a scalar outside of lists that equals the old one, or if it is in a list without correlated items
// that equals the old list. Valid and OldStored may be false negatives, never false positives.
//
// It takes one walk of obj, and a walk of each part of old that differs.
func Compare(root *plan.Node, obj, old map[string]any, ratchet bool) Change {
	if lacksDefault(root, obj) { // found first: for some definitions it holds for every stored object
		return Change{}
	}
	w := walker{Budget: jsonval.NewBudget(), continues: true}
	w.Size *= 2 // for two objects
	checks := checkAll | metaChecked
	if ratchet {
		checks |= ratcheting
	}
	if !w.compare(root, obj, old, checks) || w.Work <= 0 {
		return Change{}
	}
	return Change{Stored: true, Valid: w.failed == 0, OldStored: !w.oldNotStored, Same: !w.differs}
}

// lacksDefault reports whether a field of obj that has a default is missing.
func lacksDefault(root *plan.Node, obj map[string]any) bool {
	if root == nil {
		return false
	}
	for _, i := range root.Defaulted {
		if _, ok := obj[root.Props[i].Name]; !ok {
			return true
		}
	}
	return false
}

// compare checks v and its old value, both of which n describes.
func (w *walker) compare(n *plan.Node, v, old any, checks mode) bool {
	same := false
	switch x := v.(type) {
	case map[string]any:
		if before, ok := old.(map[string]any); ok && len(before) == len(x) {
			return w.object(n, x, before, checks) && w.common(n, v, checks)
		}
	case []any:
		if before, ok := old.([]any); ok && len(before) == len(x) {
			return w.compareList(n, x, before, v, checks)
		}
	case string:
		y, ok := old.(string)
		same = ok && x == y
	case nil, bool, int64, float64:
		same = v == old
	}
	switch {
	case !same:
		w.differs = true
		w.oldNotStored = w.oldNotStored || !w.value(n, old, checks&preserving|checkStored)
		checks &^= ratcheting
	case checks&ratcheting != 0:
		checks &^= checkSchema
	}
	return w.value(n, v, checks)
}

// compareField checks v, a field of an object at n that c describes, and the old value of that field.
func (w *walker) compareField(n, c *plan.Node, k string, v any, before map[string]any, checks mode) bool {
	old, had := before[k]
	if !had { // another field replaces it
		w.differs, w.oldNotStored = true, true
		return w.value(c, v, checks)
	}
	if n.Has&plan.ResourceRoot != 0 {
		switch k {
		// RAT-004: for a server these have no old value. It takes an empty name for that of the whole object.
		case "apiVersion", "kind", "":
			checks &^= ratcheting
		case "metadata":
			w.oldNotStored = w.oldNotStored || !w.value(c, old, checkStored)
			return w.value(c, v, checks)
		}
	}
	return w.compare(c, v, old, checks)
}

// compareList is compare for lists of the same length; v is items.
func (w *walker) compareList(n *plan.Node, items, before []any, v any, checks mode) bool {
	// RAT-003: the old items at the same indexes are the counterparts.
	if n.List == plan.ListMap && n.InPlace(items, before) {
		return w.list(n, items, before, checks) && w.common(n, v, checks)
	}
	failed, differs := w.failed, w.differs
	w.failed, w.differs = 0, false
	stored := w.list(n, items, before, checks&^ratcheting) && w.common(n, v, checks)
	// RAT-001: items without counterparts are compared as a whole.
	if checks&ratcheting != 0 && n.List != plan.ListMap && !w.differs {
		w.failed &^= Schema
	}
	w.failed, w.differs = w.failed|failed, w.differs || differs
	return stored
}
