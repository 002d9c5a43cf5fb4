package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/unstructured"
)

// MaxObject is the maximum size of the text of an object in bytes. That is more than a server accepts, since indented
// text is longer. A larger object is skipped, and counts as damaged.
const MaxObject = 16 << 20

// Objects returns the objects of a stream as JSON. The stream is any of these, with or without a byte order mark:
//
//   - JSON objects, one after another, with or without blanks or lines of three dashes between them: one object, or
//     NDJSON;
//   - a JSON array of objects;
//   - a list, which is an object with an array items: what kubectl get -o json prints. If it has a kind before its
//     items, that ends with List. There may be several lists;
//   - documents of YAML, each an object or a list.
//
// It holds one object at a time, or one document of YAML. The iterator reuses the text of an object for the next one.
// What cannot be read is an error with its position in bytes, and reading goes on behind it: at the next line that
// begins an object, or, in a list, at the next object that has apiVersion as its first key, a kind and metadata. It
// ends with the stream, or with the first error of r. Null and empty documents are skipped.
func Objects(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := &stream{r: r, yield: yield}
		s.run()
	}
}

// A stream reads objects.
type stream struct {
	r       io.Reader
	yield   func([]byte, error) bool
	stopped bool // yield has returned false

	buffer []byte // what has been read and not discarded
	at     int    // in the buffer
	base   int64  // position of the buffer's beginning
	failed error  // of r; io.EOF at its end

	rescanned int64 // how many bytes were read again after damage
}

const chunk = 64 << 10

// more reads on. It reports whether there is another byte. It may discard what is before mark: then places in the
// buffer move by the number that it returns.
func (s *stream) more(mark int) (moved int, ok bool) {
	if s.failed != nil {
		return 0, false
	}
	if mark > 0 && len(s.buffer)+chunk > cap(s.buffer) {
		n := copy(s.buffer, s.buffer[mark:])
		s.buffer, s.base, moved = s.buffer[:n], s.base+int64(mark), mark
		if cap(s.buffer) > 4*MaxObject/3 && n < chunk {
			s.buffer = bytes.Clone(s.buffer)
		}
	}
	if cap(s.buffer)-len(s.buffer) < chunk/2 {
		grown := make([]byte, len(s.buffer), 2*cap(s.buffer)+2*chunk)
		copy(grown, s.buffer)
		s.buffer = grown
	}
	for range 100 {
		n, err := s.r.Read(s.buffer[len(s.buffer):cap(s.buffer)])
		s.buffer = s.buffer[:len(s.buffer)+n]
		s.failed = err
		if n > 0 {
			return moved, true
		}
		if err != nil {
			return moved, false
		}
	}
	s.failed = io.ErrNoProgress
	return moved, false
}

// peek returns the byte at s.at. It may discard what is before that. ok is false at the end.
func (s *stream) peek() (c byte, ok bool) {
	if s.at == len(s.buffer) {
		moved, more := s.more(s.at)
		if s.at -= moved; !more {
			return 0, false
		}
	}
	return s.buffer[s.at], true
}

// blanks takes blanks, and what may stand between objects in others.
func (s *stream) blanks(others string) (c byte, ok bool) {
	for {
		if c, ok = s.peek(); !ok || bytes.IndexByte([]byte(" \t\r\n"), c) < 0 && bytes.IndexByte([]byte(others), c) < 0 {
			return c, ok
		}
		s.at++
	}
}

// position is that of s.at in the stream.
func (s *stream) position() int64 { return s.base + int64(s.at) }

func (s *stream) object(text []byte) {
	if !s.stopped && !s.yield(text, nil) {
		s.stopped = true
	}
}

func (s *stream) damage(position int64, err error) {
	if !s.stopped && !s.yield(nil, fmt.Errorf("at byte %d: %w", position, err)) {
		s.stopped = true
	}
}

func (s *stream) run() {
	for len(s.buffer) < 3 {
		if _, ok := s.more(0); !ok {
			break
		}
	}
	if bytes.HasPrefix(s.buffer, []byte("\uFEFF")) {
		s.at = 3
	}
	switch c, ok := s.blanks("\x1e"); {
	case !ok:
	case c == '{', c == '[':
		s.values()
	default:
		s.documents()
	}
	if s.failed != nil && !errors.Is(s.failed, io.EOF) {
		s.damage(s.base+int64(len(s.buffer)), s.failed)
	}
}

