package pattern

// Most patterns of a schema have a few simple parts, and are matched with few strings or none. This second parser
// handles those, and leaves all others to package regexp/syntax. It checks that a pattern is valid, and builds a tree.
//
// Without it, each of these patterns takes 2 to 4 microseconds and 1 to 5 KB more, and checking 854 definitions of
// well-known projects takes 6 % longer. The patterns that it parses do not count towards the limit for one schema,
// either.

import (
	"regexp/syntax"
	"unicode/utf8"
)

// Limits that keep a plain pattern below those of package regexp/syntax on nesting, repetitions and size.
const (
	plainLength  = 4 << 20
	plainDepth   = 50
	maxCount     = 1000      // of one repetition
	plainRepeats = 1000      // of counted repetitions inside each other, multiplied
	plainSize    = 3_300_000 // as package regexp/syntax counts instructions, or more
)

// plain reports whether text is certainly valid: whether it consists of literals, simple escapes and classes, groups,
// alternatives and repetitions, within limits.
func plain(text string) bool {
	_, ok := growPlain(text, nil)
	return ok
}

// growPlain adds the nodes for text to g, which may be nil. It reports false if text is not plain.
func growPlain(text string, g *grower) (root uint32, ok bool) {
	p := plainReader{text: text, tree: g}
	if len(text) > plainLength {
		return 0, false
	}
	repeats, root := p.alternatives(0)
	return root, repeats > 0 && p.pos == len(text) && p.size <= plainSize
}

type plainReader struct {
	text string
	pos  int
	size int     // a lower bound on the size of what was read, in instructions
	tree *grower // nil: only the syntax is checked
}

// peek returns the next byte, or 0 at the end. Plain patterns have no zeros.
func (p *plainReader) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// alternatives reads up to the end or the closing parenthesis. It returns the maximum number of times that counted
// repetitions repeat something in it; 0 if it is not plain.
func (p *plainReader) alternatives(depth int) (repeats int, all uint32) {
	if depth > plainDepth {
		return 0, 0
	}
	repeats = 1
	begun := p.pos        // of this alternative
	bottom, begin := 0, 0 // of the alternatives, and of the parts of this one
	if p.tree != nil {
		bottom = len(p.tree.stack)
		begin = bottom
	}
	for {
		switch p.peek() {
		case 0, ')', '|':
			if p.pos == begun {
				p.size++
			}
			if p.tree != nil {
				whole := p.tree.pop(nodeConcat, begin)
				p.tree.stack = append(p.tree.stack, whole)
				begin++
			}
			if p.peek() != '|' {
				if p.tree != nil {
					all = p.tree.pop(nodeAlternate, bottom)
				}
				return repeats, all
			}
			p.pos++
			p.size++
			begun = p.pos
			continue
		}
		inside, next := p.repeated(depth)
		if inside == 0 || inside > plainRepeats {
			return 0, 0
		}
		repeats = max(repeats, inside)
		if p.tree != nil {
			p.tree.stack = append(p.tree.stack, next)
		}
	}
}

// repeated reads an atom and its repetition. Its results are those of alternatives.
func (p *plainReader) repeated(depth int) (repeats int, one uint32) {
	size := p.size
	repeats, one = p.atom(depth)
	if repeats == 0 {
		return 0, 0
	}
	r, ok := p.repetition()
	if !ok {
		return 0, 0
	}
	if r.least == 1 && r.most == 1 {
		return repeats, one
	}
	copies := max(r.least, r.most, 1)
	p.size += (p.size - size) * (copies - 1)
	switch {
	case r.most == unbounded && r.least == 0:
		p.size += 2
	case r.most == unbounded:
		p.size++
	default:
		p.size += max(r.most-r.least, 0)
	}
	if p.tree != nil {
		one = p.tree.repeated(one, r)
	}
	return repeats * copies, one
}

