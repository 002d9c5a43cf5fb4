package jsonscan

import (
	"bytes"
	"strings"
)

// Text reads a string into a block of strings. The result keeps the block alive.
func (s *Scanner) Text() string {
	start, end := s.quoted()
	if s.declined || start == end && s.at(end) == '"' {
		return ""
	}
	return s.inBlock(start, end, blockSize)
}

// inBlock returns the string that quoted began to read, in a block. A new block has newSize bytes, unless less of the
// text is left or the string needs more.
func (s *Scanner) inBlock(start, end, newSize int) string {
	size := end - start
	escaped := s.data[end] != '"'
	if escaped {
		size = s.maxLen(start, end)
	}
	if size > s.block.Cap()-s.block.Len() {
		s.block = strings.Builder{}
		s.block.Grow(max(size, min(newSize, len(s.data)-start)))
	}
	from := s.block.Len()
	if escaped {
		s.unquote(&s.block, start, end)
	} else {
		s.block.Write(s.data[start:end])
	}
	return s.block.String()[from:]
}

// The maximum sizes of blocks for Text, and for the short strings of Value, which a user may keep for long. The latter
// are most often a quarter to a third of the text, so their blocks are three eighths of its rest.
const (
	blockSize      = 8 << 10
	shortBlockSize = 1 << 10

	maxShort = shortBlockSize / 4 // of a string that shares a block
)

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
			s.Decline()
			return
		}
		b.WriteRune(r)
		next = Plain(s.data, start)
	}
	if s.at(next) != '"' {
		s.Decline()
		return
	}
	s.pos = next + 1
}

// maxLen returns the maximum length of a string that begins at start, from the position of its end; at is the position
// of its first backslash.
func (s *Scanner) maxLen(start, at int) int {
	for {
		end := bytes.IndexByte(s.data[at:], '"')
		if end < 0 {
			return 0
		}
		at += end + 1
		// After a backslash, the quote may be an escaped one. If it is not, the length is too large, and the next
		// string ends it.
		if s.data[at-2] != '\\' {
			return at - 1 - start
		}
	}
}
