package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxDepth limits the nesting of lists and objects. It is far below a server's limit, so the scanner need not know that
// limit.
const MaxDepth = 500

// A Scanner reads one JSON text from beginning to end. Each value is read by exactly one of: FirstKey and NextKey, or
// FirstKeyBytes and NextKeyBytes, for an object, FirstItem and NextItem for a list, Text, Own, Bool, Null, Number, Value
// or Skip.
type Scanner struct {
	data     []byte
	pos      int
	depth    int
	declined bool

	block strings.Builder // the results of Text and short ones of Value, one after another
	names [1024]string    // short keys of this text or earlier ones, by hash: the last ones for each pair of slots
	// Short string values of this text, by hash, and the slots in use.
	values [256]any
	used   []uint8

	blocks bool // short strings of Value share blocks

	// The items and members of the lists and objects that Value is reading.
	items   []any
	members []member
}

type member struct {
	key   string
	value any
}

// Short keys of earlier texts are kept, at most 1,024: the names of fields recur, even in objects of other kinds. Texts
// of many kinds in random order take a tenth less time, and a fifth fewer allocations. Values are not kept: they are
// user data.
var scanners = sync.Pool{New: func() any { return new(Scanner) }}

// New returns a Scanner of data, which must not be modified while it is in use. Results share no memory with data,
// except those of FirstKeyBytes, NextKeyBytes and Raw.
func New(data []byte) *Scanner {
	s := scanners.Get().(*Scanner)
	s.data = data
	s.declined = false
	if !utf8.Valid(data) {
		s.Decline()
	}
	return s
}

// Release returns s for reuse. Previous results stay valid.
func (s *Scanner) Release() {
	for _, i := range s.used { // Most texts use few slots.
		s.values[i] = nil
	}
	s.used = s.used[:0]
	if len(s.items) > 0 || len(s.members) > 0 || cap(s.items) > maxElements || cap(s.members) > maxElements {
		s.items, s.members = nil, nil // The text was declined, or was large.
	}
	s.data, s.pos, s.depth, s.block, s.blocks = nil, 0, 0, strings.Builder{}, false
	scanners.Put(s)
}

// maxElements limits the room for elements that a Scanner keeps for the next text.
const maxElements = 1 << 10

// Decline makes s decline the text.
func (s *Scanner) Decline() { s.declined, s.pos = true, len(s.data) }

// Declined reports whether s has declined the text.
func (s *Scanner) Declined() bool { return s.declined }

// End reports whether the whole text has been read, except for trailing white space, and was not declined.
func (s *Scanner) End() bool {
	return !s.declined && s.peek() == 0 && s.pos == len(s.data)
}

// A Kind is the kind of a JSON value.
type Kind uint8

// The kinds. None is the kind at the end of a text, or after declining.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Kind returns the kind of the next value. It examines only the first byte.
func (s *Scanner) Kind() Kind {
	switch c := s.peek(); c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return None
}

// peek returns the next byte that is not white space, without consuming it, or 0 if there is none. It is short enough
// to be inlined.
func (s *Scanner) peek() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	return s.afterSpace()
}

func (s *Scanner) afterSpace() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// first enters a list or an object, and reports whether it has an element.
func (s *Scanner) first(opening, closing byte) bool {
	if s.peek() != opening || s.depth == MaxDepth {
		s.Decline()
		return false
	}
	s.pos++
	if s.peek() == closing {
		s.pos++
		return false
	}
	s.depth++
	return true
}

// more reports whether another element follows, and consumes the comma or the closing byte.
func (s *Scanner) more(closing byte) bool {
	switch s.peek() {
	case ',':
		s.pos++
		return true
	case closing:
		s.pos++
		s.depth--
		return false
	}
	s.Decline()
	return false
}

// FirstKey enters an object, and returns its first key: ok is false if the object is empty. Equal short keys often
// share memory.
func (s *Scanner) FirstKey() (key string, ok bool) {
	if !s.first('{', '}') {
		return "", false
	}
	return s.key()
}

// NextKey returns the next key of an object, after the value of the last key has been read. If ok is false, the object
// has ended.
func (s *Scanner) NextKey() (key string, ok bool) {
	if !s.more('}') {
		return "", false
	}
	return s.key()
}

