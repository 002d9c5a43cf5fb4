package field

import (
	"strconv"
	"strings"
)

// A Segment is one element of a path: the key of an object, or the index of a list.
type Segment struct {
	Key     string // of a property or a map entry; empty if IsIndex
	Index   int    // of a list item, from 0
	IsIndex bool
}

// A Path is the path of a value in an object or a document, for the text of an error. A nil *Path is the root, and
// prints as <nil>. Paths are immutable: Child, Index and Key return a new path that shares the old one.
type Path struct {
	parent *Path
	name   string
	index  int
	kind   segmentKind
}

type segmentKind uint8

const (
	child segmentKind = iota // .name
	key                      // [name]
	index                    // [0]
)

// NewPath returns the path of the named properties, starting at the root. Without names it is the root, nil.
//
//go:noinline
func NewPath(names ...string) *Path {
	var p *Path
	for _, n := range names {
		p = p.Child(n)
	}
	return p
}

// Child returns the path of the property name below p. It prints as .name, or as name if p is the root. The property
// with the empty name prints as [], as on a server.
//
//go:noinline
func (p *Path) Child(name string) *Path {
	if name == "" {
		return p.Key(name)
	}
	return &Path{parent: p, name: name}
}

// Key returns the path of the entry k of the map at p. It prints as [k], without escapes.
//
//go:noinline
func (p *Path) Key(k string) *Path { return &Path{parent: p, name: k, kind: key} }

// Index returns the path of item i of the list at p. It prints as [i].
//
//go:noinline
func (p *Path) Index(i int) *Path { return &Path{parent: p, index: i, kind: index} }

// String returns the path as a server prints it: spec.items[7].labels[a/b].
func (p *Path) String() string {
	if p == nil {
		return "<nil>"
	}
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *Path) write(b *strings.Builder) {
	if p.parent != nil {
		p.parent.write(b)
	}
	switch p.kind {
	case child:
		if p.parent != nil {
			b.WriteByte('.')
		}
		b.WriteString(p.name)
	case key:
		b.WriteByte('[')
		b.WriteString(p.name)
		b.WriteByte(']')
	case index:
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(p.index))
		b.WriteByte(']')
	}
}

// PathOf returns the path with the segments, starting at the root, as [Path.Segments] returns them: keys are those of
// properties. It is nil without any.
func PathOf(segments ...Segment) *Path {
	var p *Path
	for _, s := range segments {
		if s.IsIndex {
			p = p.Index(s.Index)
		} else {
			p = p.Child(s.Key)
		}
	}
	return p
}

// Segments returns the segments of the path, starting at the root. They are nil for the root itself.
//
//go:noinline
func (p *Path) Segments() []Segment {
	n := 0
	for q := p; q != nil; q = q.parent {
		n++
	}
	if n == 0 {
		return nil
	}
	segments := make([]Segment, n)
	for q := p; q != nil; q = q.parent {
		n--
		if q.kind == index {
			segments[n] = Segment{Index: q.index, IsIndex: true}
		} else {
			segments[n] = Segment{Key: q.name}
		}
	}
	return segments
}
