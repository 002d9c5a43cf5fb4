package apply

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// This file limits the work of structured-merge-diff. It compares each manager with all fields of an object, keeps
// fields in sorted slices into which it inserts one at a time, and builds the whole path of each field that is invalid
// or in conflict. A server has no such limits.

const (
	maxElements   = 4 << 20  // of the paths of all fields in an object together
	maxText       = 16 << 20 // the bytes of these paths
	maxCompared   = 1 << 25  // managers times fields
	maxReconciled = 1 << 22  // fields of a set, times its parts below values that are now atomic
	maxDisorder   = 1 << 30  // the squares of the lengths of unsorted lists and maps
	maxConflicts  = 1 << 20  // elements of the paths of all fields that may conflict
)

// A size counts all fields in objects.
type size struct {
	fields         int
	elements, text int // of their paths
	disorder       int
}

// add adds what is in v, which n describes, and reports whether it is within the limits. n is nil for values without a
// schema.
func (s *size) add(v any, n *plan.Node, elements, text int) bool {
	s.fields++
	s.elements += elements
	s.text += text
	switch x := v.(type) {
	case map[string]any:
		if n == nil || n.MapType != "atomic" {
			s.disorder += len(x) * len(x)
		}
		for key, e := range x {
			var child *plan.Node
			if n != nil {
				child, _ = n.Child(key)
			}
			if !s.add(e, child, elements+1, text+1+len(key)) {
				return false
			}
		}
	case []any:
		var items *plan.Node
		kind := plan.ListUntyped
		if n != nil {
			items, kind = n.Items, n.List
		}
		if (kind == plan.ListSet || kind == plan.ListMap) && !ordered(x) {
			s.disorder += len(x) * len(x)
		}
		for _, e := range x {
			if !s.add(e, items, elements+1, text+elementText(e, n, kind)) {
				return false
			}
		}
	}
	return s.elements <= maxElements && s.text <= maxText && s.disorder <= maxDisorder
}

// ordered reports whether the items of a set are strings in ascending order.
func ordered(items []any) bool {
	before := ""
	for _, item := range items {
		s, ok := item.(string)
		if !ok || s < before {
			return false
		}
		before = s
	}
	return true
}

// elementText returns the approximate length of the path element for an item.
func elementText(item any, n *plan.Node, kind plan.ListType) int {
	const brackets = 8 // and for quotes, or an index
	switch x := item.(type) {
	case string:
		if kind == plan.ListSet {
			return brackets + len(x)
		}
	case map[string]any:
		if kind != plan.ListMap {
			break
		}
		length := brackets
		for _, key := range n.ListMapKeys {
			value, _ := n.KeyOrDefault(x, key).(string)
			length += brackets + len(key) + len(value)
		}
		return length
	}
	return brackets
}

// measure returns the size of objects of t's version, without their managedFields, or the refusal of objects that are
// too large.
func (t *tracker) measure(objects ...map[string]any) (size, error) {
	var s size
	for _, obj := range objects {
		if !s.add(withManaged(obj, nil), t.node(t.apiVersion), 0, 0) {
			return s, refusal.TooLarge("the object has too many fields, or too long paths to them, to track who owns which")
		}
	}
	return s, nil
}

// fits refuses to compare the sets of too many managers with an object of size s. It also refuses sets with too many
// parts below values that are now atomic: each such part is removed from the set separately (SSA-032).
func (t *tracker) fits(m *managers, s size) error {
	if len(m.sets)*s.fields > maxCompared {
		return refusal.TooLarge(fmt.Sprintf("managedFields has %d entries, too many for an object with %d fields", len(m.sets), s.fields))
	}
	for _, set := range m.sets {
		fields := set.Set().Size()
		n := t.node(string(set.APIVersion()))
		if fields*fields > maxReconciled && n != nil && fields*belowAtomic(n, set.Set()) > maxReconciled {
			return refusal.TooLarge("managedFields has too many fields of what is owned as a whole")
		}
	}
	return nil
}

// belowAtomic returns the number of atomic values below n that have parts in a set, or a larger number.
func belowAtomic(n *plan.Node, set *fieldpath.Set) (count int) {
	for e, below := range children(set) {
		child := n.Items
		if e.FieldName != nil {
			child, _ = n.Child(*e.FieldName)
		}
		switch {
		case e.FieldName != nil && *e.FieldName == "metadata" && n.IsResource():
			count += below.Size()
		case child == nil || deduced(child):
		case granular(child):
			count += belowAtomic(child, below)
		default:
			count++
		}
	}
	return count
}

// checkLimits refuses an apply that is too much work for structured-merge-diff.
func (t *tracker) checkLimits(m *managers, applied, live map[string]any, self string, force bool) error {
	ofApplied, err := t.measure(applied)
	if err != nil {
		return err
	}
	all, err := t.measure(live)
	if err != nil {
		return err
	}
	all.fields += ofApplied.fields
	if m.sets[self] != nil { // fields that it applied before may be removed, unless others own them
		for _, set := range m.sets {
			all.fields += set.Set().Size()
		}
	}
	if err := t.fits(m, all); err != nil || force {
		return err
	}
	return m.mayConflict(ofApplied, self, t.apiVersion)
}

// mayConflict refuses an apply of that size if the paths of all fields of managers other than self that could conflict
// with it are too long.
func (m *managers) mayConflict(applied size, self, version string) error {
	elements, text := 0, 0
	few := len(m.sets)*applied.elements <= maxConflicts && len(m.sets)*applied.text <= maxText
	for key, set := range m.sets {
		same := string(set.APIVersion()) == version
		if key == self || few && same {
			continue
		}
		var of size
		of.addSet(set.Set(), 0, 0)
		if same {
			of.elements, of.text = min(of.elements, applied.elements), min(of.text, applied.text)
		}
		elements += of.elements
		text += of.text
		if elements > maxConflicts || text > maxText {
			return refusal.TooLarge("the paths of the fields that other managers own are too long to look for conflicts: force the apply")
		}
	}
	return nil
}

// addSet adds the paths in a set.
func (s *size) addSet(set *fieldpath.Set, elements, text int) {
	for e := range set.Members.All() {
		s.elements += elements + 1
		s.text += text + textOf(e)
	}
	for e, below := range children(set) {
		if s.elements > maxElements || s.text > maxText {
			return
		}
		s.addSet(below, elements+1, text+textOf(e))
	}
}

// textOf returns the approximate length of an element as a text.
func textOf(e fieldpath.PathElement) int {
	if e.FieldName != nil {
		return 1 + len(*e.FieldName)
	}
	return len(e.String())
}

// shortened returns a text of limited length.
func shortened(text string) string {
	if head := refusal.Head(text); head != text {
		return head + " ... more is not listed"
	}
	return text
}