func (s *Scanner) key() (key string, ok bool) {
	if text, ok := s.keyBytes(); ok {
		return s.Key(text), true
	}
	return "", false
}

// FirstKeyBytes is FirstKey for a caller that knows most keys and has strings of them: the key is a part of the data,
// unless it has escapes.
func (s *Scanner) FirstKeyBytes() (key []byte, ok bool) {
	if !s.first('{', '}') {
		return nil, false
	}
	return s.keyBytes()
}

// NextKeyBytes is NextKey in the same way.
func (s *Scanner) NextKeyBytes() (key []byte, ok bool) {
	if !s.more('}') {
		return nil, false
	}
	return s.keyBytes()
}

func (s *Scanner) keyBytes() (key []byte, ok bool) {
	start, end := s.quoted()
	switch {
	case s.declined:
		return nil, false
	case s.data[end] == '"':
		key = s.data[start:end]
	default:
		key = []byte(s.rest(start, end))
	}
	return key, s.colon()
}

// Key returns a key as a string that has memory of its own. Equal short ones often share it.
func (s *Scanner) Key(key []byte) string {
	if !mayComeAgain(key) {
		return string(key)
	}
	i := slot(key)
	known, other := &s.names[i], &s.names[i^1]
	switch string(key) {
	case *known:
	case *other:
		return *other
	default:
		*known, *other = string(key), *known
	}
	return *known
}

// colon consumes the colon after a key.
func (s *Scanner) colon() bool {
	if s.peek() != ':' {
		s.Decline()
		return false
	}
	s.pos++
	return true
}

// FirstItem enters a list, and reports whether it has an item.
func (s *Scanner) FirstItem() bool { return s.first('[', ']') }

// NextItem reports whether a list has another item, after the last item has been read.
func (s *Scanner) NextItem() bool { return s.more(']') }

// Null reads a null.
func (s *Scanner) Null() { s.literal("null") }

// Bool reads a boolean.
func (s *Scanner) Bool() bool {
	if s.peek() == 't' {
		s.literal("true")
		return !s.declined
	}
	s.literal("false")
	return false
}

func (s *Scanner) literal(word string) {
	s.peek()
	if s.declined || !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		s.Decline()
		return
	}
	s.pos += len(word)
}

// Number reads a number: as an int64 if it has neither point nor exponent and fits, else as a float64 (DEC-004).
func (s *Scanner) Number() (i int64, f float64, whole bool) {
	s.peek()
	if i, ok := s.integer(); ok {
		return i, 0, true
	}
	text := string(s.number())
	if s.declined {
		return 0, 0, false
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, 0, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.Decline()
	}
	return 0, f, false
}

// integer reads an integer of at most 18 digits. It reports false, and consumes nothing, for other numbers.
func (s *Scanner) integer() (n int64, ok bool) {
	i := s.pos
	negative := s.at(i) == '-'
	if negative {
		i++
	}
	first := i
	for ; i < len(s.data) && s.data[i]-'0' <= 9; i++ {
		if i-first == 18 {
			return 0, false
		}
		n = n*10 + int64(s.data[i]-'0')
	}
	if i == first || s.data[first] == '0' && i > first+1 {
		return 0, false
	}
	if c := s.at(i); c == '.' || c == 'e' || c == 'E' {
		return 0, false
	}
	s.pos = i
	if negative {
		n = -n
	}
	return n, true
}

// number consumes the text of a number.
func (s *Scanner) number() []byte {
	if s.declined {
		return nil
	}
	start := s.pos
	if s.at(s.pos) == '-' {
		s.pos++
	}
	switch first := s.pos; {
	case s.digits() == 0:
		s.Decline()
	case s.at(first) == '0' && s.pos > first+1:
		s.Decline()
	}
	if s.at(s.pos) == '.' {
		s.pos++
		if s.digits() == 0 {
			s.Decline()
		}
	}
	if c := s.at(s.pos); c == 'e' || c == 'E' {
		s.pos++
		if c := s.at(s.pos); c == '+' || c == '-' {
			s.pos++
		}
		if s.digits() == 0 {
			s.Decline()
		}
	}
	return s.data[start:s.pos]
}

