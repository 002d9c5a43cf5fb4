package settled

import (
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Scan judges one text. Take it from [New], and give it back with Release.
type Scan struct {
	data  []byte
	root  *Root
	depth int
	work  int // steps that are left for patterns and branches; none left is a no

	// Stacks of what the objects and lists have that the pass is in.
	others []span // keys that are no declared properties, or of nodes with many of those
	items  []span // items of sets, and keys of the items of maps

	hashes       []uint64 // of the items of one set or map
	unescaped    []byte
	meta         Meta
	spec, status int // where they begin, 0 if they are missing
	build        builder
}

// A span is a part of the text.
type span struct{ from, to int32 }

// A Root says what the text has to be.
type Root struct {
	Node             *plan.Node // of the whole object, an embedded resource to nobody
	Kind, APIVersion string     // a Kind that an embedded resource may have
	// DropsStatus says that a create drops the status, and that reading the object puts StatusDefault in its place, nil
	// for none. A status that is another one is a no.
	DropsStatus   bool
	StatusDefault any
	StatusText    []byte // StatusDefault as it is mostly written
}

const (
	// maxDepth is how deep lists and objects may be nested: less than package jsonscan reads, and than package verdict
	// looks.
	maxDepth = 400
	// maxWork is half of what package verdict has, so that it would say yes as well.
	maxWork = jsonval.MaxWork / 2
)

var scans = sync.Pool{New: func() any { return new(Scan) }}

// New returns a Scan of data, which must not be modified while it is in use.
func New(data []byte) *Scan {
	s := scans.Get().(*Scan)
	s.data, s.work, s.depth = data, maxWork, 0
	return s
}

// mostKept is the largest buffer that a Scan keeps for the next text.
const mostKept = 1 << 16

// Release says that s is not used any more, nor what it returned.
func (s *Scan) Release() {
	if s.build.used > 0 {
		s.build.release()
	}
	s.others, s.items, s.hashes, s.unescaped = kept(s.others), kept(s.items), kept(s.hashes), kept(s.unescaped)
	s.data, s.root, s.meta, s.spec, s.status = nil, nil, Meta{}, 0, 0
	scans.Put(s)
}

func kept[T any](buffer []T) []T {
	if uintptr(cap(buffer))*unsafe.Sizeof(*new(T)) > mostKept {
		return nil
	}
	return buffer[:0]
}

// Object reports whether the text is an object that root describes and that a server would store as it stands, but for
// its metadata, of which [Scan.Meta] has what was found.
func (s *Scan) Object(root *Root) bool {
	if len(s.data) > maxText || !utf8.Valid(s.data) {
		return false
	}
	s.root = root
	s.meta = Meta{}
	i := s.blank(0)
	if s.at(i) != '{' {
		return false
	}
	end := s.object(root.Node, i, stored, nil)
	return end != bad && s.blank(end) == len(s.data) && s.work > 0 && s.meta.end > 0
}

// maxText is what spans can have. A server takes less.
const maxText = 1 << 30

// decode returns the value in a part of the text that has been judged, nil if a key in it occurs twice.
func (s *Scan) decode(from, to int) any {
	v, _ := s.decoded(from, to)
	return v
}

// decodes reports whether the value in a part of the text has no key that occurs twice. It is for keys with escapes,
// which cannot be told apart by their text.
func (s *Scan) decodes(from, to int) bool {
	_, ok := s.decoded(from, to)
	return ok
}

// decodeWork is how many steps it takes to decode a byte.
const decodeWork = 4

func (s *Scan) decoded(from, to int) (v any, ok bool) {
	if s.work -= decodeWork * (to - from); s.work <= 0 {
		return nil, false
	}
	scanner := jsonscan.New(s.data[from:to])
	defer scanner.Release()
	v = scanner.Value()
	return v, scanner.End()
}
