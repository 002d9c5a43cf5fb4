package eval

import (
	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/plan"
)

// A path is a chain from a variable in which the schema describes every qualifier: fields, and items at constant
// indexes. If the data matches the schema, evaluating a path takes only its lookups. If it does not match, or something
// is missing, the path finds nothing. Then the general chain is evaluated, which determines the error and the cost.
type path struct {
	slot int // of the variable at the beginning
	hops []hop

	node   *plan.Node // of the result
	form   form       // of the result
	object bool       // the last hop is a property, for which null is treated as absent
}

// A hop is a qualifier of a path.
type hop struct {
	name  string // of a property, or a key
	index int    // of an item; -1 if the hop is a name
}

// A form is the Go type of data that can be used as a value without conversion.
type form uint8

// The forms.
const (
	formOther form = iota // needs conversion
	formText
	formInt
	formIntOrText
	formBool
	formNumber
	formList
	formMap // an object or a map
)

// formOf returns the form of the data that n describes. It must agree with adapt.
func formOf(n *plan.Node) form {
	if n.Has&plan.IntOrString != 0 {
		return formIntOrText
	}
	switch n.Type {
	case "string":
		switch n.Format {
		case "duration", "date", "date-time", "byte":
			return formOther
		}
		return formText
	case "object":
		return formMap
	case "array":
		if n.Items != nil {
			return formList
		}
	case "integer":
		return formInt
	case "number":
		return formNumber
	case "boolean":
		return formBool
	}
	return formOther
}

// value returns the result of adapt for data that n describes, if data is of n's form m.
func (m form) value(data any, n *plan.Node) (value, bool) {
	switch x := data.(type) {
	case string:
		if m == formText || m == formIntOrText {
			return value{kind: kindString, ref: data}, true
		}
	case int64:
		switch m {
		case formInt, formIntOrText:
			return integer(x), true
		case formNumber:
			return double(float64(x)), true
		}
	case bool:
		if m == formBool {
			return boolean(x), true
		}
	case float64:
		if m == formNumber {
			return double(x), true
		}
	case []any:
		if m == formList {
			return value{kind: kindRawList, node: n, ref: data}, true
		}
	case map[string]any:
		if m == formMap {
			return value{kind: kindRawMap, node: n, ref: data}, true
		}
	}
	return value{}, false
}

// newPath returns the path for the qualifiers from a variable that n describes, or nil if it cannot be one.
func newPath(slot int, n *plan.Node, qualifiers []qualifier) *path {
	p := &path{slot: slot, hops: make([]hop, len(qualifiers))}
	for i := range qualifiers {
		s := &qualifiers[i]
		if n == nil || s.optional || s.index != nil {
			return nil
		}
		h := hop{index: -1}
		switch form := formOf(n); {
		case s.isField && form == formMap:
			p.object = isObject(n)
			if h.name = s.key.str(); p.object {
				if s.noName {
					return nil
				}
				h.name = s.raw
			}
			n = field(n, h.name)
		case !s.isField && form == formList && s.key.kind == kindInt && s.key.int() >= 0:
			h.index, n = int(s.key.int()), n.Items
		default:
			return nil
		}
		p.hops[i] = h
	}
	switch {
	case n != nil:
		p.node, p.form = n, formOf(n)
	case len(qualifiers) > 0:
		return nil
	}
	return p
}

// data returns the value that the hops select from the path's variable, or nil if there is none.
func (p *path) data(f *frame, hops []hop) any {
	data := f.slots[p.slot].ref
	for i := range hops {
		data = hops[i].of(data)
	}
	return data
}

// of returns the value that h selects from data, or nil.
func (h *hop) of(data any) any {
	if h.index < 0 {
		m, _ := data.(map[string]any)
		return m[h.name]
	}
	if l, _ := data.([]any); h.index < len(l) {
		return l[h.index]
	}
	return nil
}

// part returns p as a part. general is the same chain, and own the cost of the chain besides its qualifiers.
func (p *path) part(general evaluator, own int64) *part {
	r := &part{run: general, general: general, path: p, cost: int64(len(p.hops)) + own, node: p.node}
	if len(p.hops) > 0 {
		r.run = func(f *frame) value {
			if v, ok := p.form.value(p.data(f, p.hops), p.node); ok {
				f.ones(r.cost)
				return v
			}
			return general(f)
		}
	}
	return r
}

// length returns an evaluator of size(p), without the cost of size itself. If it finds a value, that costs cost;
// otherwise general is evaluated.
func (p *path) length(general typed[int64], cost int64) typed[int64] {
	return func(f *frame) (int64, bool) {
		switch x := p.data(f, p.hops).(type) {
		case string:
			if p.form == formText {
				f.ones(cost)
				f.visits(2 * len(x))
				return text.Len(x), true
			}
		case []any:
			if p.form == formList {
				f.ones(cost)
				return int64(len(x)), true
			}
		case map[string]any:
			if p.form == formMap {
				f.ones(cost)
				return int64(len(x)), true
			}
		}
		return general(f)
	}
}

// presence returns has(p). general is has for the same chain.
func (p *path) presence(general evaluator) typed[bool] {
	otherwise := bools.from(general)
	last := len(p.hops) - 1
	name, holder, form, object, cost := p.hops[last].name, p.hops[:last], p.form, p.object, int64(len(p.hops))
	return func(f *frame) (bool, bool) {
		if m, ok := p.data(f, holder).(map[string]any); ok {
			x := m[name]
			if _, ok := form.value(x, nil); ok || x == nil && object {
				f.ones(cost)
				return ok, true
			}
		}
		return otherwise(f)
	}
}
