package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/unstructured"
)

// MaxObject is the maximum size of the text of an object in bytes. That is more than a server accepts, since indented
// text is longer. A larger object is skipped, and counts as damaged.
const MaxObject = 16 << 20

// MaxDamages is how many errors [Objects] returns for a stream. The last one says that the rest was not read.
const MaxDamages = 100_000

// Objects returns the objects of a stream as JSON. The stream is any of these, with or without a byte order mark, in
// UTF-8 or, with a mark, in UTF-16:
//
//   - JSON objects, one after another, with or without white space or lines of three dashes between them: one object,
//     or NDJSON;
//   - a JSON array of objects;
//   - a list, which is an object with an array items: what kubectl get -o json prints. If its kind precedes its items,
//     the kind must end with List. There may be several lists. The items of a TapList that have no type are Taps, if the
//     type of the list precedes them;
//   - documents of YAML, each an object or a list.
//
// It holds one object at a time, or one document of YAML. The iterator reuses the text of an object for the next one.
// What cannot be read is an error with its position in bytes, and reading continues after it: at the next line that
// begins an object, or, in a list, at the next object that has apiVersion as its first key, a kind and metadata. It
// ends with the stream, with the first error of r, or after [MaxDamages] errors. Null and empty documents are skipped.
func Objects(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := &stream{r: manifest.NewReader(r), yield: yield}
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

	listed objectType // of the items of the list that is being read, if the list says it

	rescanned int64 // how many bytes were read again after damage
	damages   int
}

const readSize = 64 << 10