// atom reads anything that can be repeated. Its results are those of alternatives.
func (p *plainReader) atom(depth int) (repeats int, one uint32) {
	c := p.peek()
	p.pos++
	if c != '(' {
		p.size++
	}
	var set class
	switch {
	case c == '(':
		if p.peek() == '?' {
			if p.pos++; p.peek() != ':' {
				return 0, 0
			}
			p.pos++
		} else {
			p.size += 2
		}
		repeats, one = p.alternatives(depth + 1)
		if p.peek() != ')' {
			return 0, 0
		}
		p.pos++
		return repeats, one
	case c == '[':
		if !p.class(&set) {
			return 0, 0
		}
	case c == '\\':
		if !p.escape(&set) {
			return 0, 0
		}
	case c == '.':
		set.ascii.add('\n', '\n')
		set.invert()
	case c == '^', c == '$':
		op := syntax.EmptyBeginText
		if c == '$' {
			op = syntax.EmptyEndText
		}
		if p.tree != nil {
			one = p.tree.assert(op)
		}
		return 1, one
	case c == '*', c == '+', c == '?', c == '{', c == '}', c == ']', c < ' ', c == 0x7f:
		return 0, 0
	default:
		r, width := utf8.DecodeRuneInString(p.text[p.pos-1:])
		if r == utf8.RuneError && width == 1 {
			return 0, 0
		}
		p.pos += width - 1
		if p.tree != nil {
			one = p.tree.add(node{op: nodeRune, a: uint32(r)})
		}
		return 1, one
	}
	if p.tree != nil {
		one = p.tree.class(set)
	}
	return 1, one
}

// The classes that have a letter.
var (
	digits    = byteSet{0x03ff_0000_0000_0000, 0}
	blanks    = byteSet{1<<'\t' | 1<<'\n' | 1<<'\f' | 1<<'\r' | 1<<' ', 0}
	wordBytes = byteSet{digits[0], 0x07ff_fffe_87ff_fffe}
)

// escape reads the character after a backslash: the letter of a class, or a character that stands for itself.
func (p *plainReader) escape(set *class) bool {
	c := p.peek()
	p.pos++
	var named class
	switch c {
	case 'd', 'D':
		named.ascii = digits
	case 's', 'S':
		named.ascii = blanks
	case 'w', 'W':
		named.ascii = wordBytes
	case '.', '-', '/', '\\', '+', '*', '?', '(', ')', '[', ']', '{', '}', '^', '$', '|',
		'_', ':', ',', '=', '@', '#', '%', '&', '~':
		set.ascii.add(c, c)
		return true
	default:
		return false
	}
	if c < 'a' {
		named.invert()
	}
	set.ascii[0] |= named.ascii[0]
	set.ascii[1] |= named.ascii[1]
	set.high = set.high || named.high
	return true
}

// class reads a class in brackets: of letters, digits, signs, escapes, and ranges of letters or digits.
func (p *plainReader) class(set *class) bool {
	negated := p.peek() == '^'
	if negated {
		p.pos++
	}
	for first := true; ; first = false {
		c := p.peek()
		p.pos++
		switch {
		case c == ']':
			if negated {
				set.invert()
			}
			return !first
		case c == '\\':
			if !p.escape(set) || p.dash() {
				return false
			}
		case c == '-':
			if !first && p.peek() != ']' {
				return false
			}
			set.ascii.add(c, c)
		case c <= ' ' || c >= 0x7f || c == '[':
			return false
		case p.dash():
			p.pos++
			last := p.peek()
			p.pos++
			if !alphanumeric(c) || !alphanumeric(last) || last < c {
				return false
			}
			set.ascii.add(c, last)
		default:
			set.ascii.add(c, c)
		}
	}
}

// dash reports whether the next byte, in a class, is the dash of a range.
func (p *plainReader) dash() bool {
	return p.peek() == '-' && p.pos+1 < len(p.text) && p.text[p.pos+1] != ']'
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// A repetition is how often an atom is repeated.
type repetition struct {
	least, most int
	lazy        bool // the fewest first
}

const unbounded = -1

// repetition reads a repetition, if there is one. It reports false if it is not plain: package regexp/syntax refuses
// one after another.
func (p *plainReader) repetition() (r repetition, ok bool) {
	switch p.peek() {
	case '*':
		r.most = unbounded
	case '+':
		r.least, r.most = 1, unbounded
	case '?':
		r.most = 1
	case '{':
		p.pos++
		r.least = p.count()
		r.most = r.least
		if p.peek() == ',' {
			p.pos++
			r.most = unbounded
			if p.peek() != '}' {
				if r.most = p.count(); r.most < r.least {
					return r, false
				}
			}
		}
		if p.peek() != '}' || r.least < 0 {
			return r, false
		}
	default:
		return repetition{least: 1, most: 1}, true
	}
	p.pos++
	if p.peek() == '?' {
		r.lazy = true
		p.pos++
	}
	switch p.peek() {
	case '*', '+', '?', '{':
		return r, false
	}
	return r, true
}

// count reads a number of at most 1,000; -1 if there is none.
func (p *plainReader) count() int {
	n, begin := 0, p.pos
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		n = n*10 + int(c-'0')
		p.pos++
	}
	if digits := p.pos - begin; digits == 0 || digits > 4 || n > maxCount || digits > 1 && p.text[begin] == '0' {
		return -1
	}
	return n
}
