package settled

import (
	"encoding/binary"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
)

// This file has the tape, on which the walk records the position of each value. For rules, it makes keys from the tape,
// and decodes the parts of values that the rules read.

// An element is the position of a value in the text. The tape has an element for each value that the schema describes,
// in preorder.
type element struct {
	prop     int32 // the index of the value's field (see [plan.Node.FieldIndex]), or -1
	from, to int32 // in the text
	next     int32 // the index of the element after those in it
	closed   bool  // it is a field that every resource has; the values in it are not on the tape
}

// begin adds the value at i, which is not the value of a field, to the tape.
func (s *Scan) begin(i int) (at int) {
	s.tape = append(s.tape, element{prop: -1, from: int32(i)})
	return len(s.tape) - 1
}

// beginField adds the value at i to the tape. key is its key in an object that n describes, and p its property or nil.
func (s *Scan) beginField(n *plan.Node, p *plan.Prop, key string, i int) (at int) {
	at = s.begin(i)
	e := &s.tape[at]
	e.closed = n.IsResource() && plan.ResourceField(key)
	switch {
	case p != nil:
		e.prop = int32(p.Index)
	case e.closed:
		index, _ := n.FieldIndex(key)
		e.prop = int32(index)
	}
	return at
}

// finish completes an element whose value ended at end.
func (s *Scan) finish(at, end int) {
	e := &s.tape[at]
	e.to, e.next = int32(end), int32(len(s.tape))
}

// start returns the first byte of an element.
func (s *Scan) start(at int) byte { return s.data[s.tape[at].from] }

// after returns the index of the element after an element and those in it.
func (s *Scan) after(at int) int { return int(s.tape[at].next) }

// kind returns a byte for the kind of an element: t for booleans, 0 for integers, a dot for other numbers, and
// otherwise its first byte.
func (s *Scan) kind(at int) byte {
	switch c := s.start(at); {
	case c == 'f':
		return 't'
	case c == '-' || c >= '0' && c <= '9':
		if x, _ := s.number(int(s.tape[at].from)); x.whole {
			return '0'
		}
		return '.'
	default:
		return c
	}
}

// appendKey appends the parts of an element that r reads. If two elements of the same node have the same key, these
// parts are equal. A key longer than ruleset.MaxKey may be incomplete.
func (s *Scan) appendKey(key []byte, at int, r *eval.Reads) []byte {
	if s.reading--; len(key) > ruleset.MaxKey {
		return key
	}
	e := &s.tape[at]
	if s.isMetadata(e) {
		key = append(append(key, s.meta.Name...), 0)
		return append(append(key, s.meta.GenerateName...), 0)
	}
	if r.Whole || e.closed {
		size := e.to - e.from
		key = binary.LittleEndian.AppendUint32(key, uint32(size))
		return append(key, s.data[e.from:e.from+min(size, ruleset.MaxKey)]...)
	}
	start := s.start(at)
	key = append(key, s.kind(at))
	switch {
	case start == '{' && len(r.Props) > 0:
		for i, end := at+1, s.after(at); i < end; i = s.after(i) {
			s.reading--
			if reads := s.reads(r, i); reads != nil {
				key = s.appendKey(binary.LittleEndian.AppendUint32(key, uint32(s.tape[i].prop)+1), i, reads)
			}
		}
		return append(key, 0, 0, 0, 0) // no property
	case start == '[' && r.Items != nil:
		for i, end := at+1, s.after(at); i < end; i = s.after(i) {
			key = s.appendKey(append(key, ','), i, r.Items)
		}
		return append(key, ']')
	case start == '[' && r.Size:
		return binary.LittleEndian.AppendUint32(key, uint32(s.count(at)))
	}
	return key
}

// isMetadata reports whether e is the metadata of the whole object, of which the rules read only the names.
func (s *Scan) isMetadata(e *element) bool {
	return s.namesOnly && e.closed && int(e.from) == s.meta.start
}

// reads returns the reads of a member in r, or nil.
func (s *Scan) reads(r *eval.Reads, member int) *eval.Reads {
	prop := s.tape[member].prop
	if prop < 0 {
		return nil
	}
	return r.Prop(int(prop))
}

// count returns the number of items of a list.
func (s *Scan) count(at int) (n int) {
	for i, end := at+1, s.after(at); i < end; i = s.after(i) {
		n++
	}
	s.reading -= n
	return n
}

// read decodes the parts that r reads of an element, which n describes. Other fields are missing, and other items are
// nil.
func (s *Scan) read(n *plan.Node, at int, r *eval.Reads) any {
	e := &s.tape[at]
	if s.isMetadata(e) {
		return s.names()
	}
	if s.reading--; r.Whole || e.closed {
		s.reading -= int(e.to - e.from)
		v, _ := s.whole(n, int(e.from))
		return v
	}
	switch s.start(at) {
	case '{':
		m := s.build.object()
		for i, end := at+1, s.after(at); i < end; i = s.after(i) {
			s.reading--
			if reads := s.reads(r, i); reads != nil {
				name := n.FieldName(int(s.tape[i].prop))
				child, _ := n.Child(name)
				m[name] = s.read(child, i, reads)
			}
		}
		return m
	case '[':
		mark := len(s.build.stack)
		if r.Items != nil || r.Size {
			for i, end := at+1, s.after(at); i < end; i = s.after(i) {
				var item any
				if s.reading--; r.Items != nil {
					item = s.read(n.Items, i, r.Items)
				}
				s.build.stack = append(s.build.stack, item)
			}
		}
		return s.build.list(mark)
	}
	v, _ := s.whole(n, int(e.from))
	return v
}

// names returns the names in the metadata of the whole object.
func (s *Scan) names() map[string]any {
	m := s.build.object()
	if s.meta.Name != "" {
		m["name"] = s.meta.Name
	}
	if s.meta.GenerateName != "" {
		m["generateName"] = s.meta.GenerateName
	}
	return m
}
