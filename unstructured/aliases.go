package unstructured

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// The YAML library bounds the number of nodes that aliases add, but not their size. It also resolves a scalar again for
// each alias of it, and compares each %TAG directive with all previous ones. So checkYAML scans a text for both before
// the library reads it.

const (
	// maxAliased limits the bytes of scalars that the aliases of a YAML text may add to it.
	maxAliased = 16 << 20
	// maxDirectives limits the number of %TAG directives in a YAML text.
	maxDirectives = 100
)

var (
	errAliases    = errors.New("yaml: document contains excessive aliasing")
	errDirectives = errors.New("yaml: too many %TAG directives")
)

// checkYAML returns an error for a YAML text that would take the library excessive time or memory.
func checkYAML(data []byte) error {
	if text, ok := fromUTF16(data); ok {
		data = text
	}
	if bytes.Count(data, []byte("%TAG")) > maxDirectives && directives(data) > maxDirectives {
		return errDirectives
	}
	if bytes.IndexByte(data, '*') < 0 || bytes.IndexByte(data, '&') < 0 {
		return nil
	}
	s := aliasScanner{data: bytes.TrimPrefix(data, byteOrderMark), anchors: map[string]*anchor{}}
	if bytes.Contains(s.data, byteOrderMark) || s.scan() > maxAliased {
		// How the library skips a byte order mark, or other bytes in its place, depends on how its buffer is filled.
		return errAliases
	}
	return nil
}

var byteOrderMark = []byte("\uFEFF")

// fromUTF16 returns the UTF-8 of a UTF-16 text. Like the library, it recognizes UTF-16 by the byte order mark.
func fromUTF16(data []byte) ([]byte, bool) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return nil, false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), true
}

// directives returns the number of lines that begin like a %TAG directive.
func directives(data []byte) (n int) {
	for i := range data {
		if data[i] == '%' && (i == 0 || data[i-1] != ' ') && bytes.HasPrefix(data[i:], []byte("%TAG")) {
			n++
		}
	}
	return n
}

// An aliasScanner tokenizes a YAML text as the library's scanner does, and adds up the sizes of what aliases refer to.
// Where the library finds a syntax error, and so stops, the aliasScanner may continue in any way.
type aliasScanner struct {
	data      []byte
	pos       int
	line, col int // of pos; columns are characters

	indent     int // the column of the innermost block collection, -1 outside all collections
	frames     []frame
	flow       int // the number of open flow collections
	keyAllowed bool
	keys       []simpleKey // the last one of each flow level, from the outermost inwards

	size    int64              // of all scalars so far, with aliases expanded
	aliased int64              // the part of it that aliases have added
	anchors map[string]*anchor // of this document; the last one of each name
	pending *anchor            // its node has not begun yet
}

// A frame is an open collection.
type frame struct {
	anchor *anchor // may be nil
	list   bool    // a block sequence
	// flat: a block sequence in the column of the mapping around it.
	flat   bool
	indent int // of the enclosing block collection, if it is a block collection
}

// An anchor is a node that aliases may refer to. Its size is counted from start, and known when it has ended.
type anchor struct {
	start, size int64
	ended       bool
}

// A simpleKey is a place where a key without a question mark may have begun.
type simpleKey struct {
	possible  bool
	line, col int
	pending   *anchor // at that place: it belongs to the mapping if the key is the mapping's first
}

func (s *aliasScanner) scan() int64 {
	s.reset()
	s.keyAllowed = true
	for s.toToken(); s.pos < len(s.data) && s.aliased <= maxAliased; s.toToken() {
		s.token()
	}
	return s.aliased
}

// reset begins a document.
func (s *aliasScanner) reset() {
	clear(s.anchors)
	s.indent, s.flow, s.frames, s.pending = -1, 0, s.frames[:0], nil
	s.keys = append(s.keys[:0], simpleKey{})
}

// at returns the byte at that distance, 0 beyond the end.
func (s *aliasScanner) at(n int) byte {
	if s.pos+n < len(s.data) {
		return s.data[s.pos+n]
	}
	return 0
}

// breakAt returns the length of the line break at that distance, 0 if there is none.
func (s *aliasScanner) breakAt(n int) int {
	switch s.at(n) {
	case '\n':
		return 1
	case '\r':
		if s.at(n+1) == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if s.at(n+1) == 0x85 {
			return 2
		}
	case 0xE2:
		if s.at(n+1) == 0x80 && s.at(n+2)|1 == 0xA9 {
			return 3
		}
	}
	return 0
}

func (s *aliasScanner) isBlank(n int) bool { return s.at(n) == ' ' || s.at(n) == '\t' }

