package verdict

import (
	"math"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// Ask is a set of questions about a value.
type Ask uint16

// The questions.
const (
	// Schema: does the value fulfil every keyword of its schema (VAL)?
	Schema Ask = 1 << iota
	// Embedded: has every embedded resource a valid apiVersion, kind and metadata (OME-020)? The node asked about first is
	// taken as the root of a resource, whose metadata is somebody else's affair, unless its schema says it is embedded.
	Embedded
	// Lists: are the items of sets and maps distinct (LST)?
	Lists
	// Stored: is there nothing to prune, no null to drop, no default to fill in, no embedded metadata to rewrite, and no
	// number that storage changes? The root's own apiVersion, kind and metadata are not looked at.
	Stored

	// keeping is on below a list that preserves unknown fields: its items preserve theirs, too (PRU-004).
	keeping
)

// Headed is no question. With it the caller says that the value is a resource with a kind, an apiVersion and a metadata, of their types and
// in order as far as Stored goes, which then need not be looked at. It only counts where the node is the root of a resource.
const Headed Ask = 1 << 7

// Lenient is no question. With it, [Compare] answers Schema for what changed: a scalar that is what it was need not fulfil its schema where
// ratcheting forgives that without another look, which is everywhere in a whole object but in lists (RAT-001 to RAT-003). It is not for
// those who ratchet a part of the object as if that were whole (RAT-012).
const Lenient Ask = 1 << 6

// OK reports whether all that is asked holds for v, a value that n describes. Its cost is linear in the part of v that n
// describes, but for combinators, which look at the value once for each branch. n nil describes nothing, and all is well.
//
// It does not hold for a v that is larger than [jsonval.MaxSize], or where patterns and combinators take more than [jsonval.MaxWork] steps.
func OK(n *schema.Node, v any, ask Ask) bool {
	work := jsonval.MaxWork
	return OKWithin(n, v, ask, &work)
}

// OKWithin is [OK] for a walk that looks at parts of a value again and again: work is how many steps are left to all of them, and is counted
// down. Where none are left, no answer is yes any more.
func OKWithin(n *schema.Node, v any, ask Ask, work *int) bool {
	room := jsonval.Room{Size: jsonval.MaxSize, Work: *work}
	ok := holds(n, v, ask, &room)
	*work = room.Work
	return ok && room.Work > 0
}

// holds is OK for a part of a value, with the room that is left for it.
func holds(n *schema.Node, v any, ask Ask, room *jsonval.Room) bool {
	if n == nil {
		return true
	}
	switch x := v.(type) {
	case string:
		if n.Plain&schema.KindString != 0 {
			return true
		}
		return n.Accept&schema.KindString != 0 && room.Text(x) && stringOK(n.String, x, room) && commonOK(n, v, room)
	case map[string]any:
		return n.Accept&schema.KindObject != 0 && objectOK(n, x, ask, room) && commonOK(n, v, room)
	case []any:
		return n.Accept&schema.KindArray != 0 && listOK(n, x, ask, room) && commonOK(n, v, room)
	case bool:
		return n.Plain&schema.KindBool != 0 || n.Accept&schema.KindBool != 0 && commonOK(n, v, room)
	case int64:
		if n.Plain&schema.KindInt != 0 {
			return true
		}
		return n.Accept&schema.KindInt != 0 && (n.Number == nil || n.Number.Int(x) == 0) && commonOK(n, v, room)
	case float64:
		kind := schema.FloatKind(x)
		if ask&Stored != 0 && x == math.Trunc(x) {
			return false // DEC-009: storage turns most of these into integers
		}
		if n.Plain&kind != 0 {
			return true
		}
		return n.Accept&kind != 0 && (n.Number == nil || n.Number.Float(x) == 0) && commonOK(n, v, room)
	case nil:
		if ask&Stored != 0 && n.Has&schema.Nullable == 0 {
			return false // DEF-001, DEF-003
		}
		return n.Accept&schema.KindNull != 0 && n.Enum == nil
	}
	known, err := jsonval.Normalize(nil, v)
	return err == nil && ask&Stored == 0 && holds(n, known, ask, room)
}

// Alone reports whether v, of a kind that n accepts, fulfils those keywords of n that look neither into v nor at a branch. work is that of
// [OKWithin].
func Alone(n *schema.Node, v any, work *int) bool {
	switch x := v.(type) {
	case nil:
		return n.Enum == nil
	case string:
		if !textOK(n.String, x, work) {
			return false
		}
	case int64:
		if n.Number != nil && n.Number.Int(x) != 0 {
			return false
		}
	case float64:
		if n.Number != nil && n.Number.Float(x) != 0 {
			return false
		}
	case []any:
		if size := int64(len(x)); size < n.MinItems || size > n.MaxItems || n.Has&schema.UniqueItems != 0 && !Unique(x) {
			return false
		}
	case map[string]any:
		if size := int64(len(x)); size < n.MinProperties || size > n.MaxProperties || !allIn(n.Required, x) {
			return false
		}
		if n.Has&schema.NoOthers != 0 {
			for k := range x {
				if n.Prop(k) == nil {
					return false
				}
			}
		}
	}
	return n.Enum == nil || n.Enum.Has(v)
}

// Here reports whether v fulfils the keywords of n itself, its combinators among them: whatever is wrong with v then, if anything is, is
// wrong with a part that an Items, a Props or the Additional of n describes. Null has no parts, and of foreign values the answer is no. work
// is that of [OKWithin].
func Here(n *schema.Node, v any, work *int) bool {
	kind := schema.KindOf(v)
	return kind != 0 && n.Accept&kind != 0 && Alone(n, v, work) && (kind == schema.KindNull || n.Combine == nil || branchesOK(n.Combine, v, work))
}

func stringOK(c *schema.StringChecks, s string, room *jsonval.Room) bool {
	return c == nil || textOK(c, s, &room.Work)
}

func textOK(c *schema.StringChecks, s string, work *int) bool {
	return c == nil || c.FaultWithin(s, work) == schema.StringFine && (c.Format == nil || c.Format.Valid(s))
}

// commonOK answers for what applies to values of every kind but null.
func commonOK(n *schema.Node, v any, room *jsonval.Room) bool {
	return n.Enum == nil && n.Combine == nil || commonHolds(n, v, room)
}

// commonHolds is apart so that the question, which most nodes answer, is asked without a call.
func commonHolds(n *schema.Node, v any, room *jsonval.Room) bool {
	return (n.Enum == nil || n.Enum.Has(v)) && (n.Combine == nil || branchesOK(n.Combine, v, &room.Work))
}

func branchesOK(c *schema.Combinators, v any, work *int) bool {
	if len(c.AnyOf) > 0 && FirstValid(c.AnyOf, v, work) < 0 {
		return false
	}
	if len(c.OneOf) > 0 && CountValid(c.OneOf, v, work) != 1 {
		return false
	}
	for _, n := range c.AllOf {
		if !BranchOK(n, v, work) {
			return false
		}
	}
	return c.Not == nil || !BranchOK(c.Not, v, work) && *work > 0
}

// What a look at a branch counts, in steps: something for itself, and one for so much of the size of what it visits.
const (
	branchWork  = 4
	sizePerStep = 32
)

// BranchOK reports whether v is valid for a branch of a combinator. work is that of [OKWithin].
func BranchOK(n *schema.Node, v any, work *int) bool {
	if *work -= branchWork; *work <= 0 {
		return false
	}
	room := jsonval.Room{Size: jsonval.MaxSize, Work: *work}
	ok := holds(n, v, Schema, &room)
	*work = room.Work - (jsonval.MaxSize-room.Size)/sizePerStep
	return ok && *work > 0
}

// FirstValid returns the index of the first branch that v is valid for, or -1. work is that of [OKWithin].
func FirstValid(branches []*schema.Node, v any, work *int) int {
	for i, n := range branches {
		if BranchOK(n, v, work) {
			return i
		}
	}
	return -1
}

// CountValid returns the number of branches that v is valid for. work is that of [OKWithin].
func CountValid(branches []*schema.Node, v any, work *int) int {
	valid := 0
	for _, n := range branches {
		if BranchOK(n, v, work) {
			valid++
		}
	}
	return valid
}

func objectOK(n *schema.Node, m map[string]any, ask Ask, room *jsonval.Room) bool {
	if size := int64(len(m)); size < n.MinProperties || size > n.MaxProperties || !room.Map(m) {
		return false
	}
	if n.Has&schema.HasEmbedded != 0 && ask&(Embedded|Stored) != 0 && !embeddedOK(m, ask) {
		return false
	}
	if ask&Lists != 0 && len(n.Props) > 0 && n.Additional != nil && n.Additional.Below&schema.HasList != 0 {
		return false // LST-001: the schema for other keys speaks of declared ones, too, which no CRD can ask for
	}
	var seen uint64
	below := ask &^ (keeping | Headed)
	resource := ask&Stored != 0 && n.IsResource()
	byProps := n.Dense(len(m))
	if byProps {
		found, fields, headed := 0, 0, isHeaded(n, ask)
		for i := range n.Props {
			p := &n.Props[i]
			if headed && schema.ResourceField(p.Name) {
				fields++
				if heads(p) {
					found++
					seen |= p.Mask
					continue
				}
			}
			v, ok := m[p.Name]
			if !ok {
				continue
			}
			found++
			seen |= p.Mask
			if p.Node.Plain&textOrBool(v) == 0 && !propOK(p, v, below, resource, room) {
				return false
			}
			if found == len(m) {
				break
			}
		}
		if headed && n.Additional == nil && found < len(m) {
			found += resourceFields - fields
		}
		if found == len(m) || ask&Stored == 0 && n.Additional == nil && n.Has&schema.NoOthers == 0 {
			return complete(n, m, seen) && (ask&Stored == 0 || filled(n, m, seen))
		}
	}
	for k, v := range m {
		p := n.Prop(k)
		switch {
		case p != nil:
			seen |= p.Mask
			if !byProps && p.Node.Plain&textOrBool(v) == 0 && !propOK(p, v, below, resource, room) {
				return false
			}
		case n.Additional != nil:
			if n.Additional.Plain&textOrBool(v) == 0 && !holds(n.Additional, v, below, room) {
				return false
			}
		case n.Has&schema.NoOthers != 0:
			return false
		case ask&Stored != 0:
			if !unknownOK(n, k, v, ask, room) {
				return false
			}
		}
	}
	return complete(n, m, seen) && (ask&Stored == 0 || filled(n, m, seen))
}

const resourceFields = 3

// isHeaded reports whether the fields of the resource that n describes need not be looked at.
func isHeaded(n *schema.Node, ask Ask) bool {
	return ask&Headed != 0 && n.Has&(schema.ResourceRoot|schema.NoOthers) == schema.ResourceRoot
}

// heads reports whether a field of a resource may be anything that [Headed] lets it be.
func heads(p *schema.Prop) bool {
	n := p.Node
	if p.Name != "metadata" {
		return n.Plain&schema.KindString != 0
	}
	return n.Accept&schema.KindObject != 0 && len(n.Props) == 0 && n.Additional == nil && n.Has&schema.NoOthers == 0 &&
		len(n.Required) == 0 && n.MinProperties <= 0 && n.MaxProperties == math.MaxInt64 && n.Enum == nil && n.Combine == nil &&
		n.Below&(schema.HasDefault|schema.HasEmbedded) == 0
}

// propOK answers for the value of a declared property. Pruning does not enter a resource's own metadata (PRU-008).
func propOK(p *schema.Prop, v any, ask Ask, resource bool, room *jsonval.Room) bool {
	if resource && schema.ResourceField(p.Name) {
		return declaredMetaOK(p.Node, v, ask, room)
	}
	return holds(p.Node, v, ask, room)
}

// complete reports whether all required properties are there. seen has the bits of those that were seen in m.
func complete(n *schema.Node, m map[string]any, seen uint64) bool {
	return seen&n.RequiredMask == n.RequiredMask && allIn(n.RequiredRest, m)
}

// filled reports whether all properties with a default are there.
func filled(n *schema.Node, m map[string]any, seen uint64) bool {
	return seen&n.DefaultMask == n.DefaultMask && allIn(n.DefaultRest, m)
}

// textOrBool returns the kind of a string or a bool, of which a plain one needs no look at its value, and 0 for all else.
func textOrBool(v any) schema.Kinds {
	switch v.(type) {
	case string:
		return schema.KindString
	case bool:
		return schema.KindBool
	}
	return 0
}

func allIn(names []string, m map[string]any) bool {
	for _, name := range names {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	return true
}

// declaredMetaOK answers for a resource's apiVersion, kind or metadata that its schema declares: pruning does not enter it
// (PRU-008), all else does. Whether metadata is in its stored form is embeddedOK's question, or the caller's at the root.
func declaredMetaOK(n *schema.Node, v any, ask Ask, room *jsonval.Room) bool {
	return n.Below&(schema.HasDefault|schema.HasEmbedded) == 0 && holds(n, v, ask&^Stored, room)
}

func embeddedOK(m map[string]any, ask Ask) bool {
	if ask&Stored != 0 {
		if meta, ok := m["metadata"]; ok && !objectmeta.Canonical(meta) {
			return false
		}
		if !isString(m, "apiVersion") || !isString(m, "kind") {
			return false
		}
	}
	return ask&Embedded == 0 || objectmeta.ValidEmbedded(m)
}

func isString(m map[string]any, key string) bool {
	_, ok := m[key].(string)
	return ok
}

// unknownOK answers for a key without a schema: does it stay as it is (PRU-003, PRU-004, PRU-006)?
func unknownOK(n *schema.Node, k string, v any, ask Ask, room *jsonval.Room) bool {
	switch {
	case n.IsResource() && schema.ResourceField(k):
		return true
	case n.Has&schema.OtherKeys != 0:
		return emptied(v, 0, room)
	case n.Has&schema.PreserveFields != 0 || ask&keeping != 0:
		return plain(v, 0, room)
	}
	return false
}

func listOK(n *schema.Node, items []any, ask Ask, room *jsonval.Room) bool {
	if size := int64(len(items)); size < n.MinItems || size > n.MaxItems || !room.List(items) {
		return false
	}
	if n.Has&schema.UniqueItems != 0 && !Unique(items) {
		return false
	}
	if n.Has&schema.PreserveFields != 0 {
		ask |= keeping
	}
	switch {
	case n.Items != nil:
		for _, v := range items {
			if !holds(n.Items, v, ask, room) {
				return false
			}
		}
	case ask&Stored != 0:
		for _, v := range items {
			if !itemOK(v, ask, room) {
				return false
			}
		}
	}
	// Comparing items is for those that are not too large: it does not count.
	return n.Has&schema.HasList == 0 || ask&Lists == 0 || distinct(n, items)
}

// itemOK answers for an item of a list whose items have no schema: does it stay as it is (PRU-003, PRU-004)?
func itemOK(v any, ask Ask, room *jsonval.Room) bool {
	if ask&keeping != 0 {
		return plain(v, 0, room)
	}
	return emptied(v, 0, room)
}

// deepEnough is where walks through parts without a schema give up, and leave the answer to the slow path.
const deepEnough = 500

// plain reports whether v, which no schema describes, comes back from storage as it is.
func plain(v any, depth int, room *jsonval.Room) bool {
	switch x := v.(type) {
	case nil, bool, int64, string:
		return true
	case float64:
		return x-x == 0 && x != math.Trunc(x)
	case map[string]any:
		if depth > deepEnough || !room.Map(x) {
			return false
		}
		for _, c := range x {
			if !plain(c, depth+1, room) {
				return false
			}
		}
		return true
	case []any:
		if depth > deepEnough || !room.List(x) {
			return false
		}
		for _, c := range x {
			if !plain(c, depth+1, room) {
				return false
			}
		}
		return true
	}
	return false
}

// emptied reports whether v is as pruning without a schema leaves it: no object in it has a key (PRU-003).
func emptied(v any, depth int, room *jsonval.Room) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		if depth > deepEnough || !room.List(x) {
			return false
		}
		for _, c := range x {
			if !emptied(c, depth+1, room) {
				return false
			}
		}
		return true
	}
	return plain(v, depth, room)
}
