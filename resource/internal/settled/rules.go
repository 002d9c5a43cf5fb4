package settled

import (
	"context"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// A Request describes the request for which the rules of a text's object are evaluated.
type Request struct {
	Rules   *ruleset.Rules
	Profile since.Profile // of the server
	// Update says that the object is its own old object, as in an update that changes nothing.
	Update bool
	// DropsStatus says that the rules do not see the object's status.
	DropsStatus bool
	// Name is the name that a create generates. If it is empty, the metadata has one.
	Name string
	// OtherMetadata returns the metadata that rules of the whole object see, if that differs from the text's by more
	// than Name. It is called only for rules that read more of it than the names. Nil: it does not differ.
	OtherMetadata func() map[string]any
}

// Passes reports whether the text's object passes the rules, without ratcheting. [Scan.Object] must have accepted it.
// It may be a false negative, never a false positive. It is false once ctx has ended.
func (s *Scan) Passes(ctx context.Context, r Request) bool {
	top := r.Rules.Top()
	if top == nil || ctx.Err() != nil {
		return top == nil
	}
	w := walk{Scan: s, Request: r, check: r.Rules.Check(ctx, r.Profile)}
	s.reading = maxReading * (len(s.data) + 1<<10)
	ok := w.value(top, 0, r.Update)
	return w.check.End() && ok
}

// maxReading limits the bytes that are read for rules, as a multiple of the text's size: nodes with rules may be
// nested, and the rules of each may read everything below it.
const maxReading = 16

// A walk visits the values with rules in one text.
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
		return p.Items() == nil || w.items(p, at, hasOld && plan.ByKeys(p.Node()))
	}
	return true
}

func (w *walk) members(p *ruleset.Place, at int, hasOld bool) bool {
	if p.Values() != nil && len(p.Node().Props) > 0 {
		return false // The rules of additionalProperties would apply to declared properties, too; no CRD can have both.
	}
	for i, end := at+1, w.after(at); i < end; i = w.after(i) {
		child := p.Values()
		if prop := int(w.tape[i].prop); prop >= 0 {
			child = p.Prop(prop)
		}
		if child == nil || at == 0 && w.DropsStatus && int(w.tape[i].from) == w.status {
			continue
		}
		if w.tape[i].closed && w.start(i) == '{' || !w.value(child, i, hasOld) {
			return false
		}
	}
	return true
}

// items visits the items of a list. hasOld says that it is a list map with an old value.
func (w *walk) items(p *ruleset.Place, at int, hasOld bool) bool {
	for i, end := at+1, w.after(at); i < end; i = w.after(i) {
		itemHasOld, exact := false, true
		if hasOld {
			itemHasOld, exact = w.correlated(p.Node(), i)
		}
		if !exact || !w.value(p.Items(), i, itemHasOld) {
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
	w.namesOnly = at == 0 && readsNames(p.Node(), reads)
	otherMetadata := at == 0 && !w.namesOnly && w.OtherMetadata != nil
	changed := otherMetadata || at == 0 && (w.Name != "" || w.DropsStatus) // the rules see a changed object
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
		meta, ok := obj["metadata"].(map[string]any)
		switch {
		case ok && otherMetadata:
			obj["metadata"] = w.OtherMetadata()
		case ok && w.Name != "":
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

// readsNames reports whether rules of the whole object read only the names in its metadata.
func readsNames(n *plan.Node, r *eval.Reads) bool {
	index, _ := n.FieldIndex("metadata")
	metadata := r.Prop(index)
	return !r.Whole && (metadata == nil || !metadata.Whole)
}
