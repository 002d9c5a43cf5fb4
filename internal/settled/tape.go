package settled

import (
	"encoding/binary"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
)

// This file has the tape, on which the walk along the schema writes where each value is, and what is made of it for
// rules: keys of values, and values with those parts that rules read.

// An element is a value of the text. The tape has all values that are described by the schema, each before those in it.
type element struct {
	prop     int32 // the index of the property that it is the value of, or -1
	from, to int32 // in the text
	next     int32 // the index of the element after those in it
}

// begin adds the value at i to the tape. p is the property that it is the value of, or nil.
func (s *Scan) begin(p *plan.Prop, i int) (at int) {
	prop := int32(-1)
	if p != nil {
		prop = int32(p.Index)
	}
	s.tape = append(s.tape, element{prop: prop, from: int32(i)})
	return len(s.tape) - 1
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

// kindOf returns a byte that is the same for all values of a kind, which start with such bytes.
func kindOf(start byte) byte {
	switch {
	case start == '-' || start >= '0' && start <= '9':
		return '0'
	case start == 'f':
		return 't'
	}
	return start
}

// appendKey appends what r reads of an element. Two elements of one place that have the same key are equal in all that r reads.
// A key that would be longer than ruleset.MaxKey is cut behind that length.
func (s *Scan) appendKey(key []byte, at int, r *eval.Reads) []byte {
	if s.reading--; len(key) > ruleset.MaxKey {
		return key
	}
	if r.Whole {
		e := &s.tape[at]
		size := e.to - e.from
		key = binary.LittleEndian.AppendUint32(key, uint32(size))
		return append(key, s.data[e.from:e.from+min(size, ruleset.MaxKey)]...)
	}
	start := s.start(at)
	key = append(key, kindOf(start))
	switch {
	case start == '{' && len(r.Props) > 0:
		for i, end := at+1, s.after(at); i < end; i = s.after(i) {
			s.reading--
			if reads := s.reads(r, i); reads != nil {
				key = s.appendKey(binary.LittleEndian.AppendUint16(key, uint16(s.tape[i].prop)+1), i, reads)
			}
		}
		return append(key, 0, 0) // no property
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

// reads returns what r reads of a member, or nil.
func (s *Scan) reads(r *eval.Reads, member int) *eval.Reads {
	prop := s.tape[member].prop
	if prop < 0 {
		return nil
	}
	return r.Prop(int(prop))
}

// count returns how many items a list has.
func (s *Scan) count(at int) (n int) {
	for i, end := at+1, s.after(at); i < end; i = s.after(i) {
		n++
	}
	s.reading -= n
	return n
}

// read decodes what r reads of an element. n describes it. The rest is missing, or is empty if it must be there.
func (s *Scan) read(n *plan.Node, at int, r *eval.Reads) any {
	e := &s.tape[at]
	if s.reading--; r.Whole {
		s.reading -= int(e.to - e.from)
		v, _ := s.whole(n, int(e.from))
		return v
	}
	switch kindOf(s.start(at)) {
	case '{':
		m := s.build.object()
		for i, end := at+1, s.after(at); i < end; i = s.after(i) {
			s.reading--
			if reads := s.reads(r, i); reads != nil {
				p := &n.Props[s.tape[i].prop]
				m[p.Name] = s.read(p.Node, i, reads)
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
	case '"':
		return ""
	case 't':
		return false
	case 'n':
		return nil
	}
	return int64(0)
}
