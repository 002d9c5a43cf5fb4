package patch

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"
)

// A node is a value in a text that is being patched.
//
// A server reads only the parts of a text that a patch needs, and the result shows which: an object that was read is
// written with sorted and unique keys; any other object is written as it was spelled (PAT-005), so its duplicate keys
// are found when the result is decoded. So a node keeps its text until it is opened. Then its children replace the
// text.
//
// There are three kinds of null, which [editor] distinguishes (PAT-004):
//   - nil, without a node, is a null in a text, and a missing member;
//   - [givenNull] makes a null that an operation sets;
//   - [copiedNull] makes a copy of that.
type node struct {
	text    []byte // as it was spelled, without surrounding white space; nil for a given null
	shape   shape
	known   bool // members or items are decoded
	opened  bool // the members or items, not the text, are the value
	members map[string]*node
	items   []*node
}

type shape byte

const (
	scalar shape = iota
	object
	list
)

func givenNull() *node { return &node{} }

// copiedNull returns a node that a server treats as an object without members, to which nothing can be added.
func copiedNull() *node { return &node{text: []byte("null"), shape: object, known: true} }

// allLevels is the number of levels that makes read read all of them.
const allLevels = -1

// read returns the value of a valid JSON text, with that many levels of children. The others are read when they are
// opened.
func read(text []byte, levels int) *node {
	r := reader{text: text}
	return r.value(levels)
}

// A reader reads a valid JSON text of at most jsonval.MaxDepth levels.
type reader struct {
	text []byte
	at   int
}

func (r *reader) value(levels int) *node {
	r.skipBlanks()
	start := r.at
	var n node
	switch r.text[start] {
	case '{':
		n.shape = object
	case '[':
		n.shape = list
	}
	switch {
	case n.shape == scalar:
		r.skipScalar()
	case levels == 0:
		r.skipContainer()
	default:
		n.known = true
		r.children(&n, levels-1)
	}
	if r.text[start] == 'n' {
		return nil
	}
	n.text = r.text[start:r.at]
	return &n
}

// children reads the children of n, from its opening to its closing bracket.
func (r *reader) children(n *node, levels int) {
	if n.shape == object {
		n.members = make(map[string]*node)
	}
	for {
		r.at++ // the bracket, or a comma
		r.skipBlanks()
		if c := r.text[r.at]; c == '}' || c == ']' { // only if it is empty
			break
		}
		if n.shape == object {
			key := r.key()
			r.skipBlanks()
			r.at++                           // the colon
			n.members[key] = r.value(levels) // DEC-005: the last of several duplicate keys is used
		} else {
			n.items = append(n.items, r.value(levels))
		}
		r.skipBlanks()
		if r.text[r.at] != ',' {
			break
		}
	}
	r.at++
}

func (r *reader) key() string {
	start := r.at
	r.skipScalar()
	return unquote(r.text[start:r.at])
}

func (r *reader) skipBlanks() {
	for r.at < len(r.text) && isBlank(r.text[r.at]) {
		r.at++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (r *reader) skipScalar() {
	if r.text[r.at] == '"' {
		r.at++
		for r.text[r.at] != '"' {
			if r.text[r.at] == '\\' {
				r.at++
			}
			r.at++
		}
		r.at++
		return
	}
	for r.at < len(r.text) && !endsScalar(r.text[r.at]) {
		r.at++
	}
}

func endsScalar(c byte) bool { return c == ',' || c == ']' || c == '}' || isBlank(c) }

func (r *reader) skipContainer() {
	for depth := 0; ; {
		switch r.text[r.at] {
		case '"':
			r.skipScalar()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		r.at++
		if depth == 0 {
			return
		}
	}
}

// unquote returns the string for a JSON string.
func unquote(text []byte) string {
	inside := text[1 : len(text)-1]
	if bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(text, &s) // cannot fail: text is a string
	return s
}

// open replaces n's text by its children, and reports whether n can have children.
func (n *node) open() bool {
	if n == nil || n.shape == scalar {
		return false
	}
	if !n.known {
		// Reads each text only once, with all its levels: reading one level at a time would read it once per level.
		all := read(n.text, allLevels)
		n.members, n.items, n.known = all.members, all.items, true
	}
	n.opened = true
	return true
}

// appendTo appends n's JSON to dst, as a server writes it: on one line, with HTML characters escaped. It reports false
// if more than depth lists and objects are nested.
func (n *node) appendTo(dst []byte, depth int) ([]byte, bool) {
	switch {
	case n == nil || n.text == nil || n.shape == object && n.known && n.members == nil:
		return append(dst, "null"...), true
	case !n.opened:
		return appendCompact(dst, n.text, depth)
	case depth == 0:
		return dst, false
	case n.shape == list:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			var ok bool
			if dst, ok = item.appendTo(dst, depth-1); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	}
	dst = append(dst, '{')
	for i, key := range slices.Sorted(maps.Keys(n.members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		var ok bool
		if dst, ok = n.members[key].appendTo(dst, depth-1); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// appendCompact appends a valid JSON text to dst without white space and with HTML characters escaped.
func appendCompact(dst, text []byte, depth int) ([]byte, bool) {
	const hex = "0123456789abcdef"
	inString, done := false, 0 // text[:done] is in dst, or left out
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			inString = !inString
		case '\\':
			i++
		case '{', '[':
			if inString {
				continue
			}
			if depth == 0 {
				return dst, false
			}
			depth--
		case '}', ']':
			if !inString {
				depth++
			}
		case ' ', '\t', '\r', '\n':
			if !inString {
				dst, done = append(dst, text[done:i]...), i+1
			}
		case '<', '>', '&':
			dst, done = append(dst, text[done:i]...), i+1
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case 0xE2: // the first byte of U+2028 and U+2029, which end a line in JavaScript
			if r, size := utf8.DecodeRune(text[i:]); r == '\u2028' || r == '\u2029' {
				dst, done = append(dst, text[done:i]...), i+size
				dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&15])
			}
		}
	}
	return append(dst, text[done:]...), true
}
