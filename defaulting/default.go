package defaulting

import (
	"maps"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// Default returns obj without the nulls that a server drops, and with its defaults filled in. It does not modify obj.
// If there is nothing to do, it returns obj itself and does not allocate. Otherwise the result shares unchanged parts
// with obj, and nothing with the schema. A nil s has no defaults. A nil obj is an empty object.
//
// If the defaults exceed the default [Limit], none are filled in. [DefaultWithin] reports this.
func Default(s *schema.Structural, obj map[string]any) map[string]any {
	out, _ := DefaultWithin(s, obj, Limit{})
	return out
}

// Value is [Default] for a value of any kind that n, a node of a compiled schema, describes. The default of n itself is
// not used. A zero n has no defaults.
func Value(n schema.Node, v any) any {
	node, left := plan.Of(n), Limit{}.orDefault()
	if out := (filler{nulls: true, fill: true, left: &left}).value(node, v); !left.spent() {
		return out
	}
	return filler{nulls: true, left: &left}.value(node, v)
}

// Fill fills in defaults like [Default], but drops no nulls: a null without a default stays. A server does this with an
// object that a mutating webhook has changed.
func Fill(s *schema.Structural, obj map[string]any) map[string]any {
	out, _ := FillWithin(s, obj, Limit{})
	return out
}

// DropNulls drops nulls like [Default], but fills in nothing: a null that has a default stays. A server does this with
// an object that it converts to another version.
func DropNulls(s *schema.Structural, obj map[string]any) map[string]any {
	return filler{nulls: true, left: new(Limit)}.whole(s, obj)
}

// A filler drops nulls, fills in defaults, or both. Its walk returns nil if there is nothing to do, and copies nothing
// before the first change: most objects are complete.
type filler struct {
	nulls bool // drop nulls that are neither allowed nor defaulted
	fill  bool // fill in defaults
	left  *Limit
}

func (f filler) whole(s *schema.Structural, obj map[string]any) map[string]any {
	if s != nil {
		if m := f.object(plan.Root(s), obj); m != nil {
			return m
		}
	}
	return obj
}

// value returns v if there is nothing to do.
func (f filler) value(n *plan.Node, v any) any {
	if n != nil && v != nil {
		if w, change := f.member(n, v); change == replaced {
			return w
		}
	}
	return v // not x: boxing a list again would allocate
}

func (f filler) object(n *plan.Node, m map[string]any) (out map[string]any) {
	if len(n.Props) == 0 && n.Additional == nil {
		return nil
	}
	// If neither holds, it is faster to look up each property in m than to range over m.
	if n.Additional != nil || len(n.Props) > 2*len(m)+3 {
		return f.byKeys(n, m)
	}
	left := len(m)
	for i := range n.Props {
		if out != nil && f.over() {
			return out
		}
		p := &n.Props[i]
		v, ok := m[p.Name]
		if !ok {
			if f.fill && p.Node.Has&plan.HasDefault != 0 {
				out = f.copied(out, m)
				out[p.Name] = f.made(p.Name, p.Node)
			}
			continue
		}
		switch v.(type) { // scalars do not need the schema
		case map[string]any, []any, nil:
			if w, change := f.member(p.Node, v); change != kept {
				out = f.copied(out, m)
				put(out, p.Name, w, change)
			}
		}
		if left--; left == 0 && (!f.fill || len(n.Defaulted) == 0 || n.Defaulted[len(n.Defaulted)-1] < i) {
			break
		}
	}
	return out
}

// copied returns out, the copy of m, which is made at the first change.
func (f filler) copied(out, m map[string]any) map[string]any {
	if out == nil {
		f.left.Values--
		out = clone(m)
	}
	return out
}

// byKeys ranges over m, and looks up only containers and nulls.
func (f filler) byKeys(n *plan.Node, m map[string]any) (out map[string]any) {
	for k, v := range m {
		switch v.(type) {
		case map[string]any, []any, nil:
			child, _ := n.Child(k)
			if child == nil {
				continue
			}
			if w, change := f.member(child, v); change != kept {
				if out == nil {
					out = clone(m)
				}
				put(out, k, w, change)
			}
		}
	}
	if !f.fill {
		return out
	}
	for _, i := range n.Defaulted {
		p := &n.Props[i]
		if _, ok := m[p.Name]; ok {
			continue
		}
		if f.over() {
			return out
		}
		out = f.copied(out, m)
		out[p.Name] = f.made(p.Name, p.Node)
	}
	return out
}

// clone copies m. Unlike maps.Clone it turns a nil map into an empty one, which can be written to.
func clone(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

// change is what a filler does with a value in an object.
type change uint8

const (
	kept change = iota
	replaced
	dropped
)

// put applies a change to the value of k in m. v is the replacement.
func put(m map[string]any, k string, v any, c change) {
	switch c {
	case replaced:
		m[k] = v
	case dropped:
		delete(m, k)
	}
}

// member returns the change for v, which n describes, and its replacement.
func (f filler) member(n *plan.Node, v any) (any, change) {
	switch x := v.(type) {
	case map[string]any:
		if m := f.object(n, x); m != nil {
			return m, replaced
		}
	case []any:
		if l := f.list(n, x); l != nil {
			return l, replaced
		}
	case nil:
		change := f.null(n)
		if change == replaced {
			return f.made("", n), replaced
		}
		return nil, change
	}
	return nil, kept
}

// null returns the change for a null that n describes. A list keeps a null instead of dropping it.
func (f filler) null(n *plan.Node) change {
	switch {
	case n.Has&plan.Nullable != 0:
	case n.Default != nil:
		if f.fill {
			return replaced
		}
	case f.nulls:
		return dropped
	}
	return kept
}

func (f filler) list(n *plan.Node, items []any) (out []any) {
	if n = n.Items; n == nil {
		return nil
	}
	for i, v := range items {
		switch v.(type) {
		case map[string]any, []any, nil:
			if w, change := f.member(n, v); change == replaced {
				out = jsonval.WithItem(out, items, i, w)
			}
		}
		if out != nil && f.over() {
			break
		}
	}
	return out
}

// over reports whether the limit is exceeded, so that the result will not be used.
func (f filler) over() bool { return f.fill && f.left.spent() }

// made returns a copy of n's default, for the value of key k or for an item, with its own defaults filled in. Its nulls
// stay (DEF-004). Beyond the limit it returns nil.
func (f filler) made(k string, n *plan.Node) any {
	f.left.Bytes -= len(k) + 4
	if f.left.take(n.Default); f.left.spent() {
		return nil
	}
	v := jsonval.Clone(n.Default)
	if n.Below&plan.HasDefault != 0 {
		v = filler{fill: true, left: f.left}.value(n, v)
	}
	return v
}
