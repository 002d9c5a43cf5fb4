package validity

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
)

// object checks m. before is the old object for [Compare], with the same number of fields, or nil.
func (w *walker) object(n *plan.Node, m, before map[string]any, checks mode) bool {
	if checks.idle(n) {
		return true
	}
	if !w.Map(m) {
		return false
	}
	if checks&checkSchema != 0 && (n.Accept&plan.KindObject == 0 || PropertyCount(n, len(m)) != 0) && !w.fail(Schema) {
		return false
	}
	if n.Has&plan.HasEmbedded != 0 && !w.embedded(m, before, checks) {
		return false
	}
	if checks&checkLists != 0 && len(n.Props) > 0 && n.Additional != nil && n.Additional.Below&plan.HasList != 0 && !w.fail(Lists) {
		return false // LST-001: the schema for other keys also applies to declared ones; no CRD can have this
	}
	var seen uint64
	below := checks &^ (preserving | metaChecked)
	byProps := n.Dense(len(m))
	left := len(m)
	if byProps {
		fields, skip := 0, skipsResourceFields(n, checks)
		for i := range n.Props {
			p := &n.Props[i]
			if skip && plan.ResourceField(p.Name) {
				fields++
				if acceptsResourceField(p) {
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
		if skip && n.Additional == nil && left > 0 {
			left -= resourceFields - fields
		}
	}
	if left > 0 && !(byProps && checks&checkStored == 0 && n.Additional == nil && n.Has&plan.NoOthers == 0) {
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
				if checks&checkSchema != 0 && n.Has&plan.NoOthers != 0 && !w.fail(Schema) { // forbidden
					return false
				}
				if checks&checkStored != 0 && !w.unknown(n, k, v, before, checks) {
					return false
				}
			}
		}
	}
	if checks&checkStored != 0 && (seen&n.DefaultMask != n.DefaultMask || anyMissing(m, n.DefaultRest)) {
		return false
	}
	return checks&checkSchema == 0 || seen&n.RequiredMask == n.RequiredMask && !anyMissing(m, n.RequiredRest) || w.fail(Schema)
}

// textOrBool returns the kind of a string or a bool, and 0 for all other values. Such a value is valid if Node.Plain
// has that kind.
func textOrBool(v any) plan.Kinds {
	switch v.(type) {
	case string:
		return plan.KindString
	case bool:
		return plan.KindBool
	}
	return 0
}

// member checks v, a field of an object at n that c describes.
func (w *walker) member(n, c *plan.Node, k string, v any, before map[string]any, checks mode) bool {
	metaField := checks&checkStored != 0 && n.IsResource() && plan.ResourceField(k) && n.Prop(k) != nil
	switch {
	case metaField:
		return w.metaField(n, c, k, v, before, checks)
	case before == nil:
		return w.value(c, v, checks)
	}
	return w.compareField(n, c, k, v, before, checks)
}

// metaField checks a resource's declared apiVersion, kind or metadata. All checks except pruning enter it (PRU-008).
// storedResource, or the caller at the root, checks the stored form of metadata.
func (w *walker) metaField(n, c *plan.Node, k string, v any, before map[string]any, checks mode) bool {
	if c.Plain&textOrBool(v) == 0 && (c.Below&(plan.HasDefault|plan.HasEmbedded) != 0 || !w.value(c, v, checks&^checkStored)) {
		return false
	}
	w.compared(n, k, v, before)
	return true
}

// compared records whether v, the field k of an object at n, differs from that of before, which may be nil. The
// metadata of the root is not compared.
func (w *walker) compared(n *plan.Node, k string, v any, before map[string]any) {
	if before == nil || n.Has&plan.ResourceRoot != 0 && k == "metadata" {
		return
	}
	old, had := before[k]
	w.differs = w.differs || !had || !jsonval.Equal(v, old)
	w.oldNotStored = w.oldNotStored || !had // another field replaces it
}

const resourceFields = 3 // of plan.ResourceField

// skipsResourceFields reports whether the apiVersion, kind and metadata of the object at n need not be checked.
func skipsResourceFields(n *plan.Node, checks mode) bool {
	return checks&metaChecked != 0 && n.Has&(plan.ResourceRoot|plan.NoOthers) == plan.ResourceRoot
}

// acceptsResourceField reports whether the schema of such a field only requires the type that the caller has checked.
func acceptsResourceField(p *plan.Prop) bool {
	n := p.Node
	if p.Name != "metadata" {
		return n.Plain&plan.KindString != 0
	}
	return n.AnyObject() && n.Below&(plan.HasDefault|plan.HasEmbedded) == 0
}

// embedded checks the apiVersion, kind and metadata of an embedded resource.
func (w *walker) embedded(m, before map[string]any, checks mode) bool {
	if checks&checkStored != 0 && !storedResource(m) {
		return false
	}
	if before != nil && !storedResource(before) {
		w.oldNotStored = true
	}
	return checks&checkEmbedded == 0 || objectmeta.ValidEmbedded(m) || w.fail(Embedded)
}

// storedResource reports whether the apiVersion, kind and metadata of an embedded resource are in their stored form.
func storedResource(m map[string]any) bool {
	meta, ok := m["metadata"]
	return (!ok || objectmeta.Canonical(meta)) && isString(m, "apiVersion") && isString(m, "kind")
}

func isString(m map[string]any, key string) bool {
	_, ok := m[key].(string)
	return ok
}

// unknown reports whether pruning and storage leave v, an undeclared field of an object at n, unchanged (PRU-003,
// PRU-004, PRU-006).
func (w *walker) unknown(n *plan.Node, k string, v any, before map[string]any, checks mode) bool {
	if !n.IsResource() || !plan.ResourceField(k) {
		pruning := OtherFields(n, checks&preserving != 0)
		if pruning == Dropped || !w.schemaless(v, pruning == Kept) {
			return false
		}
		w.oldNotStored = w.oldNotStored || before != nil && !w.schemaless(before[k], pruning == Kept)
	}
	w.compared(n, k, v, before)
	return true
}

// schemaless reports whether pruning and storage leave v, which has no schema, unchanged. If preserved is set, pruning
// keeps all of it.
func (w *walker) schemaless(v any, preserved bool) bool {
	if !preserved {
		if _, changed, ok := jsonval.Emptied(v, maxDepth, &w.Budget); !ok || changed {
			return false
		}
	}
	return w.plain(v, maxDepth)
}

// maxDepth is the depth at which walks through parts without a schema stop, and leave the result to the slow path.
const maxDepth = 500

// plain reports whether storage leaves v, which has no schema, unchanged. Unlike [jsonval.Budget.Each], it does not
// count the bytes of strings, because it does not read them.
func (w *walker) plain(v any, depth int) bool {
	switch x := v.(type) {
	case nil, bool, int64, string:
		return true
	case float64:
		return jsonval.StaysFloat(x)
	case map[string]any:
		if depth == 0 || !w.Map(x) {
			return false
		}
		for _, c := range x {
			if !w.plain(c, depth-1) {
				return false
			}
		}
		return true
	case []any:
		if depth == 0 || !w.List(x) {
			return false
		}
		for _, c := range x {
			if !w.plain(c, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}
