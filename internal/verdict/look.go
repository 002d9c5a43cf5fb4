package verdict

import (
	"math"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// Look returns those questions of ask to which the answer is yes. If ask has Stored and its answer is no, the others are not answered:
// such a value is going to be another one. Its cost is that of [OK], which is for those who need to know no more than whether all is
// well, and does not go on from where it is not.
func Look(n *schema.Node, v any, ask Ask) Ask {
	if n == nil {
		return ask
	}
	room := jsonval.NewRoom()
	return look(n, v, nil, ask, &room) &^ Headed
}

// A Change is what [Compare] finds about two values.
type Change struct {
	Holds Ask  // of the new value, as [Look] says
	Was   bool // the old value is as Stored asks
	Same  bool // it is, and the two are the same value, as [jsonval.Equal] has it
	// Forgiven: whatever breaks the schema did so before and did not change, in a place where ratcheting forgives that (RAT-001 to
	// RAT-010). It may be false in vain, but never true. It is said of whole objects alone: n is their root.
	Forgiven bool
}

// Compare looks at v, the value that old has become, and compares the two, all but the metadata of the root. If ask has [Headed], that is
// said of both, and their types are taken for the same. Nothing but what Look says is said if v is not as Stored asks. It costs one look
// and a comparison, and a look at each part of the old value that differs.
func Compare(n *schema.Node, v, old any, ask Ask) Change {
	if n == nil {
		return Change{ask, true, jsonval.Equal(v, old), true}
	}
	room := jsonval.NewRoom()
	room.Size *= 2 // for two values
	r := look(n, v, old, ask|Stored|same|was|forgiven, &room)
	return Change{r & ask &^ (Headed | Lenient), r&was != 0, r&(same|was) == same|was, r&forgiven != 0}
}

// The walk that answers. It takes a set of questions down and brings those back that are still answered with yes, so that one walk
// does for all of them, and ends where nothing is left to ask.
//
// With old values on it there are more questions. Whoever asks none of them gives nil for the old value.
const (
	// same: is the value what it was, as [jsonval.Equal] has it? The metadata of the root is not compared.
	same Ask = 1 << (iota + 8)
	// was: was there nothing to do for the old value that Stored asks about? It is on wherever an old value is given. Where a value is what it
	// was, Stored answers for both, so that only what differs costs another look.
	was
	// forgiven: is nothing that breaks the schema for ratcheting to report? With it on, Schema is still answered for every part of the value
	// after it was answered with no.
	forgiven
)

// look returns those questions of ask that v, a value that n describes, answers with yes. It returns none of them as soon as the answer to
// Stored is no: such a value is going to be another one. Nor does it of one that there is not enough room for.
func look(n *schema.Node, v, old any, ask Ask, room *jsonval.Room) Ask {
	r, fine := ask, false
	switch x := v.(type) {
	case string:
		y, ok := old.(string)
		unchanged := ok && x == y
		if unchanged && r&Lenient != 0 {
			return r
		}
		fine = n.Plain&schema.KindString != 0 || r&(Schema|forgiven) == 0 ||
			n.Accept&schema.KindString != 0 && room.Text(x) && stringOK(n.String, x, room) && commonOK(n, v, room)
		if unchanged && fine {
			return r
		}
	case map[string]any:
		return lookObject(n, x, v, old, ask, room)
	case []any:
		return lookList(n, x, v, old, ask&^Lenient, room) | ask&Lenient
	case bool:
		fine = n.Plain&schema.KindBool != 0 || r&(Schema|forgiven) == 0 || n.Accept&schema.KindBool != 0 && commonOK(n, v, room)
	case int64:
		if y, ok := old.(int64); ok && x == y && r&Lenient != 0 {
			return r
		}
		fine = n.Plain&schema.KindInt != 0 || r&(Schema|forgiven) == 0 ||
			n.Accept&schema.KindInt != 0 && (n.Number == nil || n.Number.Int(x) == 0) && commonOK(n, v, room)
	case float64:
		kind := schema.FloatKind(x)
		if r&Stored != 0 && (kind == 0 || x == math.Trunc(x)) {
			return 0 // DEC-009: storage turns most of these into integers, and has no infinities
		}
		fine = n.Plain&kind != 0 || r&(Schema|forgiven) == 0 ||
			n.Accept&kind != 0 && (n.Number == nil || n.Number.Float(x) == 0) && commonOK(n, v, room)
	case nil:
		if r&Stored != 0 && n.Has&schema.Nullable == 0 {
			return 0 // DEF-001, DEF-003
		}
		fine = n.Accept&schema.KindNull != 0 && n.Enum == nil
	default:
		known, err := jsonval.Normalize(nil, v)
		if err != nil || r&Stored != 0 {
			return 0
		}
		return look(n, known, old, ask, room)
	}
	equal := r&was != 0 && v == old
	if !fine {
		r &^= Schema
		if !equal {
			r &^= forgiven
		}
	}
	if r&was != 0 && !equal {
		rest, owed := apart(n, old, r, 0, room)
		r = rest | owed | r&(forgiven|Lenient)
	}
	return r
}

// apart answers for an old value that does not have the parts of the new one, so that it is looked at on its own. The walk goes on with
// rest, without old values, and adds what is owed to its answer. keep is keeping, or nothing.
func apart(n *schema.Node, old any, ask, keep Ask, room *jsonval.Room) (rest, owed Ask) {
	if look(n, old, nil, Stored|keep, room)&Stored != 0 {
		owed = was
	}
	return ask &^ (same | was | forgiven | Lenient), owed
}

// idle reports whether the questions that are left have nothing to ask about at n or beneath it.
func idle(n *schema.Node, ask Ask) bool {
	return ask&(Schema|Stored) == 0 && (ask&Lists == 0 || n.Below&schema.HasList == 0) && (ask&Embedded == 0 || n.Below&schema.HasEmbedded == 0)
}

func lookObject(n *schema.Node, m map[string]any, v, old any, ask Ask, room *jsonval.Room) Ask {
	if !room.Map(m) {
		return 0
	}
	r, owed := ask&^(keeping|Headed), Ask(0)
	if size := int64(len(m)); n.Accept&schema.KindObject == 0 || size < n.MinProperties || size > n.MaxProperties {
		r &^= Schema | forgiven
	}
	if n.Has&schema.HasEmbedded != 0 {
		r = lookEmbedded(m, r)
	}
	if r&Lists != 0 && len(n.Props) > 0 && n.Additional != nil && n.Additional.Below&schema.HasList != 0 {
		r &^= Lists // LST-001: the schema for other keys speaks of declared ones, too, which no CRD can ask for
	}
	if idle(n, r) {
		return r & ask
	}
	var before map[string]any
	if r&was != 0 {
		var ok bool
		if before, ok = old.(map[string]any); !ok || len(before) != len(m) {
			r, owed = apart(n, old, r, ask&keeping, room)
		}
	}

	found := members{holds: r, owed: owed, left: len(m)}
	if n.Dense(len(m)) {
		found = lookProps(n, m, before, ask, found, room)
	} else {
		found = lookKeys(n, m, before, ask, found, false, room)
	}
	if found.left > 0 && !idle(n, found.holds) {
		found = lookKeys(n, m, before, ask, found, true, room)
	}
	if r = found.holds; idle(n, r) {
		return r
	}
	if r&Stored != 0 && !filled(n, m, found.seen) {
		return 0
	}
	if r&(Schema|forgiven) != 0 && !(complete(n, m, found.seen) && commonOK(n, v, room)) {
		r &^= Schema | forgiven
	}
	if n.Has&schema.HasEmbedded != 0 && r&was != 0 && (r&same == 0 || n.Has&schema.ResourceRoot != 0) && !embeddedOK(before, Stored) {
		r &^= was
	}
	return r | found.owed
}

// members are what was found about the members of an object.
type members struct {
	holds, owed Ask    // what is still answered with yes, and what is owed to that answer
	seen        uint64 // the bits of the properties that are there
	left        int    // how many members were not looked at
}

// lookProps looks each declared property up in m. It leaves no members where the others do not matter. ask is that of the object.
func lookProps(n *schema.Node, m, before map[string]any, ask Ask, found members, room *jsonval.Room) members {
	r, left, fields := found.holds, found.left, 0
	resource, headed := r&Stored != 0 && n.IsResource(), isHeaded(n, ask)
	for i := range n.Props {
		p := &n.Props[i]
		if headed && schema.ResourceField(p.Name) {
			fields++
			if heads(p) {
				left--
				found.seen |= p.Mask
				continue
			}
		}
		v, ok := m[p.Name]
		if !ok {
			continue
		}
		left--
		found.seen |= p.Mask
		var w any
		if r&was == 0 {
			if p.Node.Plain&textOrBool(v) != 0 {
				continue
			}
		} else if w, ok = before[p.Name]; !ok {
			r, found.owed = apart(n, before, r, ask&keeping, room)
		}
		if p.Node.Plain&schema.KindString == 0 || !sameText(v, w) {
			if r = lookProp(n, p, v, w, r, resource, room); idle(n, r) {
				break
			}
		}
		if left == 0 {
			break
		}
	}
	if headed && n.Additional == nil && left > 0 {
		left -= resourceFields - fields
	}
	if r&Stored == 0 && n.Additional == nil && n.Has&schema.NoOthers == 0 {
		left = 0
	}
	found.holds, found.left = r, left
	return found
}

// lookKeys ranges over m. With rest it looks at those members alone that are no declared properties. ask is that of the object.
func lookKeys(n *schema.Node, m, before map[string]any, ask Ask, found members, rest bool, room *jsonval.Room) members {
	r := found.holds
	resource := r&Stored != 0 && n.IsResource()
	for k, v := range m {
		p := n.Prop(k)
		if p != nil {
			if rest {
				continue
			}
			found.seen |= p.Mask
		}
		var w any
		if r&was != 0 {
			var ok bool
			if w, ok = before[k]; !ok {
				r, found.owed = apart(n, before, r, ask&keeping, room)
			}
		}
		switch {
		case p != nil && p.Node.Plain&schema.KindString != 0 && sameText(v, w):
		case p != nil:
			r = lookProp(n, p, v, w, r, resource, room)
		case n.Additional != nil:
			r = lookOther(n, k, v, w, r, resource, room)
		default:
			r = lookUnknown(n, k, v, w, r, ask&keeping, room)
		}
		if idle(n, r) {
			break
		}
	}
	found.holds, found.left = r, 0
	return found
}

func sameText(v, w any) bool {
	x, ok := v.(string)
	if !ok {
		return false
	}
	y, ok := w.(string)
	return ok && x == y
}

// lookEmbedded answers for the own fields of an embedded resource.
func lookEmbedded(m map[string]any, ask Ask) Ask {
	if ask&Stored != 0 && !embeddedOK(m, Stored) {
		return 0
	}
	if ask&Embedded != 0 && !embeddedOK(m, Embedded) {
		ask &^= Embedded
	}
	return ask
}

// lookProp answers for the value of a declared property. Pruning does not enter the apiVersion, kind and metadata that a resource's
// schema declares (PRU-008); all else does. Whether metadata is in its stored form is lookEmbedded's question, or the caller's at the
// root.
func lookProp(n *schema.Node, p *schema.Prop, v, w any, ask Ask, resource bool, room *jsonval.Room) Ask {
	if n.Has&schema.ResourceRoot != 0 {
		ask = unforgiving(p.Name, p.Node, v, ask)
	}
	if !resource || !schema.ResourceField(p.Name) {
		return look(p.Node, v, w, ask, room)
	}
	if p.Node.Below&(schema.HasDefault|schema.HasEmbedded) != 0 {
		if p.Node.Plain&textOrBool(v) == 0 {
			return 0
		}
		if p.Node.Plain&textOrBool(w) == 0 {
			ask &^= was
		}
	}
	const kept = Stored | same | was | forgiven | Lenient
	r := look(p.Node, v, nil, (ask|Schema)&^kept, room)
	if r&Schema == 0 {
		ask &^= forgiven
	}
	return r&ask | sameField(n, p.Name, v, w, ask&kept)
}

// lookOther answers for the value of a key that additionalProperties describe.
func lookOther(n *schema.Node, k string, v, w any, ask Ask, resource bool, room *jsonval.Room) Ask {
	if n.Has&schema.ResourceRoot != 0 {
		ask = unforgiving(k, n.Additional, v, ask)
	}
	if !resource || !schema.ResourceField(k) {
		return look(n.Additional, v, w, ask, room)
	}
	r := look(n.Additional, v, nil, (ask|Schema)&^(same|was|forgiven|Lenient), room)
	if r&Stored == 0 {
		return 0
	}
	if r&Schema == 0 {
		ask &^= forgiven
	}
	if ask&was != 0 && look(n.Additional, w, nil, Stored, room) == 0 {
		ask &^= was
	}
	return r&ask | sameField(n, k, v, w, ask&(same|was|forgiven))
}

// unforgiving returns ask less what does not hold for a whole object's apiVersion or kind that is wrong: they count as changed (RAT-004).
// To a server they are beneath an empty name, which a property may have as well.
func unforgiving(name string, n *schema.Node, v any, ask Ask) Ask {
	if ask&forgiven != 0 && (name == "apiVersion" || name == "kind" || name == "") && !OK(n, v, Schema) {
		ask &^= Schema | forgiven
	}
	return ask
}

// sameField returns ask without same if a field of a resource is not what it was.
func sameField(n *schema.Node, name string, v, w any, ask Ask) Ask {
	if ask&same != 0 && !(n.Has&schema.ResourceRoot != 0 && name == "metadata") && !jsonval.Equal(v, w) {
		ask &^= same
	}
	return ask
}

// lookUnknown answers for a key without a schema: may it be there, and does it stay as it is (PRU-003, PRU-004, PRU-006)?
func lookUnknown(n *schema.Node, k string, v, w any, ask, keep Ask, room *jsonval.Room) Ask {
	if n.Has&schema.NoOthers != 0 {
		ask &^= Schema | forgiven
	}
	if ask&Stored == 0 {
		return ask
	}
	if n.IsResource() && schema.ResourceField(k) {
		return sameField(n, k, v, w, ask)
	}
	preserves := n.Has&schema.OtherKeys == 0 && (n.Has&schema.PreserveFields != 0 || keep != 0)
	if ask&same != 0 && preserves && samePlain(v, w, 0, room) {
		return ask
	}
	if !unknownOK(n, k, v, keep, room) {
		return 0
	}
	if ask&was != 0 && !jsonval.Equal(v, w) {
		ask &^= same
		if !unknownOK(n, k, w, keep, room) {
			ask &^= was
		}
	}
	return ask
}

func lookList(n *schema.Node, items []any, v, old any, ask Ask, room *jsonval.Room) Ask {
	if !room.List(items) {
		return 0
	}
	r, owed := ask, Ask(0)
	if r&forgiven != 0 {
		r |= Schema | same // of this list alone, to be taken back below
	}
	if r&Schema != 0 && !listAlone(n, items) {
		r &^= Schema
	}
	if idle(n, r) {
		return r & ask
	}
	var before []any
	if r&was != 0 {
		var ok bool
		if before, ok = old.([]any); !ok || len(before) != len(items) {
			r, owed = apart(n, old, r, ask&keeping, room)
		}
	}
	if n.Has&schema.PreserveFields != 0 {
		r |= keeping
	}
	keep := r & keeping
	for i, v := range items {
		var w any
		if r&was != 0 {
			w = before[i]
		}
		if n.Items != nil {
			r = look(n.Items, v, w, r, room)
		} else {
			r = lookItem(v, w, r, keep, room)
		}
		if idle(n, r) {
			return r & ask
		}
	}
	if n.Has&schema.HasList != 0 && r&Lists != 0 && !distinct(n, items) { // after the items: those that are too large have ended the look
		r &^= Lists
	}
	if r&Schema != 0 && !commonOK(n, v, room) {
		r &^= Schema
	}
	if ask&forgiven != 0 && r&Schema == 0 {
		switch {
		case r&(same|was) != same|was:
			r &^= forgiven
		case n.List != schema.ListMap:
			r |= forgiven // RAT-001: its items belong to no old ones, so that it counts as a whole
		case r&Lists == 0 || !listAlone(n, items) || !commonOK(n, v, room) || !named(n, items):
			r &^= forgiven // Which items belong together is for those to say who compare keys.
		}
	}
	return r&ask | owed
}

func listAlone(n *schema.Node, items []any) bool {
	size := int64(len(items))
	return n.Accept&schema.KindArray != 0 && size >= n.MinItems && size <= n.MaxItems && (n.Has&schema.UniqueItems == 0 || Unique(items))
}

// named reports whether the keys of a map's items are all strings.
func named(n *schema.Node, items []any) bool {
	if len(n.ListMapKeys) == 0 {
		return false
	}
	for _, v := range items {
		m, _ := v.(map[string]any)
		for _, key := range n.ListMapKeys {
			if !isString(m, key) {
				return false
			}
		}
	}
	return true
}

// lookItem answers for an item of a list whose items have no schema.
func lookItem(v, w any, ask, keep Ask, room *jsonval.Room) Ask {
	if ask&Stored == 0 {
		return ask
	}
	if !itemOK(v, keep, room) {
		return 0
	}
	if ask&was != 0 && !jsonval.Equal(v, w) {
		ask &^= same
		if !itemOK(w, keep, room) {
			ask &^= was
		}
	}
	return ask
}

// samePlain reports whether two values are plain, and the same as [jsonval.Equal] has it.
func samePlain(v, w any, depth int, room *jsonval.Room) bool {
	switch x := v.(type) {
	case string:
		y, ok := w.(string)
		return ok && x == y
	case nil, bool, int64:
		return v == w
	case map[string]any:
		y, ok := w.(map[string]any)
		if !ok || len(x) != len(y) || depth > deepEnough || !room.Map(x) {
			return false
		}
		for k, c := range x {
			if d, ok := y[k]; !ok || !samePlain(c, d, depth+1, room) {
				return false
			}
		}
		return true
	case []any:
		y, ok := w.([]any)
		if !ok || len(x) != len(y) || depth > deepEnough || !room.List(x) {
			return false
		}
		for i, c := range x {
			if !samePlain(c, y[i], depth+1, room) {
				return false
			}
		}
		return true
	}
	f, ok := v.(float64)
	return ok && v == w && plain(f, depth, room)
}