// ends reports whether a space, a tab, a line break or the end of the text is at that distance.
func (s *aliasScanner) ends(n int) bool {
	return s.pos+n >= len(s.data) || s.isBlank(n) || s.breakAt(n) > 0
}

// next skips one character, which may be a line break.
func (s *aliasScanner) next() {
	if n := s.breakAt(0); n > 0 {
		s.pos, s.line, s.col = s.pos+n, s.line+1, 0
		return
	}
	_, n := utf8.DecodeRune(s.data[s.pos:])
	s.pos, s.col = s.pos+n, s.col+1
}

// toToken skips spaces, tabs, comments and line breaks.
func (s *aliasScanner) toToken() {
	for s.pos < len(s.data) {
		switch {
		case s.isBlank(0):
			s.next()
		case s.at(0) == '#':
			s.toLineEnd()
		case s.breakAt(0) > 0:
			s.next()
			s.keyAllowed = s.keyAllowed || s.flow == 0
		default:
			return
		}
	}
}

func (s *aliasScanner) toLineEnd() {
	for s.pos < len(s.data) && s.breakAt(0) == 0 {
		s.next()
	}
}

// token reads a token.
func (s *aliasScanner) token() {
	s.unroll(s.col)
	c := s.at(0)
	entry := c == '-' && s.ends(1)
	if s.flow == 0 && s.indent == s.col && !entry && s.top().flat {
		s.close()
	}
	if s.col == 0 && (c == '%' || s.isMark()) {
		s.unroll(-1)
		if c == '%' {
			s.toLineEnd()
		} else {
			s.pos, s.col = s.pos+3, s.col+3
			s.reset()
		}
		s.keyAllowed = false
		return
	}
	inFlow := s.flow > 0
	switch {
	case c == '[', c == '{':
		s.saveKey()
		s.frames = append(s.frames, frame{anchor: s.take()})
		s.keys = append(s.keys, simpleKey{})
		s.flow++
		s.keyAllowed = true
		s.next()
	case c == ']', c == '}':
		if inFlow {
			s.end(s.take())
			s.close()
			s.keys = s.keys[:len(s.keys)-1]
			s.flow--
		}
		s.keyAllowed = false
		s.next()
	case c == ',':
		s.end(s.take())
		s.key().possible = false
		s.keyAllowed = true
		s.next()
	case entry:
		s.rollList()
		s.key().possible = false
		s.keyAllowed = true
		s.next()
	case c == '?' && (inFlow || s.ends(1)):
		s.roll(s.col, s.pending)
		s.key().possible = false
		s.keyAllowed = !inFlow
		s.next()
	case c == ':' && (inFlow || s.ends(1)):
		s.value()
		s.next()
	case c == '*', c == '&':
		s.saveKey()
		s.anchor(c == '*')
	case c == '!':
		s.saveKey()
		for !s.ends(0) {
			s.next()
		}
	case c == '|' && !inFlow, c == '>' && !inFlow:
		s.key().possible = false
		s.keyAllowed = true
		s.scalar(s.block)
	case c == '\'', c == '"':
		s.saveKey()
		s.scalar(s.quoted)
	default:
		s.saveKey()
		s.scalar(s.plain)
	}
}

// isMark reports whether a document marker begins here, at the beginning of a line.
func (s *aliasScanner) isMark() bool {
	c := s.at(0)
	return (c == '-' || c == '.') && s.at(1) == c && s.at(2) == c && s.ends(3)
}

// key returns the simple key of this flow level.
func (s *aliasScanner) key() *simpleKey { return &s.keys[len(s.keys)-1] }

// saveKey records that a key may begin here. None may begin directly after a node.
func (s *aliasScanner) saveKey() {
	if s.keyAllowed {
		*s.key() = simpleKey{true, s.line, s.col, s.pending}
	}
	s.keyAllowed = false
}

// value reads the colon after a key, which may be the first of a mapping.
func (s *aliasScanner) value() {
	key := s.key()
	if key.possible && key.line == s.line {
		s.roll(key.col, key.pending)
		key.possible = false
		s.keyAllowed = false
		return
	}
	s.roll(s.col, s.pending)
	s.keyAllowed = s.flow == 0
}

// take returns the anchor of the node that begins here.
func (s *aliasScanner) take() *anchor {
	a := s.pending
	s.pending = nil
	return a
}

// roll begins a block collection in that column, with an anchor if there is one, unless it has already begun. In that
// case a pending anchor has no node.
func (s *aliasScanner) roll(col int, a *anchor) {
	if s.flow == 0 && s.indent < col {
		if a != nil {
			a.ended = false // it may have seemed to be the anchor of the first key
		}
		if a == s.pending {
			s.pending = nil
		}
		s.frames = append(s.frames, frame{anchor: a, indent: s.indent})
		s.indent = col
	}
	s.end(s.take())
}

