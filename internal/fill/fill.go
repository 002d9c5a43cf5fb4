package fill

import (
	"maps"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Filler drops nulls, fills in defaults, or both. Its walk copies nothing before the first change: most objects are
// complete.
type Filler struct {
	Nulls    bool // drop nulls that are neither allowed nor defaulted
	Defaults bool // fill in defaults
	// InPlace says that the caller owns the value: changes are made in its maps and lists instead of in copies.
	InPlace bool
	Left    *Budget // of what defaults may add; not nil
}

// Object returns obj with the changes, or obj itself if there are none. A nil root describes nothing.
func (f Filler) Object(root *plan.Node, obj map[string]any) map[string]any {
	if root != nil {
		if m := f.object(root, obj); m != nil {
			return m
		}
	}
	return obj
}

// Value is [Filler.Object] for a value of any kind. The default of n itself is not used.
func (f Filler) Value(n *plan.Node, v any) any {
	if n != nil && v != nil {
		if w, change := f.member(n, v); change == replaced {
			return w
		}
	}
	return v // not x: boxing a list again would allocate
}

func (f Filler) object(n *plan.Node, m map[string]any) (out map[string]any) {
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
		if !f.Nulls && p.Node.Below&plan.HasDefault == 0 {
			continue // there is nothing to fill in, and nulls stay
		}
		v, ok := m[p.Name]
		if !ok {
			if f.Defaults && p.Node.Has&plan.HasDefault != 0 {
				out = f.copied(out, m)
				out[p.Name] = f.Default(p.Name, p.Node)
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
		if left--; left == 0 && (!f.Defaults || len(n.Defaulted) == 0 || n.Defaulted[len(n.Defaulted)-1] < i) {
			break
		}
	}
	return out
}

// copied returns out, the copy of m, which is made at the first change.
func (f Filler) copied(out, m map[string]any) map[string]any {
	if out == nil {
		f.Left.Values--
		out = f.own(m)
	}
	return out
}

// byKeys ranges over m, and looks up only containers and nulls.
func (f Filler) byKeys(n *plan.Node, m map[string]any) (out map[string]any) {
	for k, v := range m {
		switch v.(type) {
		case map[string]any, []any, nil:
			child, _ := n.Child(k)
			if child == nil {
				continue
			}
			if w, change := f.member(child, v); change != kept {
				if out == nil {
					out = f.own(m)
				}
				put(out, k, w, change)
			}
		}
	}
	if !f.Defaults {
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
		out[p.Name] = f.Default(p.Name, p.Node)
	}
	return out
}

// own returns a map with the members of m that may be written to, even if m is nil.
func (f Filler) own(m map[string]any) map[string]any {
	switch {
	case m == nil:
		return map[string]any{}
	case f.InPlace:
		return m
	}
	return maps.Clone(m)
}

// change is what a Filler does with a value in an object.
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
func (f Filler) member(n *plan.Node, v any) (any, change) {
	if !f.Nulls && n.Below&plan.HasDefault == 0 {
		return nil, kept
	}
	switch x := v.(type) {
	case map[string]any:
		if !f.visits(len(x)) {
			return nil, kept
		}
		if m := f.object(n, x); m != nil && (!f.InPlace || x == nil) {
			return m, replaced
		}
	case []any:
		if !f.visits(len(x)) {
			return nil, kept
		}
		if l := f.list(n, x); l != nil && !f.InPlace {
			return l, replaced
		}
	case nil:
		change := f.null(n)
		if change == replaced {
			return f.Default("", n), replaced
		}
		return nil, change
	}
	return nil, kept
}

// visits counts a list or a map of that length, and reports whether the walk may enter it. Beyond a limit it enters
// nothing more: in place, each object there would still get room for its defaults.
func (f Filler) visits(length int) bool {
	f.Left.Visits -= length + 1
	return f.Left.Visits >= 0 && !f.over()
}

// null returns the change for a null that n describes. A list keeps a null instead of dropping it.
func (f Filler) null(n *plan.Node) change {
	switch {
	case n.Has&plan.Nullable != 0:
	case n.Default != nil:
		if f.Defaults {
			return replaced
		}
	case f.Nulls:
		return dropped
	}
	return kept
}

func (f Filler) list(n *plan.Node, items []any) (out []any) {
	if n = n.Items; n == nil {
		return nil
	}
	for i, v := range items {
		switch v.(type) {
		case map[string]any, []any, nil:
			if w, change := f.member(n, v); change == replaced {
				if out == nil && f.InPlace {
					out = items
				}
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
func (f Filler) over() bool { return f.Defaults && f.Left.Spent() }

// Default returns a copy of n's default, for the value of key k or for an item, with its own defaults filled in. Its
// nulls stay (DEF-004). Beyond the limit it returns nil.
func (f Filler) Default(k string, n *plan.Node) any {
	f.Left.Bytes -= len(k) + 4
	if f.Left.take(n.Default); f.Left.Spent() {
		return nil
	}
	v := jsonval.Clone(n.Default)
	if n.Below&plan.HasDefault != 0 {
		v = Filler{Defaults: true, InPlace: true, Left: f.Left}.Value(n, v)
	}
	return v
}
