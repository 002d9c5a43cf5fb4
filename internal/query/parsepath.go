package query

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParsePath parses the path of a column: a template without its braces.
//
// Clauses: TAB-004, TAB-010.
func ParsePath(path string) (*Path, error) {
	elements, err := template("{"+path+"}", maxDepth)
	if err != nil {
		return nil, err
	}
	return &Path{elements}, nil
}

// maxDepth is the maximum depth of nested filters.
const maxDepth = 100

var errDepth = errors.New("filters stand too deep in one another")

// template returns the contents of the braces in a text. The text between them is ignored.
func template(text string, depth int) ([]chain, error) {
	if depth == 0 {
		return nil, errDepth
	}
	var elements []chain
	p := pathParser{text: text, depth: depth}
	for {
		i := strings.IndexByte(p.rest(), '{')
		if i < 0 {
			return elements, nil
		}
		p.pos += i + 1
		c, err := p.chain()
		if err != nil {
			return nil, err
		}
		elements = append(elements, c)
	}
}

// operand parses a part of a path on its own.
func (p *pathParser) operand(text string) (chain, error) {
	elements, err := template("{"+text+"}", p.depth-1)
	if err != nil {
		return nil, err
	}
	return elements[0], nil
}

// A pathParser is at a position of a template.
type pathParser struct {
	text  string
	pos   int
	depth int
}

func (p *pathParser) rest() string { return p.text[p.pos:] }

// end follows the last character.
const end = -1

func (p *pathParser) peek() (r rune, size int) {
	if p.pos == len(p.text) {
		return end, 0
	}
	return utf8.DecodeRuneInString(p.rest())
}

func (p *pathParser) next() rune {
	r, size := p.peek()
	p.pos += size
	return r
}

// skip advances to the first character for which belongs is false, or to the end.
func (p *pathParser) skip(belongs func(r rune) bool) {
	for r, size := p.peek(); belongs(r); r, size = p.peek() {
		p.pos += size
	}
}

// chain parses up to and including the closing brace.
func (p *pathParser) chain() (chain, error) {
	var c chain
	for {
		var s []segment
		var err error
		switch rest := p.rest(); {
		case strings.HasPrefix(rest, "}"):
			p.pos++
			return c, nil
		case strings.HasPrefix(rest, "[?("):
			s, err = p.filter()
		case strings.HasPrefix(rest, ".."):
			s, err = p.recursive(c)
		default:
			s, err = p.segment()
		}
		if err != nil {
			return nil, err
		}
		c = append(c, s...)
	}
}

// segment parses the segment that begins with a character.
func (p *pathParser) segment() ([]segment, error) {
	start := p.pos
	switch r := p.next(); {
	case r == end, endsLine(r):
		return nil, errors.New("unclosed action")
	case r == ' ', r == '@', r == '$':
		return nil, nil
	case r == '[':
		return p.brackets()
	case r == '"', r == '\'':
		return p.quoted(r)
	case r == '.':
		return p.field(), nil
	case r == '+', r == '-', unicode.IsDigit(r):
		return p.number(start)
	case inWord(r):
		return p.word(start), nil
	default:
		return nil, fmt.Errorf("unrecognized character in action: %#U", r)
	}
}

