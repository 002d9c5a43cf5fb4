package verdict

import (
	"math"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
)

// object answers for m. before is the old object for [Compare], with as many fields, or nil.
func (w *walker) object(n *plan.Node, m, before map[string]any, ask mode) bool {
	if ask.idle(n) {
		return true
	}
	if !w.Map(m) {
		return false
	}
	if ask&schemaAsked != 0 && (n.Accept&plan.KindObject == 0 || Properties(n, m) != 0) && !w.fault(Schema) {
		return false
	}
	if n.Has&plan.HasEmbedded != 0 && !w.embedded(m, before, ask) {
		return false
	}
	if ask&listsAsked != 0 && len(n.Props) > 0 && n.Additional != nil && n.Additional.Below&plan.HasList != 0 && !w.fault(Lists) {
		return false // LST-001: the schema for other keys speaks of declared ones, too, which no CRD can ask for
	}
	var seen uint64
	below := ask &^ (preserving | headed)
	byProps := n.Dense(len(m))
	left := len(m)
	if byProps {
		fields, headed := 0, isHeaded(n, ask)
		for i := range n.Props {
			p := &n.Props[i]
			if headed && plan.ResourceField(p.Name) {
				fields++
				if headFits(p) {
					left--
					seen |= p.Mask
					continue
				}
			}
			v, ok := m[p.Name]
			if !ok {
				continue
			}
			left--
			seen |= p.Mask
			if (before != nil || p.Node.Plain&textOrBool(v) == 0) && !w.member(n, p.Node, p.Name, v, before, below) {
				return false
			}
			if left == 0 {
				break
			}
		}
		if headed && n.Additional == nil && left > 0 {
			left -= resourceFields - fields
		}
	}
	if left > 0 && !(byProps && ask&storedAsked == 0 && n.Additional == nil && n.Has&plan.NoOthers == 0) {
		for k, v := range m {
			p := n.Prop(k)
			switch {
			case p != nil && byProps:
			case p != nil:
				seen |= p.Mask
				if (before != nil || p.Node.Plain&textOrBool(v) == 0) && !w.member(n, p.Node, k, v, before, below) {
					return false
				}
			case n.Additional != nil:
				if (before != nil || n.Additional.Plain&textOrBool(v) == 0) && !w.member(n, n.Additional, k, v, before, below) {
					return false
				}
			default:
				if ask&schemaAsked != 0 && n.Has&plan.NoOthers != 0 && !w.fault(Schema) { // Forbidden
					return false
				}
				if ask&storedAsked != 0 && !w.unknown(n, k, v, before, ask) {
					return false
				}
			}
		}
	}
	if ask&storedAsked != 0 && (seen&n.DefaultMask != n.DefaultMask || anyMissing(m, n.DefaultRest)) {
		return false
	}
	return ask&schemaAsked == 0 || seen&n.RequiredMask == n.RequiredMask && !anyMissing(m, n.RequiredRest) || w.fault(Schema)
}

// textOrBool returns the kind of a string or a bool, and 0 for all else. Such a value is valid if that kind is among those of Node.Plain.
func textOrBool(v any) plan.Kinds {
	switch v.(type) {
	case string:
		return plan.KindString
	case bool:
		return plan.KindBool
	}
	return 0
}

// member answers for v, a field of an object at n that c describes.
func (w *walker) member(n, c *plan.Node, k string, v any, before map[string]any, ask mode) bool {
	metaField := ask&storedAsked != 0 && n.IsResource() && plan.ResourceField(k) && n.Prop(k) != nil
	switch {
	case metaField:
		return w.metaField(n, c, k, v, before, ask)
	case before == nil:
		return w.value(c, v, ask)
	}
	return w.besideField(n, c, k, v, before, ask)
}

// metaField answers for a resource's apiVersion, kind or metadata that its schema declares: pruning does not enter it (PRU-008), all else
// does. storedResource, or the caller at the root, answers for the stored form of metadata.
func (w *walker) metaField(n, c *plan.Node, k string, v any, before map[string]any, ask mode) bool {
	if c.Plain&textOrBool(v) == 0 && (c.Below&(plan.HasDefault|plan.HasEmbedded) != 0 || !w.value(c, v, ask&^storedAsked)) {
		return false
	}
	w.compared(n, k, v, before)
	return true
}

