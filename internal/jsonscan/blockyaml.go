package jsonscan

import (
	"bytes"
	"unicode/utf8"
)

// maxYAMLDepth limits the nesting of mappings and sequences.
const maxYAMLDepth = 500

// A YAML reads the documents of one YAML stream.
type YAML struct {
	data     []byte
	out      []byte // the JSON of the document
	depth    int
	declined bool

	// The current line: its text begins at start, in column col, and ends before end, without trailing spaces. The rest
	// of a line after the dash of a sequence is treated as a line in a deeper column.
	col, start, end int
	next            int  // where the next line begins
	ended           bool // there is no next line: next is the end, or a document marker
}

// NewYAML returns a reader of data, which must not be modified while it is in use.
func NewYAML(data []byte) *YAML {
	return &YAML{data: data, declined: !printable(data)}
}

// Declined reports whether the reader has declined the stream. Then the documents that Next returned must not be used.
func (r *YAML) Declined() bool { return r.declined }

// Next returns the JSON of the next document that has content. It reports false at the end, and if the stream is
// declined. The JSON is valid until the next call of Next, which reuses its memory.
func (r *YAML) Next() (json []byte, ok bool) {
	for {
		r.advance()
		switch {
		case r.declined:
			return nil, false
		case !r.ended:
			return r.document()
		case r.next == len(r.data):
			return nil, false
		}
		end := r.lineEnd(r.next)
		if string(bytes.TrimRight(r.data[r.next:end], " ")) != "---" { // content after it, or dots
			r.declined = true
		}
		r.next = min(end+1, len(r.data))
	}
}

func (r *YAML) document() ([]byte, bool) {
	if r.out == nil { // most streams are one document, and its JSON has about the same length
		r.out = make([]byte, 0, len(r.data)-r.start)
	}
	r.out = r.out[:0]
	if r.dash(r.start) {
		r.declined = true
	}
	r.collection()
	if !r.ended { // the line belongs to no collection
		r.declined = true
	}
	return r.out, !r.declined
}

