package settled

import (
	"strings"

	"github.com/crdkit/crdkit/internal/plan"
)

// This file decodes values for rules.

// A builder allocates the values. It reuses the maps and lists of the last value, which are no longer in use.
type builder struct {
	maps  []map[string]any
	used  int   // how many of maps are in use
	slab  []any // room for lists
	stack []any // items of lists that are not complete
}

// The limits of what a builder keeps for the next value.
const (
	maxMaps  = 1 << 12
	maxKeys  = 32 // in a map
	maxItems = 1 << 12
)

// release ends the use of all values.
func (b *builder) release() {
	for i, m := range b.maps[:b.used] {
		if len(m) > maxKeys {
			b.maps[i] = map[string]any{}
		} else {
			clear(m)
		}
	}
	if len(b.maps) > maxMaps {
		b.maps = nil
	}
	b.used = 0
	if cap(b.slab) > maxItems || cap(b.stack) > maxItems {
		b.slab, b.stack = nil, nil
	}
	clear(b.slab)
	b.slab = b.slab[:0]
}

func (b *builder) object() map[string]any {
	if b.used == len(b.maps) {
		b.maps = append(b.maps, make(map[string]any))
	}
	b.used++
	return b.maps[b.used-1]
}

// list pops the values from the stack that were pushed since mark, and returns them as a list.
func (b *builder) list(mark int) []any {
	items := b.stack[mark:]
	if cap(b.slab)-len(b.slab) < len(items) {
		b.slab = make([]any, 0, max(2*cap(b.slab), len(items), 64))
	}
	from := len(b.slab)
	b.slab = append(b.slab, items...)
	clear(items)
	b.stack = b.stack[:mark]
	return b.slab[from:len(b.slab):len(b.slab)]
}

// own returns the string between the quotes at i and end. It is valid as long as the Scan is in use.
func (s *Scan) own(i, end int, escaped bool) string {
	text := s.text(i, end, escaped)
	if escaped {
		return strings.Clone(text)
	}
	return text
}

// whole decodes the value at i, which n describes. n may be nil.
func (s *Scan) whole(n *plan.Node, i int) (v any, end int) {
	switch s.at(i) {
	case '"':
		end, escaped := s.quoted(i)
		return s.own(i, end, escaped), end + 1
	case '{':
		return s.wholeObject(n, i)
	case '[':
		return s.wholeList(n, i)
	case 't':
		return true, i + len("true")
	case 'f':
		return false, i + len("false")
	case 'n':
		return nil, i + len("null")
	}
	x, end := s.number(i)
	if !x.whole {
		return x.f, end
	}
	return x.i, end
}

func (s *Scan) wholeObject(n *plan.Node, i int) (v any, end int) {
	m := s.build.object()
	i, more := s.enter(i, '}')
	for more {
		end, escaped, value := s.key(i)
		key := s.text(i, end, escaped)
		var child *plan.Node
		var p *plan.Prop
		if n != nil {
			child, p = n.Additional, n.Prop(key)
		}
		if p != nil {
			child, key = p.Node, p.Name
		} else {
			key = s.own(i, end, escaped)
		}
		m[key], i = s.whole(child, value)
		i, more = s.next(i, '}')
	}
	return m, i
}

func (s *Scan) wholeList(n *plan.Node, i int) (v any, end int) {
	var child *plan.Node
	if n != nil {
		child = n.Items
	}
	mark := len(s.build.stack)
	i, more := s.enter(i, ']')
	for more {
		v, i = s.whole(child, i)
		s.build.stack = append(s.build.stack, v)
		i, more = s.next(i, ']')
	}
	return s.build.list(mark), i
}