func (s *Scanner) at(i int) byte {
	if i < len(s.data) {
		return s.data[i]
	}
	return 0
}

func (s *Scanner) digits() (n int) {
	for c := s.at(s.pos); c >= '0' && c <= '9'; c = s.at(s.pos) {
		s.pos++
		n++
	}
	return n
}

// Own reads a string that has memory of its own. Equal short strings often share memory.
func (s *Scanner) Own() string { return s.rest(s.quoted()) }

// rest returns the string that quoted began to read.
func (s *Scanner) rest(start, end int) string {
	switch {
	case s.declined:
		return ""
	case s.data[end] == '"':
		return s.Key(s.data[start:end])
	}
	var b strings.Builder
	b.Grow(s.maxLen(start, end))
	s.unquote(&b, start, end)
	return b.String()
}

// ownValue is Own for a string as a value. Equal short ones often share the whole value.
func (s *Scanner) ownValue() any {
	start, end := s.quoted()
	if s.declined || s.data[end] != '"' || !mayComeAgain(s.data[start:end]) {
		return s.valueText(start, end)
	}
	text := s.data[start:end]
	i := uint8(slot(text))
	t, ok := s.values[i].(string)
	if !ok {
		s.used = append(s.used, i)
	}
	if t != string(text) {
		s.values[i] = s.valueText(start, end)
	}
	return s.values[i]
}

// valueText returns the string that quoted began to read. A short one is in a block, if s uses these.
func (s *Scanner) valueText(start, end int) string {
	if s.declined {
		return ""
	}
	escaped, size := s.data[end] != '"', end-start
	if escaped {
		size = s.maxLen(start, end)
	}
	switch {
	case s.blocks && 0 < size && size <= maxShort:
		return s.inBlock(start, end, min(shortBlockSize, (len(s.data)-start)/8*3))
	case escaped:
		return s.rest(start, end)
	}
	return string(s.data[start:end])
}

// mayComeAgain reports whether a text is worth keeping: whether it is short, like repeated words.
func mayComeAgain(text []byte) bool { return len(text) > 0 && len(text) <= 64 }

// slot returns the index of a nonempty text in the table of keys. It depends on five bytes: of many keys that
// share an ending, three are the same.
func slot(text []byte) uint32 {
	n := len(text)
	return (Hash(text) ^ uint32(text[n>>2])*0x165667B1 ^ uint32(text[n-1-n>>2])*0x94D049BB) >> 22
}

// Hash returns a hash of the length and three bytes of a nonempty text. It is made for names of fields.
func Hash[T string | []byte](text T) uint32 {
	n := len(text)
	return uint32(n)*0x9E3779B1 ^ uint32(text[0])*0x85EBCA6B ^ uint32(text[n-1])*0xC2B2AE35 ^ uint32(text[n>>1])*0x27D4EB2F
}

// skipText skips a string.
func (s *Scanner) skipText() {
	if start, end := s.quoted(); !s.declined && s.data[end] != '"' {
		var b strings.Builder
		s.unquote(&b, start, end)
	}
}

// quoted reads a string up to its end, or to the first backslash, and returns the start of the string and that index.
func (s *Scanner) quoted() (start, end int) {
	if s.peek() != '"' {
		s.Decline()
		return 0, 0
	}
	start = s.pos + 1
	end = Plain(s.data, start)
	switch s.at(end) {
	case '"':
		s.pos = end + 1
	case '\\':
	default: // a control character, or the end of the text
		s.Decline()
		return 0, 0
	}
	return start, end
}

// Plain returns the index of the first byte in data, at or after i, that is a quote, a backslash or a control
// character, or len(data) if there is none.
func Plain(data []byte, i int) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		// Eight bytes at a time: the subtraction sets the high bit of the first such byte, and perhaps of others after
		// it.
		w := binary.LittleEndian.Uint64(data[i:])
		quote, backslash := w^('"'*low), w^('\\'*low)
		found := (w-' '*low)&^w | (quote-low)&^quote | (backslash-low)&^backslash
		if found &= high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return i
}