// values reads JSON values one after another.
func (s *stream) values() {
	listed := false // The last value was a list or an array.
	for !s.stopped {
		c, ok := s.blanks("\x1e")
		switch {
		case !ok:
			return
		case c == '{':
			listed = s.value()
		case c == '[':
			s.at++
			s.items(false, false)
			listed = true
		case c == '-' && s.dashes():
		default:
			s.damage(s.position(), fmt.Errorf("%q instead of an object", c))
			switch {
			case !listed:
				s.nextLine()
			case s.resync(): // The list did not end there.
				s.items(true, true)
			}
		}
	}
}

// dashes takes a line of three dashes.
func (s *stream) dashes() bool {
	for len(s.buffer)-s.at < 4 {
		moved, ok := s.more(s.at)
		if s.at -= moved; !ok {
			break
		}
	}
	if rest := s.buffer[s.at:]; !bytes.HasPrefix(rest, []byte("---")) || len(rest) > 3 && rest[3] > ' ' {
		return false
	}
	s.at += 3
	return true
}

// nextLine goes behind the next line break.
func (s *stream) nextLine() {
	if s.seek([]byte("\n")) {
		s.at++
	}
}

// blanksKept is how much of what stands before a place is kept by seek: blanks, as resync looks for a bracket there.
const blanksKept = 256

// seek goes to the next place with that text, or to the end.
func (s *stream) seek(text []byte) bool {
	for {
		if i := bytes.Index(s.buffer[s.at:], text); i >= 0 {
			s.at += i
			return true
		}
		keep := max(s.at, len(s.buffer)-len(text)+1)
		moved, ok := s.more(max(keep-blanksKept, 0))
		if s.at = keep - moved; !ok {
			s.at = len(s.buffer)
			return false
		}
	}
}

// value reads an object at the top: one object, or a list.
func (s *stream) value() (isList bool) {
	e := s.extent()
	e.watch = true
	switch e.run() {
	case whole:
		s.at = e.i
		s.object(s.buffer[e.start:e.i])
		return false
	case atItems:
		s.at = e.i
		s.items(true, false)
		return true
	case tooLong:
		s.at = e.i
		s.damage(e.position, e.err)
		return false
	}
	s.damage(e.position, e.err)
	// The next object begins with a line: that of the damage itself may be one further on.
	if s.at = max(e.start, 0); s.seek([]byte("\n{")) {
		s.at++
	}
	return false
}

// items reads the items of an array whose bracket has been taken. If it is one of a list, it goes on to the list's end.
// It is unsure behind damage: brackets may be those of another array.
func (s *stream) items(list, unsure bool) {
	for !s.stopped {
		c, ok := s.blanks(",") // If it is no object, the next one is found.
		switch {
		case !ok:
			if !unsure {
				s.damage(s.position(), io.ErrUnexpectedEOF)
			}
			return
		case c == ']' && unsure:
			if !s.resync() {
				return
			}
		case c == ']':
			s.at++
			if s.ends(list) || !s.resync() {
				return
			}
			unsure = true
		case c != '{':
			if !unsure {
				s.damage(s.position(), fmt.Errorf("%q instead of an object", c))
			}
			unsure = true
			if !s.resync() {
				return
			}
		}
		e := s.extent()
		e.limited = true
		if e.run() == whole {
			s.at = e.i
			s.object(s.buffer[e.start:e.i])
			continue
		}
		s.damage(e.position, e.err)
		unsure = true
		s.at = e.resume(e.start + 1)
		if !s.resync() {
			return
		}
	}
}

// ends takes what follows the last item of an array or of a list. It reports whether that is an end.
func (s *stream) ends(list bool) bool {
	if !list {
		c, ok := s.blanks("")
		if ok && c == ',' {
			s.damage(s.position(), fmt.Errorf("%q behind an array", c))
		}
		return !ok || c != ','
	}
	e := s.extent()
	e.open, e.last = []byte{'{'}, ']'
	f := e.run()
	if s.at = e.i; f == damaged {
		s.damage(s.position(), e.err)
	}
	return f != damaged
}

