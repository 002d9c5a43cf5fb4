package defaulting

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// Default returns obj without the nulls that a server drops and with its defaults filled in. It does not modify obj. With
// nothing to do it returns obj itself and does not allocate. Otherwise the result shares unchanged parts with obj, and nothing
// with the schema. A nil s has no defaults; a nil obj is an empty object.
//
// Clauses: DEF-001 to DEF-011.
func Default(s *schema.Structural, obj map[string]any) map[string]any {
	if s == nil {
		return obj
	}
	out, _ := filler{nulls: true, fill: true}.object(s.Root, obj)
	return out
}

// Value does the same with a value of any kind that n, a node of a compiled schema, describes. The default of n itself is not
// used. A nil n has no defaults.
//
// Clauses: DEF-001 to DEF-011.
func Value(n *schema.Node, v any) any {
	out, _ := filler{nulls: true, fill: true}.value(n, v)
	return out
}

// Fill fills in defaults like [Default], but drops no null: a null without a default stays. That is what a server does with an
// object that a mutating webhook has changed.
//
// Clauses: DEF-003, DEF-012.
func Fill(s *schema.Structural, obj map[string]any) map[string]any {
	if s == nil {
		return obj
	}
	out, _ := filler{fill: true}.object(s.Root, obj)
	return out
}

// DropNulls drops nulls like [Default], but fills in nothing: a null that has a default stays. That is what a server does with
// an object that it converts to another version.
//
// Clauses: DEF-001, DEF-002, ORD-004.
func DropNulls(s *schema.Structural, obj map[string]any) map[string]any {
	if s == nil {
		return obj
	}
	out, _ := filler{nulls: true}.object(s.Root, obj)
	return out
}

// A filler does one of these, or both.
type filler struct {
	nulls bool // drop those that are neither allowed nor defaulted
	fill  bool // fill in defaults
}

func (f filler) value(n *schema.Node, v any) (out any, changed bool) {
	if n == nil {
		return v, false
	}
	switch x := v.(type) {
	case map[string]any:
		if m, changed := f.object(n, x); changed {
			return m, true
		}
	case []any:
		if l, changed := f.list(n, x); changed {
			return l, true
		}
	}
	return v, false // v, not x: boxing a list again would allocate
}

func (f filler) object(n *schema.Node, m map[string]any) (out map[string]any, changed bool) {
	out = m
	if len(n.Props) == 0 && n.Additional == nil {
		return m, false
	}
	set := func(k string, v any) {
		if !changed {
			out, changed = clone(m), true
		}
		out[k] = v
	}
	member := func(child *schema.Node, k string, v any) {
		switch w, f := f.member(child, v); f {
		case replaced:
			set(k, w)
		case dropped:
			set(k, nil)
			delete(out, k)
		}
	}
	if n.Additional == nil && n.Dense(len(m)) {
		for i := range n.Props {
			p := &n.Props[i]
			v, ok := m[p.Name]
			switch {
			case ok && concerned(v):
				member(p.Node, p.Name, v)
			case !ok && f.fill && p.Node.Default != nil:
				set(p.Name, made(p.Node))
			}
		}
		return out, changed
	}
	for k, v := range m {
		if concerned(v) {
			child, _ := n.Child(k)
			member(child, k, v)
		}
	}
	if f.fill {
		for _, i := range n.Defaulted {
			p := &n.Props[i]
			if _, ok := out[p.Name]; !ok {
				set(p.Name, made(p.Node))
			}
		}
	}
	return out, changed
}

// concerned reports whether there may be something to do about v: only containers and nulls need the schema.
func concerned(v any) bool {
	switch v.(type) {
	case nil, map[string]any, []any:
		return true
	}
	return false
}

// fate says what becomes of a value in an object.
type fate uint8

const (
	kept fate = iota
	replaced
	dropped
)

// member returns the fate of v, which n describes, and what replaces it. A nil n describes nothing: v is kept.
func (f filler) member(n *schema.Node, v any) (out any, _ fate) {
	switch {
	case n == nil:
	case v != nil:
		if w, changed := f.value(n, v); changed {
			return w, replaced
		}
	case n.Has&schema.Nullable != 0:
	case n.Default != nil:
		if f.fill {
			return made(n), replaced
		}
	case f.nulls:
		return nil, dropped
	}
	return v, kept
}

// clone copies m. Unlike maps.Clone it makes a nil map an empty one, which can be written to.
func clone(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

func (f filler) list(n *schema.Node, items []any) (out []any, changed bool) {
	out = items
	if n.Items == nil {
		return items, false
	}
	for i, v := range items {
		w, was := v, false
		if v != nil {
			w, was = f.value(n.Items, v)
		} else if f.fill && n.Items.Has&schema.Nullable == 0 && n.Items.Default != nil {
			w, was = made(n.Items), true
		}
		if !was {
			continue
		}
		if !changed {
			out, changed = slices.Clone(items), true
		}
		out[i] = w
	}
	return out, changed
}

// made returns a copy of n's default that has its own defaults filled in. Its nulls stay: they were written there (DEF-004).
func made(n *schema.Node) any {
	v := jsonval.Clone(n.Default)
	if n.Below&schema.HasDefault != 0 {
		v, _ = filler{fill: true}.value(n, v)
	}
	return v
}