// rollList is roll for a sequence that has an entry here.
func (s *aliasScanner) rollList() {
	begun := len(s.frames)
	if s.flow == 0 && s.indent == s.col && !s.top().list {
		s.frames = append(s.frames, frame{anchor: s.take(), indent: s.indent, flat: true})
	}
	s.roll(s.col, s.pending)
	if len(s.frames) > begun {
		s.top().list = true
	}
}

// top returns the innermost collection. There is one whenever the indentation is not -1.
func (s *aliasScanner) top() *frame { return &s.frames[len(s.frames)-1] }

// unroll ends the block collections that are indented further than that column.
func (s *aliasScanner) unroll(col int) {
	for s.flow == 0 && s.indent > col {
		s.indent = s.frames[len(s.frames)-1].indent
		s.close()
	}
}

// close ends the innermost collection.
func (s *aliasScanner) close() {
	last := len(s.frames) - 1
	s.end(s.frames[last].anchor)
	s.frames = s.frames[:last]
}

func (s *aliasScanner) end(a *anchor) {
	if a != nil {
		a.size, a.ended = s.size-a.start, true
	}
}

// anchor reads an anchor or an alias.
func (s *aliasScanner) anchor(isAlias bool) {
	begin := s.pos + 1
	for s.next(); isNameByte(s.at(0)); s.next() {
	}
	name := s.data[begin:s.pos]
	if !isAlias {
		s.pending = &anchor{start: s.size}
		s.anchors[string(name)] = s.pending
		return
	}
	if a := s.anchors[string(name)]; a != nil {
		size := a.size
		if !a.ended {
			size = s.size - a.start // a syntax error if it has not really ended
		}
		s.add(size)
		s.aliased = min(s.aliased+size, math.MaxInt64/2)
	}
	s.end(s.take())
}

func (s *aliasScanner) add(size int64) { s.size = min(s.size+size+1, math.MaxInt64/2) }

func isNameByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

// scalar reads a scalar with take, which returns its end. Its size is the length of its text.
func (s *aliasScanner) scalar(take func() int) {
	begin := s.pos
	s.add(int64(take() - begin))
	s.end(s.take())
}

func (s *aliasScanner) quoted() int {
	quote := s.at(0)
	for s.next(); s.pos < len(s.data); s.next() {
		switch c := s.at(0); {
		case c == quote && quote == '\'' && s.at(1) == quote, c == '\\' && quote == '"' && s.breakAt(1) == 0:
			s.next()
		case c == quote:
			s.next()
			return s.pos
		}
	}
	return s.pos
}

func (s *aliasScanner) plain() (end int) {
	s.next()
	for end = s.pos; ; {
		for !s.ends(0) && !s.endsPlain() {
			s.next()
			end, s.keyAllowed = s.pos, false
		}
		if s.pos == len(s.data) || !s.ends(0) {
			return end
		}
		for s.pos < len(s.data) && s.ends(0) {
			s.keyAllowed = s.keyAllowed || s.breakAt(0) > 0
			s.next()
		}
		if s.flow == 0 && s.col <= s.indent || s.col == 0 && s.isMark() || s.at(0) == '#' {
			return end
		}
	}
}

// endsPlain reports whether a plain scalar ends before the next byte.
func (s *aliasScanner) endsPlain() bool {
	switch s.at(0) {
	case ':':
		return s.ends(1)
	case ',', '?', '[', ']', '{', '}':
		return s.flow > 0
	}
	return false
}

func (s *aliasScanner) block() int {
	s.next()
	increment := 0
	for c := s.at(0); c == '+' || c == '-' || c >= '1' && c <= '9'; c = s.at(0) {
		if c >= '1' {
			increment = int(c - '0')
		}
		s.next()
	}
	s.toLineEnd()
	if s.pos < len(s.data) {
		s.next()
	}
	indent := 0 // of the text; 0: still unknown
	if increment > 0 {
		indent = max(s.indent, 0) + increment
	}
	for s.breaks(&indent); s.col == indent && s.pos < len(s.data); s.breaks(&indent) {
		s.toLineEnd()
		if s.pos < len(s.data) {
			s.next()
		}
	}
	return s.pos
}

// breaks skips the empty lines of a block scalar and the indentation of the next line. It sets the scalar's indentation
// if it is unknown.
func (s *aliasScanner) breaks(indent *int) {
	widest := 0
	for {
		for (*indent == 0 || s.col < *indent) && s.at(0) == ' ' {
			s.next()
		}
		widest = max(widest, s.col)
		if s.breakAt(0) == 0 {
			break
		}
		s.next()
	}
	if *indent == 0 {
		*indent = max(widest, s.indent+1, 1)
	}
}