// resync goes to the next place that looks like the beginning of an object in a list: one with a kind and metadata,
// whose first key is apiVersion, as in what servers and kubectl write. It reports whether there is one.
func (s *stream) resync() bool {
	for s.seek([]byte(`"apiVersion"`)) {
		key := s.at
		begin := key - 1
		for begin >= 0 && s.buffer[begin] <= ' ' {
			begin--
		}
		if begin < 0 || s.buffer[begin] != '{' {
			s.at++
			continue
		}
		s.at = begin
		e := s.extent()
		e.watch, e.notAList, e.limited = true, true, true
		if e.run() == whole && e.kind && e.metadata {
			s.at = e.start
			return true
		}
		s.at = e.resume(e.start + key - begin + 1)
	}
	return false
}

// An extent finds the end of a JSON object. It looks at strings and brackets, and at what cannot stand between them, so
// that it notices damage soon. What the values are is for their reader to say.
type extent struct {
	*stream
	start, i int   // in the buffer
	position int64 // of start in the stream
	open     []byte
	last     byte // the last byte that was no blank, key, or word; a quote behind a string
	err      error

	limited        bool // to MaxObject: it goes no further
	watch          bool // for keys of the object
	notAList       bool
	kind, metadata bool   // there are such keys
	key            []byte // the last one
	from           int    // where the last string begins
}

// extent returns that of what begins at s.at.
func (s *stream) extent() *extent {
	return &extent{stream: s, start: s.at, i: s.at, position: s.position()}
}

// found is what an extent ends with.
type found uint8

const (
	damaged found = iota
	whole
	tooLong // but whole
	atItems // behind the bracket of a list's items
)

func (e *extent) fail(format string, args ...any) found {
	e.err = fmt.Errorf(format, args...)
	return damaged
}

// resume returns where to look for the next object after damage: at a place behind the beginning, since one that lacks
// a bracket takes those behind it for parts of itself. If too much has been read again already, it is a little before
// the place where the damage was noticed.
func (e *extent) resume(place int) int {
	const mostRescans, most = 8, 64
	again := int64(e.i - place)
	if e.rescanned+again <= mostRescans*(e.base+int64(len(e.buffer))) {
		e.rescanned += again
		return place
	}
	return max(place, e.i-most)
}

// fill makes sure that there is a byte at e.i.
func (e *extent) fill() bool {
	if e.i < len(e.buffer) {
		return true
	}
	mark := max(e.start, 0)
	if e.i-e.start > MaxObject {
		if e.limited {
			e.err = errTooLong
			return false
		}
		mark = e.i // it is not kept any more
	}
	moved, ok := e.more(mark)
	e.i, e.start, e.from = e.i-moved, e.start-moved, e.from-moved
	return ok
}

func (e *extent) run() found {
	for e.fill() {
		c := e.buffer[e.i]
		switch c {
		case ' ', '\t', '\r', '\n':
			e.i++
			continue
		case '{', '[':
			if !e.takesValue() {
				return e.fail("invalid character %q", c)
			}
			e.open = append(e.open, c)
			e.i++
			if e.watch && !e.notAList && c == '[' && len(e.open) == 2 && string(e.key) == "items" {
				return atItems
			}
			if len(e.open) > maxNested {
				return e.fail("nested too deep")
			}
		case '}', ']':
			if len(e.open) == 0 || e.open[len(e.open)-1] != c-2 || e.last != c-2 && !e.hasValue() {
				return e.fail("invalid character %q", c)
			}
			e.open = e.open[:len(e.open)-1]
			e.i++
			if len(e.open) == 0 {
				if e.i-e.start > MaxObject {
					e.err = errTooLong
					return tooLong
				}
				return whole
			}
		case '"':
			isKey := e.takesKey()
			if !isKey && !e.takesValue() {
				return e.fail("invalid character %q", c)
			}
			if !e.string(isKey) {
				return damaged
			}
			if isKey {
				c = key
			}
		case ',':
			if !e.hasValue() {
				return e.fail("invalid character %q", c)
			}
			e.i++
		case ':':
			if e.last != key {
				return e.fail("invalid character %q", c)
			}
			e.i++
		default:
			if e.last != word && !e.takesValue() || !wordByte(c) {
				return e.fail("invalid character %q", c)
			}
			e.i++
			c = word
		}
		e.last = c
	}
	return e.ended()
}

// ended says why there is no other byte.
func (e *extent) ended() found {
	switch {
	case e.err != nil:
	case e.failed != nil && !errors.Is(e.failed, io.EOF):
		e.err = e.failed
	default:
		e.err = io.ErrUnexpectedEOF
	}
	return damaged
}

