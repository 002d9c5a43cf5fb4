package verdict

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
// RAT-003): if it is equal to the old one, and is a scalar outside of lists, or in a list whose items have no
// counterparts and which is equal to the old one. Valid and OldStored may be false negatives, never false positives.
//
// It takes one walk of obj, and a walk of each part of old that differs.
func Compare(root *plan.Node, obj, old map[string]any, ratchet bool) Change {
	w := walker{Room: jsonval.NewRoom(), goesOn: true}
	w.Size *= 2 // for two objects
	ask := allAsked | headed
	if ratchet {
		ask |= lenient
	}
	if !w.beside(root, obj, old, ask) || w.Work <= 0 {
		return Change{}
	}
	return Change{Stored: true, Valid: w.no == 0, OldStored: !w.oldDrifts, Same: !w.differs}
}

// beside checks v and its old value, both of which n describes.
func (w *walker) beside(n *plan.Node, v, old any, ask mode) bool {
	same := false
	switch x := v.(type) {
	case map[string]any:
		if before, ok := old.(map[string]any); ok && len(before) == len(x) {
			return w.object(n, x, before, ask) && w.common(n, v, ask)
		}
	case []any:
		if before, ok := old.([]any); ok && len(before) == len(x) {
			return w.besideList(n, x, before, v, ask)
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
		w.oldDrifts = w.oldDrifts || !w.value(n, old, ask&preserving|storedAsked)
		ask &^= lenient
	case ask&lenient != 0:
		ask &^= schemaAsked
	}
	return w.value(n, v, ask)
}

// besideField checks v, a field of an object at n that c describes, and the old value of that field.
func (w *walker) besideField(n, c *plan.Node, k string, v any, before map[string]any, ask mode) bool {
	old, had := before[k]
	if !had { // another field replaces it
		w.differs, w.oldDrifts = true, true
		return w.value(c, v, ask)
	}
	if n.Has&plan.ResourceRoot != 0 {
		switch k {
		case "apiVersion", "kind", "": // RAT-004: a server sees no old value for these; an empty name is that of the whole object
			ask &^= lenient
		case "metadata":
			w.oldDrifts = w.oldDrifts || !w.value(c, old, storedAsked)
			return w.value(c, v, ask)
		}
	}
	return w.beside(c, v, old, ask)
}

// besideList is beside for lists of the same length; v is items.
func (w *walker) besideList(n *plan.Node, items, before []any, v any, ask mode) bool {
	if n.List == plan.ListMap && sameKeys(n, items, before) { // RAT-003: the old items at the same indexes are the counterparts
		return w.list(n, items, before, ask) && w.common(n, v, ask)
	}
	no, differs := w.no, w.differs
	w.no, w.differs = 0, false
	stored := w.list(n, items, before, ask&^lenient) && w.common(n, v, ask)
	if ask&lenient != 0 && n.List != plan.ListMap && !w.differs { // RAT-001: items without counterparts are compared as a whole
		w.no &^= Schema
	}
	w.no, w.differs = w.no|no, w.differs || differs
	return stored
}

// sameKeys reports whether each item has the same keys as the old item at its index, and these are strings. Different
// items may have equal keys.
func sameKeys(n *plan.Node, items, before []any) bool {
	for i, v := range items {
		m, _ := v.(map[string]any)
		old, _ := before[i].(map[string]any)
		for _, key := range n.ListMapKeys {
			if s, ok := m[key].(string); !ok || old[key] != any(s) {
				return false
			}
		}
	}
	return len(n.ListMapKeys) > 0
}
