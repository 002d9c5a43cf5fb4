package settled

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/plan"
)

// This file decodes what the rules of a schema may read: values with rules as a whole, and only the path to them of the
// values above.

// A builder allocates the values. It reuses the maps and lists of the last text, which are no longer in use.
type builder struct {
	maps   []map[string]any
	used   int      // how many of maps are in use
	slab   []any    // room for lists
	source string   // a copy of the text that strings share; empty until the first one
	values [512]any // short strings of this text by hash: the last one with that hash
	filled []uint16 // the indexes of those
	stack  []any    // items of lists that are not complete
}

// What a builder keeps for the next text.
const (
	mostMaps  = 1 << 12
	mostKeys  = 32 // of a map
	mostItems = 1 << 12
	longText  = 64 // of a string
)

// Texts that are longer than longSource are not copied as a whole: each string is.
const longSource = 1 << 16

func (b *builder) release() {
	for i, m := range b.maps[:b.used] {
		if len(m) > mostKeys {
			b.maps[i] = map[string]any{}
		} else {
			clear(m)
		}
	}
	if len(b.maps) > mostMaps {
		b.maps = nil
	}
	b.used = 0
	if cap(b.slab) > mostItems || cap(b.stack) > mostItems {
		b.slab, b.stack = nil, nil
	}
	b.source = ""
	for _, i := range b.filled {
		b.values[i] = nil
	}
	clear(b.slab)
	b.slab, b.filled = b.slab[:0], b.filled[:0]
}

func (b *builder) object() map[string]any {
	if b.used == len(b.maps) {
		b.maps = append(b.maps, make(map[string]any))
	}
	b.used++
	return b.maps[b.used-1]
}

// list returns the values that were put on the stack since mark.
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

// value returns text as an interface value, often one that is already allocated.
func (b *builder) value(text string) any {
	n := len(text)
	if n == 0 || n > longText {
		return text
	}
	h := uint32(n)*0x9E3779B1 ^ uint32(text[0])*0x85EBCA6B ^ uint32(text[n-1])*0xC2B2AE35 ^ uint32(text[n>>1])*0x27D4EB2F
	i := uint16(h >> 23)
	known, ok := b.values[i].(string)
	if ok && known == text {
		return b.values[i]
	}
	if !ok {
		b.filled = append(b.filled, i)
	}
	b.values[i] = text
	return b.values[i]
}

// own returns the string between the quotes at i and end. It shares nothing with the text.
func (s *Scan) own(i, end int, escaped bool) string {
	if escaped || len(s.data) > longSource {
		return strings.Clone(s.text(i, end, escaped))
	}
	if s.build.source == "" {
		s.build.source = string(s.data)
	}
	return s.build.source[i+1 : end]
}

// Ruled returns those parts of the text's object that rules read. [Scan.Object] must have accepted it. If name is not
// empty, its metadata has that name. The result is valid until the Scan is released.
func (s *Scan) Ruled(name string) map[string]any {
	v, _ := s.ruled(s.root.Node, s.blank(0))
	obj := v.(map[string]any)
	if s.root.DropsStatus {
		delete(obj, "status")
	}
	if meta, ok := obj["metadata"].(map[string]any); ok && name != "" {
		meta["name"] = name
	}
	return obj
}

func (s *Scan) ruled(n *plan.Node, i int) (v any, end int) {
	if len(n.Rules) > 0 {
		return s.whole(n, i)
	}
	switch s.at(i) {
	case '{':
		return s.ruledObject(n, i, nil)
	case '[':
		if n.Items != nil {
			return s.ruledList(n, i)
		}
	}
	return s.whole(n, i)
}

// ruledObject decodes what rules read of an object. If it is an item of a list map, keys are the list map keys, which
// correlate it with an old item.
func (s *Scan) ruledObject(n *plan.Node, i int, keys []string) (v any, end int) {
	if len(n.Props) > 0 && n.Additional != nil {
		return s.whole(n, i)
	}
	m := s.build.object()
	i, more := s.enter(i, '}')
	for more {
		at := i
		end, escaped, value := s.key(at)
		key := s.text(at, end, escaped)
		child, declared := n.Additional, false
		if p := n.Prop(key); p != nil {
			child, declared, key = p.Node, true, p.Name
		}
		switch {
		case declared && slices.Contains(keys, key):
			m[key], i = s.whole(child, value)
		case child == nil || child.Below&plan.HasRules == 0:
			i = s.skip(value)
		default:
			if !declared {
				key = s.own(at, end, escaped)
			}
			m[key], i = s.ruled(child, value)
		}
		i, more = s.next(i, '}')
	}
	return m, i
}

func (s *Scan) ruledList(n *plan.Node, i int) (v any, end int) {
	mark := len(s.build.stack)
	i, more := s.enter(i, ']')
	for more {
		if n.List == plan.ListMap && len(n.Items.Rules) == 0 {
			v, i = s.ruledObject(n.Items, i, n.ListMapKeys)
		} else {
			v, i = s.ruled(n.Items, i)
		}
		s.build.stack = append(s.build.stack, v)
		i, more = s.next(i, ']')
	}
	return s.build.list(mark), i
}

// whole decodes a value. n describes it, or is nil.
func (s *Scan) whole(n *plan.Node, i int) (v any, end int) {
	switch s.at(i) {
	case '"':
		end, escaped := s.quoted(i)
		return s.build.value(s.own(i, end, escaped)), end + 1
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

// HasStatus reports whether the text's object has a status.
func (s *Scan) HasStatus() bool { return s.status != 0 }

// Integer reports whether the value at a path in the text's object is an integer of that range, or missing or null.
func (s *Scan) Integer(path []string, least, most int64) bool {
	i, found, ok := s.member(path)
	if !found {
		return ok
	}
	x, end := s.number(i)
	return end != bad && x.whole && x.i >= least && x.i <= most
}

// String reports whether the value at a path in the text's object is a string, or missing.
func (s *Scan) String(path []string) bool {
	i, found, ok := s.member(path)
	return ok && (!found || s.at(i) == '"')
}

// member returns the offset of the value at a path. ok is false if a value above it is not an object.
func (s *Scan) member(path []string) (i int, found, ok bool) {
	i = s.blank(0)
	for at, key := range path {
		if at == 0 && (key == "spec" || key == "status") {
			place := s.spec
			if key == "status" {
				place = s.status
			}
			if i = place; i == 0 || key == "status" && s.root.DropsStatus {
				return 0, false, true
			}
			continue
		}
		if s.at(i) == 'n' {
			return 0, false, true
		}
		if s.at(i) != '{' {
			return 0, false, false
		}
		if i = s.find(i, key); i == bad {
			return 0, false, true
		}
	}
	return i, true, true
}

// find returns the offset of the value of key in the object at i, or bad.
func (s *Scan) find(i int, key string) int {
	i, more := s.enter(i, '}')
	for more {
		end, escaped, value := s.key(i)
		if s.text(i, end, escaped) == key {
			return value
		}
		i, more = s.next(s.skip(value), '}')
	}
	return bad
}