// read reads more of the stream, and reports whether there is another byte. It may discard bytes before mark: then all
// offsets in the buffer decrease by moved.
func (s *stream) read(mark int) (moved int, ok bool) {
	if s.failed != nil {
		return 0, false
	}
	if mark > 0 && len(s.buffer)+readSize > cap(s.buffer) {
		n := copy(s.buffer, s.buffer[mark:])
		s.buffer, s.base, moved = s.buffer[:n], s.base+int64(mark), mark
		if cap(s.buffer) > 4*MaxObject/3 && n < readSize {
			s.buffer = bytes.Clone(s.buffer)
		}
	}
	if cap(s.buffer)-len(s.buffer) < readSize/2 {
		grown := make([]byte, len(s.buffer), 2*cap(s.buffer)+2*readSize)
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

// peek returns the byte at s.at. It may discard the bytes before it. ok is false at the end.
func (s *stream) peek() (c byte, ok bool) {
	if s.at == len(s.buffer) {
		moved, more := s.read(s.at)
		if s.at -= moved; !more {
			return 0, false
		}
	}
	return s.buffer[s.at], true
}

// skipSpace skips white space and the bytes in others. It returns the byte after them. ok is false at the end.
func (s *stream) skipSpace(others string) (c byte, ok bool) {
	for {
		if c, ok = s.peek(); !ok || bytes.IndexByte([]byte(" \t\r\n"), c) < 0 && bytes.IndexByte([]byte(others), c) < 0 {
			return c, ok
		}
		s.at++
	}
}

// position returns the offset of s.at in the stream.
func (s *stream) position() int64 { return s.base + int64(s.at) }

func (s *stream) found(text []byte, err error) {
	s.stopped = s.stopped || !s.yield(text, err)
}

func (s *stream) damage(position int64, err error) {
	if s.damages++; s.damages == MaxDamages {
		s.found(nil, fmt.Errorf("at byte %d: %w; there were %d errors, and the rest was not read", position, err, MaxDamages))
		s.stopped = true
	}
	if s.stopped {
		return
	}
	s.found(nil, fmt.Errorf("at byte %d: %w", position, err))
}

func (s *stream) run() {
	for len(s.buffer) < 3 {
		if _, ok := s.read(0); !ok {
			break
		}
	}
	if bytes.HasPrefix(s.buffer, []byte("\uFEFF")) {
		s.at = 3
	}
	switch c, ok := s.skipSpace("\x1e"); {
	case !ok:
	case (c == '{' || c == '[') && s.isJSON():
		s.values()
	default:
		s.documents()
	}
	if s.failed != nil && !errors.Is(s.failed, io.EOF) {
		s.damage(s.base+int64(len(s.buffer)), s.failed)
	}
}

// isJSON reports whether the object or the list at s.at is JSON, or damaged JSON. It is YAML if a key is not in double
// quotes: {a: 1}.
func (s *stream) isJSON() bool {
	bracket, word := byte(0), false
	for i := s.at; i-s.at < readSize; i++ {
		if i == len(s.buffer) {
			if _, ok := s.read(0); !ok {
				break
			}
		}
		switch c := s.buffer[i]; {
		case c == ' ', c == '\t', c == '\r', c == '\n':
		case word && c == ':':
			return false
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			word = bracket == '{'
		case (c == '{' || c == '[') && !word:
			bracket = c
		default:
			return bracket == '[' || c != '#' && c != '\''
		}
	}
	return true
}

// values reads JSON values one after another.
func (s *stream) values() {
	listed := false // The last value was a list or an array.
	for !s.stopped {
		c, ok := s.skipSpace("\x1e")
		switch {
		case !ok:
			return
		case c == '{' && !s.isJSON():
			s.documents()
			return
		case c == '{':
			listed = s.topValue()
		case c == '[':
			s.at++
			s.items(false, false)
			listed = true
		case c == '-' && s.skipDashes():
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

// skipDashes skips three dashes that are a line or begin one. It reports whether there are any.
func (s *stream) skipDashes() bool {
	for len(s.buffer)-s.at < 4 {
		moved, ok := s.read(s.at)
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

// nextLine moves past the next line break.
func (s *stream) nextLine() {
	if s.seek([]byte("\n")) {
		s.at++
	}
}

// keptBytes is the number of bytes that seek keeps in the buffer before the text that it finds, because resync looks
// for a bracket there.
const keptBytes = 256

// seek moves to the next occurrence of a text, or to the end.
func (s *stream) seek(text []byte) bool {
	for {
		if i := bytes.Index(s.buffer[s.at:], text); i >= 0 {
			s.at += i
			return true
		}
		keep := max(s.at, len(s.buffer)-len(text)+1)
		moved, ok := s.read(max(keep-keptBytes, 0))
		if s.at = keep - moved; !ok {
			s.at = len(s.buffer)
			return false
		}
	}
}

// topValue reads an object that is not in a list. It may be a list itself.
func (s *stream) topValue() (isList bool) {
	o := s.scanner()
	o.topKeys = true
	switch o.scan() {
	case complete:
		s.at = o.i
		s.found(s.buffer[o.start:o.i], nil)
		return false
	case atItems:
		s.at = o.i
		if of := o.of.ofItems(); of.known() {
			s.listed = of
		}
		s.items(true, false)
		s.listed = objectType{}
		return true
	case tooLong:
		s.at = o.i
		s.damage(o.position, o.err)
		return false
	}
	s.damage(o.position, o.err)
	// The next object begins at the start of a line.
	s.at = max(o.start, 0)
	s.seek([]byte("\n{"))
	return false
}

// items reads the items of an array, after its opening bracket. If list is set, the array is that of a list, which is
// read to its end. unsure is set after damage: then a closing bracket may be that of another array.
func (s *stream) items(list, unsure bool) {
	for !s.stopped {
		c, ok := s.skipSpace(",")
		switch {
		case !ok:
			if !unsure {
				s.damage(s.position(), io.ErrUnexpectedEOF)
			}
			return
		case c == '{' || unsure:
		case c == ']':
			s.at++
			if s.listEnd(list) {
				return
			}
		default:
			s.damage(s.position(), fmt.Errorf("%q instead of an object", c))
		}
		if c != '{' {
			unsure = true
			if !s.resync() {
				return
			}
		}
		o := s.scanner()
		o.limited = true
		o.topKeys, o.notAList = s.listed.known(), true // to find out whether it has a kind
		if o.scan() == complete {
			s.at = o.i
			text := s.buffer[o.start:o.i]
			if s.listed.known() && o.of == (objectType{}) {
				text = s.listed.prefix(text)
			}
			s.found(text, nil)
			continue
		}
		s.damage(o.position, o.err)
		unsure = true
		s.at = o.resume(o.start + 1)
		if !s.resync() {
			return
		}
	}
}

// listEnd reads what follows the closing bracket of an array or of the items of a list. It reports whether the array or
// the list ends there.
func (s *stream) listEnd(list bool) bool {
	if !list {
		c, ok := s.skipSpace("")
		if ok && c == ',' {
			s.damage(s.position(), fmt.Errorf("%q behind an array", c))
		}
		return !ok || c != ','
	}
	o := s.scanner()
	o.brackets, o.last = []byte{'{'}, ']'
	f := o.scan()
	if s.at = o.i; f == damaged {
		s.damage(s.position(), o.err)
	}
	return f != damaged
}

// resync moves to the next object that looks like an item of a list: its first key is apiVersion, as servers and
// kubectl write it, and it has a kind and metadata. It reports whether there is one.
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
		o := s.scanner()
		o.topKeys, o.notAList, o.limited = true, true, true
		if o.scan() == complete && o.kind && o.metadata {
			s.at = o.start
			return true
		}
		s.at = o.resume(o.start + key - begin + 1)
	}
	return false
}

// An objectScanner finds the end of a JSON object. It checks strings, brackets and which tokens may follow each other,
// so that it notices damage early. It does not check literals and numbers: the decoder of the object does.
type objectScanner struct {
	*stream
	start, i int   // in the buffer: of the object, and of the next byte
	position int64 // of start in the stream
	brackets []byte
	last     byte // the last byte that is not white space; keyByte or wordByte after a key or a word
	err      error

	limited        bool // stop at MaxObject bytes
	topKeys        bool // remember the keys of the object, and stop at the items of a list
	notAList       bool // the kind does not end with List
	kind, metadata bool // there are such keys
	of             objectType
	key            []byte // the last one
	textStart      int    // where the last string begins
}

// An objectType is the type of an object, as far as it says it.
type objectType struct{ apiVersion, kind string }

// ofItems returns the type of the items of a list: those of a TapList are Taps. It is not known if the list is of
// kind List.
func (t objectType) ofItems() objectType {
	return objectType{t.apiVersion, strings.TrimSuffix(t.kind, "List")}
}

// known reports whether both parts are known, and need no escapes in JSON.
func (t objectType) known() bool {
	return t.apiVersion != "" && t.kind != "" && !strings.ContainsAny(t.apiVersion+t.kind, "\\")
}

// prefix returns an object that has no type with this one. An API server leaves it out of the items of a list.
func (t objectType) prefix(object []byte) []byte {
	comma := ","
	if rest := bytes.TrimLeft(object[1:], " \t\r\n"); rest[0] == '}' {
		comma = ""
	}
	return slices.Concat([]byte(`{"apiVersion":"`+t.apiVersion+`","kind":"`+t.kind+`"`+comma), object[1:])
}

// scanner returns a scanner of the object at s.at.
func (s *stream) scanner() *objectScanner {
	return &objectScanner{stream: s, start: s.at, i: s.at, position: s.position()}
}

// A scanResult is where a scan has stopped.
type scanResult uint8

const (
	damaged scanResult = iota
	complete
	tooLong // and complete
	atItems // after the opening bracket of a list's items
)

func (o *objectScanner) fail(format string, args ...any) scanResult {
	o.err = fmt.Errorf(format, args...)
	return damaged
}

// resume returns the offset from which to search for the next object after damage. It returns start, near the beginning
// of the damaged object, because an object without its last bracket seems to contain the objects after it. If too many
// bytes have been scanned again already, it returns an offset shortly before the one where the scan stopped.
func (o *objectScanner) resume(start int) int {
	const maxRescans, distance = 8, 64
	again := int64(o.i - start)
	if o.rescanned+again <= maxRescans*(o.base+int64(len(o.buffer))) {
		o.rescanned += again
		return start
	}
	return max(start, o.i-distance)
}

// fill reads until there is a byte at o.i.
func (o *objectScanner) fill() bool {
	if o.i < len(o.buffer) {
		return true
	}
	mark := max(o.start, 0)
	if o.i-o.start > MaxObject {
		if o.limited {
			o.err = errTooLong
			return false
		}
		mark = o.i // the text is not needed any more
	}
	moved, ok := o.read(mark)
	o.i, o.start, o.textStart = o.i-moved, o.start-moved, o.textStart-moved
	return ok
}

func (o *objectScanner) scan() scanResult {
	for o.fill() {
		c := o.buffer[o.i]
		switch c {
		case ' ', '\t', '\r', '\n':
			o.i++
			continue
		case '{', '[':
			if !o.valueAllowed() {
				return o.fail("invalid character %q", c)
			}
			o.brackets = append(o.brackets, c)
			o.i++
			if o.topKeys && !o.notAList && c == '[' && len(o.brackets) == 2 && string(o.key) == "items" {
				return atItems
			}
			if len(o.brackets) > maxDepth {
				return o.fail("nested too deep")
			}
		case '}', ']':
			if len(o.brackets) == 0 || o.brackets[len(o.brackets)-1] != c-2 || o.last != c-2 && !o.valueEnded() {
				return o.fail("invalid character %q", c)
			}
			o.brackets = o.brackets[:len(o.brackets)-1]
			o.i++
			if len(o.brackets) == 0 {
				if o.i-o.start > MaxObject {
					o.err = errTooLong
					return tooLong
				}
				return complete
			}
		case '"':
			isKey := o.keyAllowed()
			if !isKey && !o.valueAllowed() {
				return o.fail("invalid character %q", c)
			}
			if !o.string(isKey) {
				return damaged
			}
			if isKey {
				c = keyByte
			}
		case ',':
			if !o.valueEnded() {
				return o.fail("invalid character %q", c)
			}
			o.i++
		case ':':
			if o.last != keyByte {
				return o.fail("invalid character %q", c)
			}
			o.i++
		default:
			if o.last != wordByte && !o.valueAllowed() || !isWordByte(c) {
				return o.fail("invalid character %q", c)
			}
			o.i++
			c = wordByte
		}
		o.last = c
	}
	return o.ended()
}

// ended sets the error of a scan that ran out of bytes.
func (o *objectScanner) ended() scanResult {
	switch {
	case o.err != nil:
	case o.failed != nil && !errors.Is(o.failed, io.EOF):
		o.err = o.failed
	default:
		o.err = io.ErrUnexpectedEOF
	}
	return damaged
}

var errTooLong = fmt.Errorf("the object has more than %d bytes", MaxObject)

// The values of last after a key, and after a literal or a number.
const (
	keyByte  = 'k'
	wordByte = 'w'
)

// keyAllowed reports whether a key may come next.
func (o *objectScanner) keyAllowed() bool {
	return len(o.brackets) > 0 && o.brackets[len(o.brackets)-1] == '{' && (o.last == '{' || o.last == ',')
}

// valueAllowed reports whether a value may come next.
func (o *objectScanner) valueAllowed() bool {
	return len(o.brackets) == 0 || o.last == ':' || o.brackets[len(o.brackets)-1] == '[' && (o.last == '[' || o.last == ',')
}

// valueEnded reports whether a value has just ended.
func (o *objectScanner) valueEnded() bool {
	return o.last == '"' || o.last == wordByte || o.last == '}' || o.last == ']'
}

// maxDepth is the maximum depth of an object that a server can decode.
const maxDepth = 10_000

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// string scans a string.
func (o *objectScanner) string(isKey bool) bool {
	top := o.topKeys && len(o.brackets) == 1
	o.i++
	o.textStart = o.i
	for o.fill() {
		if o.i = jsonscan.Plain(o.buffer, o.i); o.i == len(o.buffer) {
			continue
		}
		switch o.buffer[o.i] {
		case '\n':
			o.fail("a line break in a string")
			return false
		case '\\':
			o.i++
			if !o.fill() {
				o.ended()
				return false
			}
			o.i++
		case '"':
			if top && o.textStart >= 0 {
				o.noteMember(o.buffer[o.textStart:o.i], isKey)
			}
			o.i++
			return true
		default:
			o.i++ // another control character, which the decoder of the object refuses
		}
	}
	o.ended()
	return false
}

// noteMember records a key of the object, or the string that is the value of the last key.
func (o *objectScanner) noteMember(text []byte, isKey bool) {
	switch {
	case isKey:
		o.key = append(o.key[:0], text[:min(len(text), 16)]...)
		o.kind, o.metadata = o.kind || string(text) == "kind", o.metadata || string(text) == "metadata"
	case string(o.key) == "apiVersion":
		o.of.apiVersion = string(text)
	case string(o.key) == "kind":
		o.of.kind = string(text)
		o.notAList = o.notAList || !bytes.HasSuffix(text, []byte("List"))
	}
}

// documents reads YAML documents.
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

// document reads the text up to the next line of dashes or dots, which belongs to the next document. A document that is
// too long is discarded while it is read. more is false at the end of the stream.
func (s *stream) document() (text []byte, long, more bool) {
	line, midLine := s.at, false // where the current line begins
	for {
		i := bytes.IndexByte(s.buffer[line:], '\n')
		if i < 0 {
			if len(s.buffer)-s.at > MaxObject {
				long, midLine = true, true
				s.at, line = len(s.buffer), len(s.buffer)
			}
			moved, ok := s.read(s.at)
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

// yaml converts a document to JSON and reads its objects.
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
	case bytes.IndexByte(text, 0) >= 0: // for the decoder, it may be the end
		s.damage(position, errors.New("the document has a zero byte"))
	case len(converted) == 0 || string(bytes.TrimSpace(converted)) == "null":
	case converted[0] != '{':
		s.damage(position, errors.New("the document is not an object"))
	default:
		inner := &stream{r: bytes.NewReader(converted), yield: s.yield, damages: s.damages}
		if apiVersion, kind, err := objectmeta.DecodeType(converted); err == nil && strings.HasSuffix(kind, "List") {
			inner.listed = objectType{apiVersion, kind}.ofItems() // the kind may be behind the items
		}
		inner.run()
		s.stopped, s.damages = inner.stopped, inner.damages
	}
}
