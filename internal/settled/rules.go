package settled

import (
	"context"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Request says what the rules of a text's object are evaluated for.
type Request struct {
	Rules *ruleset.Rules
	// Update says that the object is its own old object, as in an update that changes nothing.
	Update bool
	// DropsStatus says that the object's status does not count.
	DropsStatus bool
	// Name is the name that a create generates. If it is empty, the metadata has one.
	Name string
}

// Passes reports whether the text's object passes the rules, without ratcheting. [Scan.Object] must have accepted it. It
// may be a false negative, never a false positive. It is false once ctx has ended.
func (s *Scan) Passes(ctx context.Context, r Request) bool {
	top := r.Rules.Top()
	if top == nil {
		return true
	}
	w := walk{Scan: s, Request: r, check: r.Rules.Check(ctx)}
	s.reading = maxReading * (len(s.data) + 1<<10)
	ok := w.value(top, 0, r.Update)
	return w.check.End() && ok
}

// maxReading limits what is read for rules, as a multiple of the text: places with rules may be nested, and each may
// read all that is below it.
const maxReading = 16

// A walk visits the places of rules in one text.
type walk struct {
	*Scan
	Request
	check *ruleset.Check
}

// value reports whether the value at an index of the tape passes the rules at p and below.
func (w *walk) value(p *ruleset.Place, at int, hasOld bool) bool {
	start := w.start(at)
	if start == 'n' {
		return true // CEV-007
	}
	if p.HasRules() && !w.rules(p, at, hasOld) {
		return false
	}
	switch start {
	case '{':
		return w.members(p, at, hasOld && p.Correlated())
	case '[':
		return p.Items() == nil || w.items(p, at, hasOld && correlate.ByKeys(p.Node()))
	}
	return true
}

func (w *walk) members(p *ruleset.Place, at int, hasOld bool) bool {
	if p.Values() != nil && len(p.Node().Props) > 0 {
		return false // The values of properties are visited as those of other keys, too. No CRD can have both.
	}
	for i, end := at+1, w.after(at); i < end; i = w.after(i) {
		child := p.Values()
		if prop := w.tape[i].prop; prop >= 0 {
			child = p.Prop(int(prop))
		}
		dropped := at == 0 && w.DropsStatus && int(w.tape[i].from) == w.status
		if child != nil && !dropped && !w.value(child, i, hasOld) {
			return false
		}
	}
	return true
}

// items visits the items of a list. hasOld says that it is a list map with an old value.
func (w *walk) items(p *ruleset.Place, at int, hasOld bool) bool {
	for i, end := at+1, w.after(at); i < end; i = w.after(i) {
		if !w.value(p.Items(), i, hasOld && w.keyed(p.Node(), i)) {
			return false
		}
	}
	return true
}

// keyed reports whether an item of a list map has all keys as scalars, so that it is its own old item (RAT-003). No two
// items have the same keys: Object accepts numbers with fractions, which are compared as text, only in a single item.
func (w *walk) keyed(list *plan.Node, at int) bool {
	for _, key := range list.ListMapKeys {
		found := false
		for i, end := at+1, w.after(at); i < end && !found; i = w.after(i) {
			prop := w.tape[i].prop
			found = prop >= 0 && list.Items.Props[prop].Name == key && strings.IndexByte("n{[", w.start(i)) < 0
		}
		if !found {
			return false
		}
	}
	return true
}

// rules reports whether a value passes the rules of p itself.
func (w *walk) rules(p *ruleset.Place, at int, hasOld bool) bool {
	reads := w.check.Reads(p)
	if reads == nil || w.reading <= 0 {
		return false
	}
	changed := at == 0 && (w.Name != "" || w.DropsStatus) // The rules see something else than the text.
	var key []byte
	if !changed {
		key = w.appendKey(w.keys[:0], at, reads)
		w.keys = key[:0]
		if len(key) > ruleset.MaxKey {
			key = nil
		} else if w.check.Known(p, hasOld, key) {
			return true
		}
	}
	v := w.read(p.Node(), at, reads)
	if obj, ok := v.(map[string]any); ok && changed {
		if w.DropsStatus {
			delete(obj, "status")
		}
		if meta, ok := obj["metadata"].(map[string]any); ok && w.Name != "" {
			meta["name"] = w.Name
		}
	}
	var old any
	if hasOld {
		old = v
	}
	ok := w.check.Pass(p, v, old, key)
	w.build.release()
	return ok
}
