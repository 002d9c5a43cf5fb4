package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// Text reads a string into a block of such strings, which it keeps alive. In a large document, equal strings often
// share memory: a schema repeats descriptions for many fields.
func (s *Scanner) Text() string {
	start, end := s.quoted()
	if s.declined || start == end && s.at(end) == '"' {
		return ""
	}
	room := end - start
	escaped := s.data[end] != '"'
	if escaped {
		room = s.room(start, end)
	}
	var known *knownText
	if room >= 8 && s.remembersTexts() {
		known = s.known(start, start+room)
		if known.is(s.data, start, start+room) {
			s.pos = start + known.taken
			return known.text
		}
	}
	if room > s.block.Cap()-s.block.Len() {
		s.block = strings.Builder{}
		s.block.Grow(max(room, min(blockSize, len(s.data)-start)))
	}
	from := s.block.Len()
	if escaped {
		s.unquote(&s.block, start, end)
	} else {
		s.block.Write(s.data[start:end])
	}
	text := s.block.String()[from:]
	if known != nil && !s.declined {
		*known = knownText{start, start + room, s.pos - start, text}
	}
	return text
}

// blockSize is the size of a block, unless less of the text is left or one string needs more.
const blockSize = 8 << 10

// A knownText is the string for the bytes of the document from start to end, and how many of these belong to the
// string.
type knownText struct {
	start, end, taken int
	text              string
}

// is reports whether the bytes of data from start to end are equal to those of k.
func (k *knownText) is(data []byte, start, end int) bool {
	return k.text != "" && bytes.Equal(data[k.start:k.end], data[start:end])
}

// Texts are remembered only in documents that are large enough to benefit, and likely to repeat themselves.
const (
	largeDocument = 16 << 10
	mostTexts     = 1 << 10
)

func (s *Scanner) remembersTexts() bool { return len(s.data) >= largeDocument }

// known returns the entry for a text of at least eight bytes, from start to end.
func (s *Scanner) known(start, end int) *knownText {
	if s.texts == nil {
		s.texts = make([]knownText, mostTexts)
	}
	eight := func(at int) uint64 { return binary.LittleEndian.Uint64(s.data[at:]) }
	middle := min(start+(end-start)/2, end-8)
	h := eight(start)*0x9E3779B97F4A7C15 ^ bits.RotateLeft64(eight(middle)*0xC2B2AE3D27D4EB4F, 21) ^ eight(end-8)*0x165667B19E3779F9 + uint64(end-start)
	return &s.texts[h*0x9E3779B97F4A7C15>>54]
}

// unquote reads the rest of a string that begins at start and has a backslash at next, and writes the whole string to
// b.
func (s *Scanner) unquote(b *strings.Builder, start, next int) {
	for {
		b.Write(s.data[start:next])
		if s.at(next) != '\\' {
			break
		}
		var r rune
		if r, start = Escape(s.data, next+1); start == -1 {
			s.declined = true
			return
		}
		b.WriteRune(r)
		next = Plain(s.data, start)
	}
	if s.at(next) != '"' {
		s.declined = true
		return
	}
	s.pos = next + 1
}

// room returns the maximum length of a string that begins at start, from the position of its end; at is the position of
// its first backslash.
func (s *Scanner) room(start, at int) int {
	for {
		end := bytes.IndexByte(s.data[at:], '"')
		if end < 0 {
			return 0
		}
		at += end + 1
		if s.data[at-2] != '\\' { // else perhaps an escaped quote: if it is not, the room is too large, and the next string ends it
			return at - 1 - start
		}
	}
}