// field parses a name after its dot. A backslash escapes the next character, and is dropped.
func (p *pathParser) field() []segment {
	start := p.pos
	for {
		r, size := p.peek()
		if r == '\\' {
			p.pos++
			p.next()
			continue
		}
		if terminates(r) {
			break
		}
		p.pos += size
	}
	name := p.text[start:p.pos]
	if name == "*" {
		return []segment{{kind: wildcard}}
	}
	return []segment{{kind: named, name: strings.ReplaceAll(name, `\`, "")}}
}

// recursive parses two dots, and a name if one follows. before is the text before them.
func (p *pathParser) recursive(before chain) ([]segment, error) {
	if n := len(before); n > 0 && before[n-1].kind == recursive {
		return nil, errors.New("invalid multiple recursive descent")
	}
	p.pos += len("..")
	s := []segment{{kind: recursive}}
	if r, _ := p.peek(); inWord(r) {
		s = append(s, p.field()...)
	}
	return s, nil
}

// number parses the number that began at start.
func (p *pathParser) number(start int) ([]segment, error) {
	p.skip(func(r rune) bool { return r == '.' || unicode.IsDigit(r) })
	digits := p.text[start:p.pos]
	if i, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return []segment{{kind: literal, literal: PathInt(i)}}, nil
	}
	if f, err := strconv.ParseFloat(digits, 64); err == nil {
		return []segment{{kind: literal, literal: f}}, nil
	}
	return nil, fmt.Errorf("cannot parse number %s", digits)
}

// word parses the word that began at start.
func (p *pathParser) word(start int) []segment {
	p.skip(func(r rune) bool { return !terminates(r) })
	switch name := p.text[start:p.pos]; name {
	case "true", "false":
		return []segment{{kind: literal, literal: name == "true"}}
	default:
		return []segment{{kind: unknown, name: name}}
	}
}

// quoted parses a literal whose opening quote has been read.
func (p *pathParser) quoted(quote rune) ([]segment, error) {
	start := p.pos - 1
	for {
		switch p.next() {
		case end, '\n':
			return nil, errors.New("unterminated quoted string")
		case quote:
			if p.text[p.pos-2] == '\\' {
				continue
			}
			s, err := unquote(p.text[start+1:p.pos-1], byte(quote))
			if err != nil {
				return nil, fmt.Errorf("unquote string %s error %w", p.text[start:p.pos], err)
			}
			return []segment{{kind: textSegment, literal: s}}, nil
		}
	}
}

// unquote reads the text between two quotes as Go does.
func unquote(s string, quote byte) (string, error) {
	if !strings.ContainsAny(s, `\`+string(rune(quote))) {
		return s, nil
	}
	var out []byte
	for s != "" {
		r, multibyte, rest, err := strconv.UnquoteChar(s, quote)
		if err != nil {
			return "", err
		}
		if s = rest; multibyte {
			out = utf8.AppendRune(out, r)
		} else {
			out = append(out, byte(r))
		}
	}
	return string(out), nil
}

// brackets parses an index, a slice, a quoted name or a union of these, whose opening bracket has been read.
func (p *pathParser) brackets() ([]segment, error) {
	n := strings.IndexAny(p.rest(), "]\n")
	if n < 0 || p.rest()[n] == '\n' {
		return nil, errors.New("unterminated array")
	}
	inside := p.rest()[:n]
	p.pos += n + 1
	if inside == "*" {
		inside = ":"
	}
	if strings.Contains(inside, ",") {
		return p.union(inside)
	}
	if name, ok := singleQuoted(inside); ok {
		return p.operand("." + name) // parsed once more, so a dot in the name needs a backslash
	}
	s, err := parseSlice(inside)
	if err != nil {
		return nil, err
	}
	return []segment{{kind: slicing, slice: s}}, nil
}

func (p *pathParser) union(inside string) ([]segment, error) {
	var chains []chain
	for part := range strings.SplitSeq(inside, ",") {
		c, err := p.operand("[" + strings.Trim(part, " ") + "]")
		if err != nil {
			return nil, err
		}
		chains = append(chains, c)
	}
	return []segment{{kind: unions, union: chains}}, nil
}

// singleQuoted returns a text without its quotes, if it has none inside.
func singleQuoted(s string) (string, bool) {
	if len(s) < 2 || s[0] != '\'' || s[len(s)-1] != '\'' {
		return "", false
	}
	s = s[1 : len(s)-1]
	return s, !strings.Contains(s, "'")
}

func parseSlice(inside string) (slice, error) {
	parts := strings.Split(inside, ":")
	if len(parts) > 3 {
		return slice{}, fmt.Errorf("invalid array index %s", inside)
	}
	for _, part := range parts {
		if strings.Trim(strings.TrimPrefix(part, "-"), "0123456789") != "" {
			return slice{}, fmt.Errorf("invalid array index %s", inside)
		}
	}
	var s slice
	for i, to := range []*bound{&s.from, &s.to, &s.step} {
		if i >= len(parts) || parts[i] == "" {
			continue
		}
		var err error
		if to.value, err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return slice{}, fmt.Errorf("array index %s is not a number", parts[i])
		}
		to.known = true
	}
	if len(parts) == 1 {
		s.to, s.derived = bound{s.from.value + 1, true}, true
	}
	return s, nil
}

// filter parses a filter with its brackets (TAB-011).
func (p *pathParser) filter() ([]segment, error) {
	p.pos += len("[?(")
	start := p.pos
	if err := p.toParenthesis(); err != nil {
		return nil, err
	}
	inside := p.text[start : p.pos-1]
	if p.next() != ']' {
		return nil, errors.New("unclosed array expect ]")
	}
	f := &filter{}
	left, operator, right := comparison(inside)
	var err error
	if f.left, err = p.operand(left); err != nil {
		return nil, err
	}
	if operator != "" {
		f.operator = operator
		if f.right, err = p.operand(right); err != nil {
			return nil, err
		}
	}
	return []segment{{kind: filtering, filter: f}}, nil
}

// toParenthesis skips to the parenthesis that closes a filter: the first one outside of the first quoted text.
func (p *pathParser) toParenthesis() error {
	var quote rune // 0: none yet
	closed := false
	for {
		switch r := p.next(); r {
		case end, '\n':
			return errors.New("unterminated filter")
		case '"', '\'':
			if quote == 0 {
				quote = r
			} else if r == quote && p.text[p.pos-2] != '\\' {
				closed = true
			}
		case ')':
			if quote == 0 || closed {
				return nil
			}
		}
	}
}

// comparison splits a filter at its operator: the first run of characters that operators consist of. The right side has
// at least one character, if necessary the last one of these. Without an operator, left is all of it.
func comparison(inside string) (left, operator, right string) {
	const characters = "!<>="
	i := strings.IndexAny(inside, characters)
	if i <= 0 {
		return inside, "", ""
	}
	n := len(inside[i:]) - len(strings.TrimLeft(inside[i:], characters))
	if i+n == len(inside) {
		n--
	}
	if n == 0 {
		return inside, "", ""
	}
	return inside[:i], inside[i : i+n], inside[i+n:]
}

// terminates reports whether a name or a word ends before r.
func terminates(r rune) bool {
	switch r {
	case end, ' ', '\t', '.', ',', '[', ']', '$', '@', '{', '}':
		return true
	}
	return endsLine(r)
}

func endsLine(r rune) bool { return r == '\r' || r == '\n' }

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
