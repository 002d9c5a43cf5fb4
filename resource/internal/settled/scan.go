package settled

import (
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Scan checks one text. [New] returns one, and Release returns it for reuse.
type Scan struct {
	data  []byte
	root  *Root
	depth int
	work  int // steps left for patterns and branches; if none is left, Object returns false

	// Stacks for the objects and lists around the current position.
	others []span // keys that are not declared properties, and all keys of nodes with many properties
	items  []span // items of sets, and values of the list map keys of list maps

	unescaped    []byte
	meta         Meta
	spec, status int // their offsets, 0 if they are missing

	// For rules.
	records bool // the tape is written
	tape    []element
	build   builder
	keys    []byte
	reading int // the number of bytes that may still be read for rules
	// namesOnly: the rules that are evaluated read only the names in the metadata.
	namesOnly bool
}

// A span is a part of the text.
type span struct{ from, to int32 }

// A Root describes what the text must be.
type Root struct {
	Node             *plan.Node // of the whole object
	Kind, APIVersion string     // the object's; Kind is valid for an embedded resource, too
	// DropsStatus says that a create drops the status, and that reading the object sets it to StatusDefault, or to
	// nothing if that is nil. Objects with another status are not accepted.
	DropsStatus   bool
	StatusDefault any
	StatusText    []byte // StatusDefault in its most likely form, to compare before decoding
}

const (
	// maxDepth limits the nesting of lists and objects. It is below the limits of the packages jsonscan and validity.
	maxDepth = 400
	// maxWork is half the limit of package validity, so that validity would not run out of work for the same object.
	maxWork = jsonval.MaxWork / 2
)

var scans = sync.Pool{New: func() any { return new(Scan) }}

// New returns a Scan of data, which must not be modified while it is in use.
func New(data []byte) *Scan {
	s := scans.Get().(*Scan)
	s.data, s.work, s.depth = data, maxWork, 0
	return s
}

// maxKept is the largest buffer that a Scan keeps for the next text.
const maxKept = 1 << 19

// Release returns s for reuse. Nothing that it returned may be used afterwards.
func (s *Scan) Release() {
	s.others, s.items, s.unescaped = kept(s.others), kept(s.items), kept(s.unescaped)
	s.tape, s.keys = kept(s.tape), kept(s.keys)
	s.data, s.root, s.meta, s.spec, s.status = nil, nil, Meta{}, 0, 0
	scans.Put(s)
}

func kept[T any](buffer []T) []T {
	if uintptr(cap(buffer))*unsafe.Sizeof(*new(T)) > maxKept {
		return nil
	}
	return buffer[:0]
}

// Object reports whether the text is an object that root describes and that a server would store unchanged, apart from
// its metadata, which [Scan.Meta] describes.
func (s *Scan) Object(root *Root) bool {
	if len(s.data) > maxText || !utf8.Valid(s.data) {
		return false
	}
	s.root = root
	s.meta, s.tape = Meta{}, s.tape[:0]
	i := s.skipSpace(0)
	if s.at(i) != '{' {
		return false
	}
	if s.records = root.Node.Below&plan.HasRules != 0; s.records {
		s.begin(i)
	}
	end := s.object(root.Node, i, stored, nil)
	if s.records && end != bad {
		s.finish(0, end)
	}
	return end != bad && s.skipSpace(end) == len(s.data) && s.work > 0 && s.meta.end > 0
}

// maxText is the maximum size of a text. Spans can address it, and a server's limit is lower.
const maxText = 1 << 30

// decodeWork is the cost of decoding a byte, in steps.
const decodeWork = 4

// decode returns the value in a part of the text that has been checked, nil if it has a duplicate key.
func (s *Scan) decode(from, to int) any {
	if s.work -= decodeWork * (to - from); s.work <= 0 {
		return nil
	}
	scanner := jsonscan.New(s.data[from:to])
	defer scanner.Release()
	if v := scanner.Value(); scanner.End() {
		return v
	}
	return nil
}