// compared compares v, a field of an object at n, with the field of before, if that is given. The metadata of the root is not compared.
func (w *walker) compared(n *plan.Node, k string, v any, before map[string]any) {
	if before == nil || isRootMetadata(n, k) {
		return
	}
	old, had := before[k]
	w.differs = w.differs || !had || !jsonval.Equal(v, old)
	w.oldDrifts = w.oldDrifts || !had // another field is in its place
}

func isRootMetadata(n *plan.Node, k string) bool {
	return n.Has&plan.ResourceRoot != 0 && k == "metadata"
}

const resourceFields = 3 // of plan.ResourceField

// isHeaded reports whether the apiVersion, kind and metadata of the object at n need not be looked at.
func isHeaded(n *plan.Node, ask mode) bool {
	return ask&headed != 0 && n.Has&(plan.ResourceRoot|plan.NoOthers) == plan.ResourceRoot
}

// headFits reports whether the schema of such a field asks for nothing but the type that the caller knows.
func headFits(p *plan.Prop) bool {
	n := p.Node
	if p.Name != "metadata" {
		return n.Plain&plan.KindString != 0
	}
	return n.Accept&plan.KindObject != 0 && len(n.Props) == 0 && n.Additional == nil && n.Has&plan.NoOthers == 0 &&
		len(n.Required) == 0 && n.MinProperties <= 0 && n.MaxProperties == math.MaxInt64 && n.Enum == nil && n.Combine == nil &&
		n.Below&(plan.HasDefault|plan.HasEmbedded) == 0
}

// embedded answers for the own fields of an embedded resource.
func (w *walker) embedded(m, before map[string]any, ask mode) bool {
	if ask&storedAsked != 0 && !storedResource(m) {
		return false
	}
	if before != nil && !storedResource(before) {
		w.oldDrifts = true
	}
	return ask&embeddedAsked == 0 || objectmeta.ValidEmbedded(m) || w.fault(Embedded)
}

// storedResource reports whether the own fields of an embedded resource are in their stored form.
func storedResource(m map[string]any) bool {
	meta, ok := m["metadata"]
	return (!ok || objectmeta.Canonical(meta)) && isString(m, "apiVersion") && isString(m, "kind")
}

func isString(m map[string]any, key string) bool {
	_, ok := m[key].(string)
	return ok
}

// unknown answers for a field of an object at n that has no schema: does it stay as it is (PRU-003, PRU-004, PRU-006)?
func (w *walker) unknown(n *plan.Node, k string, v any, before map[string]any, ask mode) bool {
	if !n.IsResource() || !plan.ResourceField(k) {
		fate := OtherFields(n, ask&preserving != 0)
		if fate == Dropped || !w.free(v, fate == Kept) {
			return false
		}
		w.oldDrifts = w.oldDrifts || before != nil && !w.free(before[k], fate == Kept)
	}
	w.compared(n, k, v, before)
	return true
}

// free answers for a value that no schema describes: does it stay as it is, all of it if it is preserved?
func (w *walker) free(v any, preserved bool) bool {
	if preserved {
		return w.plain(v, 0)
	}
	return w.emptied(v, 0)
}

// maxDepth is where walks through parts without a schema give up, and leave the answer to the slow path.
const maxDepth = 500

// plain reports whether v, which no schema describes, comes back from storage as it is.
func (w *walker) plain(v any, depth int) bool {
	switch x := v.(type) {
	case nil, bool, int64, string:
		return true
	case float64:
		return x-x == 0 && x != math.Trunc(x)
	case map[string]any:
		if depth > maxDepth || !w.Map(x) {
			return false
		}
		for _, c := range x {
			if !w.plain(c, depth+1) {
				return false
			}
		}
		return true
	case []any:
		if depth > maxDepth || !w.List(x) {
			return false
		}
		for _, c := range x {
			if !w.plain(c, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// emptied reports whether v is as pruning without a schema leaves it: no object in it has a key (PRU-003).
func (w *walker) emptied(v any, depth int) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		if depth > maxDepth || !w.List(x) {
			return false
		}
		for _, c := range x {
			if !w.emptied(c, depth+1) {
				return false
			}
		}
		return true
	}
	return w.plain(v, depth)
}
