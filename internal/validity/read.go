package validity

import (
	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// Read reads the next object of s. It fills in the defaults and makes the checks of [Object] while it reads: with the
// answers of s.Map, [fill.Filler] and [Object], one after another, except that stored is false if a default replaces a
// null. If stored is false, obj is not complete. The caller tests s.End and left.Spent.
func Read(s *jsonscan.Scanner, root *plan.Node, left *fill.Budget) (obj map[string]any, stored, valid bool) {
	r := reader{
		walker: walker{Budget: jsonval.NewBudget(), continues: true},
		text:   s, filler: fill.Filler{Defaults: true, InPlace: true, Left: left},
	}
	if s.Kind() != jsonscan.Object {
		return nil, false, false
	}
	if readsFields(root) {
		obj, stored = r.object(root, checkAll|metaChecked)
	} else {
		obj = r.filler.Object(root, s.Map())
		stored = r.walker.value(root, obj, checkAll|metaChecked)
	}
	return obj, stored, stored && r.failed == 0 && r.Work > 0
}

// A reader is a walker through values that it reads.
type reader struct {
	walker
	text   *jsonscan.Scanner
	filler fill.Filler
}

// readsFields reports whether the fields of an object at n can be completed and checked one by one. Otherwise the whole
// object is read before.
func readsFields(n *plan.Node) bool {
	described := len(n.Props) > 0
	if n.Additional != nil {
		described = !described && !n.IsResource()
	}
	return described && n.Has&(plan.HasEmbedded|plan.NoOthers) == 0 && len(n.DefaultRest) == 0 && len(n.RequiredRest) == 0
}

// value reads a value that n describes.
func (r *reader) value(n *plan.Node, checks mode) (v any, stored bool) {
	switch r.text.Kind() {
	case jsonscan.Object:
		if readsFields(n) {
			return r.object(n, checks)
		}
	case jsonscan.Array:
		if n.Items != nil && n.Has&plan.PreserveFields == 0 {
			return r.list(n, checks)
		}
	case jsonscan.String, jsonscan.Bool:
		v = r.text.Value()
		return v, n.Plain&textOrBool(v) != 0 || r.walker.value(n, v, checks)
	}
	v = r.filler.Value(n, r.text.Value())
	return v, r.walker.value(n, v, checks)
}

// object reads an object at n, for which readsFields is true.
func (r *reader) object(n *plan.Node, checks mode) (m map[string]any, stored bool) {
	mark := r.text.MemberMark()
	below := checks &^ metaChecked
	var seen uint64
	for key, ok := r.text.FirstKeyBytes(); ok; key, ok = r.text.NextKeyBytes() {
		var k string
		p := n.PropOf(key)
		if p != nil {
			seen |= p.Mask
			k = p.Name
		} else {
			k = r.text.Key(key)
		}
		var v any
		switch {
		case n.IsResource() && plan.ResourceField(k):
			v = r.text.Value()
			stored = p == nil || acceptsResourceField(p) || r.member(n, p.Node, k, v, nil, below)
		case p != nil:
			v, stored = r.value(p.Node, below)
		case n.Additional != nil:
			v, stored = r.value(n.Additional, below)
		default:
			v = r.text.Value()
			stored = r.unknown(n, k, v, nil, checks)
		}
		if !stored {
			return nil, false
		}
		r.text.AddMember(k, v)
	}
	if lacks := n.DefaultMask &^ seen; lacks != 0 {
		seen |= lacks
		r.filler.Left.Values--
		for _, i := range n.Defaulted {
			p := &n.Props[i]
			if p.Mask&lacks == 0 {
				continue
			}
			v := r.filler.Default(p.Name, p.Node)
			if r.filler.Left.Spent() || !r.walker.value(p.Node, v, below) {
				return nil, false
			}
			r.text.AddMember(p.Name, v)
		}
	}
	m = r.text.Members(mark)
	if !r.Map(m) {
		return nil, false
	}
	if n.Accept&plan.KindObject == 0 || PropertyCount(n, len(m)) != 0 || seen&n.RequiredMask != n.RequiredMask {
		r.fail(Schema)
	}
	return m, r.common(n, m, checks)
}

// list reads a list at n, which describes its items and does not preserve unknown fields.
func (r *reader) list(n *plan.Node, checks mode) (v any, stored bool) {
	mark := r.text.ItemMark()
	for ok := r.text.FirstItem(); ok; ok = r.text.NextItem() {
		v, stored := r.value(n.Items, checks)
		if !stored {
			return nil, false
		}
		r.text.AddItem(v)
	}
	l := r.text.Items(mark)
	if !r.List(l) {
		return nil, false
	}
	if n.Accept&plan.KindArray == 0 || ItemCount(n, len(l)) != 0 || NotUnique(n, l) {
		r.fail(Schema)
	}
	if n.Has&plan.HasList != 0 && !n.Distinct(l) {
		r.fail(Lists)
	}
	v = l // boxed once
	return v, r.common(n, v, checks)
}