var errTooLong = fmt.Errorf("the object has more than %d bytes", MaxObject)

// What last is behind a key, and behind a word or a number.
const (
	key  = 'k'
	word = 'w'
)

// takesKey reports whether a key may come next.
func (e *extent) takesKey() bool {
	return len(e.open) > 0 && e.open[len(e.open)-1] == '{' && (e.last == '{' || e.last == ',')
}

// takesValue reports whether a value may come next.
func (e *extent) takesValue() bool {
	return len(e.open) == 0 || e.last == ':' || e.open[len(e.open)-1] == '[' && (e.last == '[' || e.last == ',')
}

// hasValue reports whether a value has just ended.
func (e *extent) hasValue() bool {
	return e.last == '"' || e.last == word || e.last == '}' || e.last == ']'
}

// maxNested is how deep an object may be nested that a server can decode.
const maxNested = 10_000

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// string takes a string, which is a key or not.
func (e *extent) string(isKey bool) bool {
	top := e.watch && len(e.open) == 1
	e.i++
	e.from = e.i
	for e.fill() {
		if e.i = jsonscan.Plain(e.buffer, e.i); e.i == len(e.buffer) {
			continue
		}
		switch e.buffer[e.i] {
		case '\n':
			e.fail("a line break in a string")
			return false
		case '\\':
			e.i++
			if !e.fill() {
				e.ended()
				return false
			}
			e.i++
		case '"':
			if top && e.from >= 0 {
				e.note(e.buffer[e.from:e.i], isKey)
			}
			e.i++
			return true
		default:
			e.i++ // another control character, which the reader of the object refuses
		}
	}
	e.ended()
	return false
}

// note takes note of a key of the object, or of a string that is a member.
func (e *extent) note(text []byte, isKey bool) {
	switch {
	case isKey:
		e.key = append(e.key[:0], text[:min(len(text), 16)]...)
		e.kind, e.metadata = e.kind || string(text) == "kind", e.metadata || string(text) == "metadata"
	case string(e.key) == "kind":
		e.notAList = e.notAList || !bytes.HasSuffix(text, []byte("List"))
	}
}

// documents reads documents of YAML.
func (s *stream) documents() {
	for more := true; more && !s.stopped; {
		position := s.position()
		var text []byte
		var long bool
		if text, long, more = s.document(); long {
			s.damage(position, fmt.Errorf("the document has more than %d bytes", MaxObject))
		} else {
			s.yaml(text, position)
		}
	}
}

// document takes the text up to the next line of dashes or dots, which belongs to the document behind it. A document
// that is too long is discarded while it is read. more is false at the end of the stream.
func (s *stream) document() (text []byte, long, more bool) {
	line, midLine := s.at, false // where the current line begins
	for {
		i := bytes.IndexByte(s.buffer[line:], '\n')
		if i < 0 {
			if len(s.buffer)-s.at > MaxObject {
				long, midLine = true, true
				s.at, line = len(s.buffer), len(s.buffer)
			}
			moved, ok := s.more(s.at)
			s.at, line = s.at-moved, line-moved
			if ok {
				continue
			}
			text = s.buffer[s.at:]
			s.at = len(s.buffer)
			return text, long, false
		}
		if !midLine && line > s.at && isSeparator(s.buffer[line:line+i]) {
			text = s.buffer[s.at:line]
			s.at = line
			return text, long, true
		}
		midLine = false
		line += i + 1
	}
}

func isSeparator(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))) && (len(line) == 3 || line[3] <= ' ')
}

// yaml reads one document.
func (s *stream) yaml(text []byte, position int64) {
	if !utf8.Valid(text) {
		s.damage(position, errors.New("the document is not UTF-8"))
		return
	}
	text = bytes.TrimPrefix(text, []byte("..."))
	converted, err := unstructured.YAMLToJSON(text)
	switch {
	case err != nil:
		s.damage(position, err)
	case len(converted) == 0 || string(bytes.TrimSpace(converted)) == "null":
	case converted[0] != '{':
		s.damage(position, errors.New("the document is not an object"))
	default:
		inner := &stream{r: bytes.NewReader(converted), yield: s.yield}
		inner.run()
		s.stopped = inner.stopped
	}
}
