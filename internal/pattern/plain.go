package pattern

// Most patterns of a schema are made of a few simple things, and meet few strings or none. For those there is a second reader, beside
// package regexp/syntax, that takes a tenth of the time and leaves to that package what it does not know. It tells that a pattern is valid,
// and makes a small nondeterministic automaton for the first strings.

// Bounds that keep a plain pattern far from the limits of package regexp/syntax for nesting, repetitions and size.
const (
	plainLength  = 500
	plainDepth   = 50
	plainRepeats = 1000 // of counted repetitions inside each other, multiplied
)

// plain reports whether text is surely valid: whether it is made of literals, simple escapes and classes, groups, alternatives and
// repetitions, within bounds.
func plain(text string) bool {
	_, ok := readPlain(text, nil)
	return ok
}

// readPlain returns the part of n that stands for text, which is not ok if text is not plain. n may be nil.
func readPlain(text string, n *nfa) (whole part, ok bool) {
	if len(text) > plainLength {
		return whole, false
	}
	p := plainReader{text: text, nfa: n}
	repeats, whole := p.alternatives(0)
	return whole, repeats > 0 && p.pos == len(text)
}

type plainReader struct {
	text string
	pos  int
	nfa  *nfa // nil: only the syntax matters
}

// peek returns the next byte, 0 at the end. There are no zeros in plain patterns.
func (p *plainReader) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// alternatives reads up to the end, or to the parenthesis that closes. It returns how often counted repetitions repeat something
// inside of it, at most; 0 if it is not plain.
func (p *plainReader) alternatives(depth int) (repeats int, all part) {
	if depth > plainDepth {
		return 0, all
	}
	repeats = 1
	var one part
	for first := true; ; {
		switch p.peek() {
		case 0, ')', '|':
			if first {
				all, first = one, false
			} else {
				all = p.nfa.either(all, one)
			}
			if p.peek() != '|' {
				return repeats, all
			}
			p.pos++
			one = part{}
			continue
		}
		inside, next := p.repeated(depth)
		if inside == 0 || inside > plainRepeats {
			return 0, all
		}
		repeats = max(repeats, inside)
		one = p.nfa.join(one, next)
	}
}

// repeated reads an atom and its repetition, and returns what alternatives does.
func (p *plainReader) repeated(depth int) (repeats int, all part) {
	before := p.nfa.size()
	repeats, once := p.atom(depth)
	if repeats == 0 {
		return 0, all
	}
	r, ok := p.repetition()
	if !ok {
		return 0, all
	}
	if p.nfa == nil || r == (repetition{1, 1}) {
		return repeats * max(r.least, r.most, 1), once
	}
	copies := max(r.least, r.most, 1)
	for i := range copies {
		next := once
		if i < copies-1 { // as long as it leads nowhere yet
			begin := p.nfa.size()
			once = p.nfa.copyOf(once, before)
			before = begin
		}
		switch {
		case r.most == unbounded && i == copies-1:
			all = p.nfa.join(all, p.nfa.star(next, r.least > 0))
		case i < r.least:
			all = p.nfa.join(all, next)
		case i < r.most:
			all = p.nfa.join(all, p.nfa.optional(next))
		}
	}
	return repeats * copies, all
}

// atom reads what a repetition may stand behind, and returns what alternatives does.
func (p *plainReader) atom(depth int) (repeats int, one part) {
	c := p.peek()
	p.pos++
	var set byteSet
	switch {
	case c == '(':
		if p.peek() == '?' {
			if p.pos++; p.peek() != ':' {
				return 0, one
			}
			p.pos++
		}
		repeats, one = p.alternatives(depth + 1)
		if p.peek() != ')' {
			return 0, one
		}
		p.pos++
		return repeats, one
	case c == '[':
		if !p.class(&set) {
			return 0, one
		}
	case c == '\\':
		if !p.escape(&set) {
			return 0, one
		}
	case c == '.':
		set.add('\n', '\n')
		set.invert()
	case c == '^', c == '$':
		return 1, p.nfa.anchor(c)
	case c == '*', c == '+', c == '?', c == '{', c == '}', c == ']', c < ' ', c >= 0x7f:
		return 0, one
	default:
		set.add(c, c)
	}
	return 1, p.nfa.atom(&set)
}

// The classes that have a letter.
var (
	digits    = byteSet{0x03ff_0000_0000_0000, 0}
	blanks    = byteSet{1<<'\t' | 1<<'\n' | 1<<'\f' | 1<<'\r' | 1<<' ', 0}
	wordBytes = byteSet{digits[0], 0x07ff_fffe_87ff_fffe}
)

// escape reads what is behind a backslash: a class of characters by its letter, or a sign that stands for itself.
func (p *plainReader) escape(set *byteSet) bool {
	c := p.peek()
	p.pos++
	var named byteSet
	switch c {
	case 'd', 'D':
		named = digits
	case 's', 'S':
		named = blanks
	case 'w', 'W':
		named = wordBytes
	case '.', '-', '/', '\\', '+', '*', '?', '(', ')', '[', ']', '{', '}', '^', '$', '|', '_', ':', ',', '=', '@', '#', '%', '&', '~':
		set.add(c, c)
		return true
	default:
		return false
	}
	if c < 'a' {
		named.invert()
	}
	set[0] |= named[0]
	set[1] |= named[1]
	return true
}

// class reads a class in brackets: of letters, digits, signs, escapes, and ranges of letters or digits.
func (p *plainReader) class(set *byteSet) bool {
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
			set.add(c, c)
		case c <= ' ' || c >= 0x7f || c == '[':
			return false
		case p.dash():
			p.pos++
			last := p.peek()
			p.pos++
			if !alphanumeric(c) || !alphanumeric(last) || last < c {
				return false
			}
			set.add(c, last)
		default:
			set.add(c, c)
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

// A repetition is how often an atom may come.
type repetition struct{ least, most int }

const unbounded = -1

// repetition reads one, if there is any. It is not ok if it is not plain: package regexp/syntax refuses one behind another.
func (p *plainReader) repetition() (r repetition, ok bool) {
	switch p.peek() {
	case '*':
		r = repetition{0, unbounded}
	case '+':
		r = repetition{1, unbounded}
	case '?':
		r = repetition{0, 1}
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
		return repetition{1, 1}, true
	}
	p.pos++
	if p.peek() == '?' { // the shortest first, which makes no difference here
		p.pos++
	}
	switch p.peek() {
	case '*', '+', '?', '{':
		return r, false
	}
	return r, true
}

// count reads a number of at most three digits, -1 if there is none.
func (p *plainReader) count() int {
	n, begin := 0, p.pos
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		n = n*10 + int(c-'0')
		p.pos++
	}
	if digits := p.pos - begin; digits == 0 || digits > 3 || digits > 1 && p.text[begin] == '0' {
		return -1
	}
	return n
}