// printable reports whether data has only characters that are read as they are.
func printable(data []byte) bool {
	if !utf8.Valid(data) {
		return false
	}
	for i := 0; i < len(data); {
		c, size := rune(data[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(data[i:])
		}
		switch {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t':
		case c < 0xa0, c == 0x2028, c == 0x2029, // control characters and breaks
			c == 0xfeff, c == 0xfffe, c == 0xffff:
			return false
		}
		i += size
	}
	return true
}

// lineEnd returns the index of the end of the line that i is in.
func (r *YAML) lineEnd(i int) int {
	n := bytes.IndexByte(r.data[i:], '\n')
	if n < 0 {
		return len(r.data)
	}
	return i + n
}

// skipSpaces returns the index of the first byte at or after i that is not a space.
func (r *YAML) skipSpaces(i int) int {
	for i < len(r.data) && r.data[i] == ' ' {
		i++
	}
	return i
}

// trimSpaces returns the index after the last byte that is not a space, between start and end.
func (r *YAML) trimSpaces(start, end int) int {
	for end > start && r.data[end-1] == ' ' {
		end--
	}
	return end
}

// at returns the byte at i, or a line feed beyond the end.
func (r *YAML) at(i int) byte {
	if i < len(r.data) {
		return r.data[i]
	}
	return '\n'
}

// advance goes to the next line that has more than a comment.
func (r *YAML) advance() {
	for r.ended = false; r.next < len(r.data); {
		begin := r.next
		if r.isMark(begin) {
			break
		}
		r.start = r.skipSpaces(begin)
		r.col = r.start - begin
		end := r.lineEnd(r.start)
		r.next = min(end+1, len(r.data))
		if c := r.at(r.start); c != '\n' && c != '#' {
			r.end = r.trimSpaces(r.start, end)
			return
		}
	}
	r.ended = true
}

// isMark reports whether the line that begins at i is a document marker.
func (r *YAML) isMark(i int) bool {
	if c := r.at(i); c != '-' && c != '.' {
		return false
	}
	rest := r.data[i:]
	if !bytes.HasPrefix(rest, []byte("---")) && !bytes.HasPrefix(rest, []byte("...")) {
		return false
	}
	after := r.at(i + 3)
	return after == ' ' || after == '\n' || after == '\t'
}

// dash reports whether the dash of a sequence is at i, in the current line.
func (r *YAML) dash(i int) bool {
	return r.data[i] == '-' && (r.at(i+1) == ' ' || i+1 == r.end)
}

// collection reads the sequence or the mapping that begins with the current line.
func (r *YAML) collection() {
	if r.declined {
		return
	}
	if r.depth++; r.depth > maxYAMLDepth {
		r.declined = true
		return
	}
	if r.dash(r.start) {
		r.sequence()
	} else {
		r.mapping()
	}
	r.depth--
}

// within reports whether the current line belongs to a collection in the column col, and declines one that is indented
// too far for that.
func (r *YAML) within(col int) bool {
	if r.ended || r.declined || r.col < col {
		return false
	}
	if r.col > col {
		r.declined = true
		return false
	}
	return true
}

func (r *YAML) sequence() {
	col := r.col
	r.out = append(r.out, '[')
	for first := true; r.within(col) && r.dash(r.start); first = false {
		if !first {
			r.out = append(r.out, ',')
		}
		from := r.skipSpaces(r.start + 1)
		switch {
		case r.blank(from):
			r.below(col, false)
		case r.dash(from), r.keyEnd(from) > 0:
			r.col += from - r.start
			r.start = from
			r.collection()
		default:
			r.value(from, col)
		}
	}
	r.out = append(r.out, ']')
}

func (r *YAML) mapping() {
	col := r.col
	r.out = append(r.out, '{')
	for first := true; r.within(col); first = false {
		end := r.keyEnd(r.start)
		if end == 0 {
			r.declined = true
			return
		}
		if !first {
			r.out = append(r.out, ',')
		}
		r.key(r.start, end)
		if from := r.skipSpaces(end + 1); r.blank(from) {
			r.below(col, true)
		} else {
			r.value(from, col)
		}
	}
	r.out = append(r.out, '}')
}

// blank reports whether the line is empty from i on, or has only a comment. The byte before i is a space.
func (r *YAML) blank(i int) bool { return i >= r.end || r.data[i] == '#' }

// below reads the value of a key or a dash in column col that has none on its line: a collection in a deeper column, or
// nothing, which is null. If it is the value of a key, a sequence may be in the same column.
func (r *YAML) below(col int, key bool) {
	r.advance()
	if !r.ended && (r.col > col || key && r.col == col && r.dash(r.start)) {
		r.collection()
		return
	}
	r.out = append(r.out, "null"...)
}

// keyEnd returns the index of the colon after the key that begins at i, or 0 if there is no simple one. A simple key is
// on one line and either has only letters, digits and a few other characters, and is a string, or is quoted without
// escapes.
func (r *YAML) keyEnd(i int) int {
	begin := i
	if q := r.data[i]; q == '"' || q == '\'' {
		for i++; i < r.end && i-begin < maxPlainKey && (plainKeyBytes[r.data[i]] || r.data[i] == ' ' || r.data[i] == ':'); i++ {
		}
		if i++; i >= r.end || r.data[i-1] != q {
			return 0
		}
	} else {
		for i < r.end && i-begin < maxPlainKey && plainKeyBytes[r.data[i]] {
			i++
		}
		if i == begin || q == '-' || resolveScalar(r.data[begin:i]) != textMeaning {
			return 0
		}
	}
	if i >= r.end || r.data[i] != ':' || i+1 < r.end && r.data[i+1] != ' ' {
		return 0
	}
	return i
}

// maxPlainKey is well below 1,024 characters, YAML's limit for a simple key.
const maxPlainKey = 400

var plainKeyBytes = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./$") {
		set[c] = true
	}
	return set
}()

// key writes the key between i and its colon.
func (r *YAML) key(i, colon int) {
	if c := r.data[i]; c == '"' || c == '\'' {
		i, colon = i+1, colon-1
	}
	r.out = append(append(append(r.out, '"'), r.data[i:colon]...), '"', ':')
}
