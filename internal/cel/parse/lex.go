package parse

import (
	"strings"
	"unicode/utf8"
)

// A kind is the kind of a token.
type kind uint8

const (
	atEnd   kind = iota
	unknown      // not accepted

	name
	quotedName // `a-b`
	integer
	unsigned
	double
	text
	bytes
	wordTrue
	wordFalse
	wordNull

	wordIn
	equal
	notEqual
	less
	lessEqual
	greater
	greaterEqual
	plus
	minus
	star
	slash
	percent

	and
	or
	not
	dot
	comma
	colon
	question
	openParen
	closeParen
	openBracket
	closeBracket
	openBrace
	closeBrace
)

// A token is a piece of the text: text[from:to].
type token struct {
	kind     kind
	from, to int
}

// A lexer splits a text into tokens.
type lexer struct {
	text string
	token
}

// next reads the next token. After an unknown one there are no more.
func (l *lexer) next() {
	if l.kind == unknown {
		return
	}
	l.from = l.skip(l.to)
	if l.from == len(l.text) {
		l.kind, l.to = atEnd, l.from
		return
	}
	c := l.text[l.from]
	switch {
	case letter(c):
		l.word()
	case digit(c), c == '.' && digit(l.peek(1)):
		l.number()
	case c == '"', c == '\'':
		l.quoted(text, l.from)
	case c == '`':
		l.escaped()
	default:
		l.sign(c)
	}
}

// skip returns the position after all spaces and comments at position at.
func (l *lexer) skip(at int) int {
	for at < len(l.text) {
		switch l.text[at] {
		case ' ', '\t', '\n', '\r', '\f':
			at++
		case '/':
			if !strings.HasPrefix(l.text[at:], "//") {
				return at
			}
			line := strings.IndexByte(l.text[at:], '\n')
			if line < 0 {
				return len(l.text)
			}
			at += line
		default:
			return at
		}
	}
	return at
}

// peek returns the byte at offset n of the token, or 0 after the end of the text.
func (l *lexer) peek(n int) byte {
	if l.from+n >= len(l.text) {
		return 0
	}
	return l.text[l.from+n]
}

// accept makes the next n bytes the token.
func (l *lexer) accept(k kind, n int) { l.kind, l.to = k, l.from+n }

// refuse makes the token unknown, so that there are no more.
func (l *lexer) refuse() { l.kind, l.to = unknown, len(l.text) }

// signs has the tokens of signs by their first byte: the one of that byte alone, and the one of that byte and a second.
var signs = [utf8.RuneSelf]struct {
	alone  kind // atEnd: none
	second byte // 0: none
	both   kind
}{
	'(': {alone: openParen}, ')': {alone: closeParen}, '[': {alone: openBracket}, ']': {alone: closeBracket},
	'{': {alone: openBrace}, '}': {alone: closeBrace}, '.': {alone: dot}, ',': {alone: comma}, ':': {alone: colon},
	'?': {alone: question}, '+': {alone: plus}, '-': {alone: minus}, '*': {alone: star}, '/': {alone: slash}, '%': {alone: percent},
	'!': {not, '=', notEqual}, '<': {less, '=', lessEqual}, '>': {greater, '=', greaterEqual},
	'=': {second: '=', both: equal}, '&': {second: '&', both: and}, '|': {second: '|', both: or},
}

func (l *lexer) sign(c byte) {
	if c >= utf8.RuneSelf {
		l.refuse()
		return
	}
	switch s := &signs[c]; {
	case s.second != 0 && l.peek(1) == s.second:
		l.accept(s.both, 2)
	case s.alone != atEnd:
		l.accept(s.alone, 1)
	default:
		l.refuse()
	}
}

// word reads a name, a keyword, or a string with a prefix.
func (l *lexer) word() {
	n := 1
	for c := l.peek(n); letter(c) || digit(c); c = l.peek(n) {
		n++
	}
	if c := l.peek(n); (c == '"' || c == '\'') && l.prefixed(n) {
		return
	}
	switch l.text[l.from : l.from+n] {
	case "in":
		l.accept(wordIn, n)
	case "true":
		l.accept(wordTrue, n)
	case "false":
		l.accept(wordFalse, n)
	case "null":
		l.accept(wordNull, n)
	default:
		l.accept(name, n)
	}
}

// prefixed reads a string with a prefix of n letters. It reports false if the letters are not a prefix of a string.
func (l *lexer) prefixed(n int) bool {
	k, raw := text, n
	if c := l.text[l.from]; c == 'b' || c == 'B' {
		k, raw = bytes, n-1
	}
	first := l.text[l.from+n-raw]
	if raw > 1 || raw == 1 && first != 'r' && first != 'R' {
		return false
	}
	l.quoted(k, l.from+n)
	return true
}

// escaped reads a name in backticks.
func (l *lexer) escaped() {
	for n := 1; ; n++ {
		switch c := l.peek(n); {
		case letter(c), digit(c), c == '.', c == '-', c == '/', c == ' ':
		case c == '`' && n > 1:
			l.accept(quotedName, n+1)
			return
		default:
			l.refuse()
			return
		}
	}
}

// number reads a number. It refuses one before a letter or a digit, where tokens are split in unexpected ways.
func (l *lexer) number() {
	n, k := 0, integer
	if l.peek(0) == '0' && l.peek(1) == 'x' && hexDigit(l.peek(2)) {
		for n = 3; hexDigit(l.peek(n)); {
			n++
		}
	} else {
		n = l.digits(0)
		if l.peek(n) == '.' && digit(l.peek(n+1)) {
			n, k = l.digits(n+1), double
		}
		if c := l.peek(n); c == 'e' || c == 'E' {
			exponent := n + 1
			if c := l.peek(exponent); c == '+' || c == '-' {
				exponent++
			}
			if end := l.digits(exponent); end > exponent {
				n, k = end, double
			}
		}
	}
	if c := l.peek(n); k == integer && (c == 'u' || c == 'U') {
		n, k = n+1, unsigned
	}
	if c := l.peek(n); letter(c) || digit(c) {
		l.refuse()
		return
	}
	l.accept(k, n)
}

// digits returns the end of the digits that begin at offset n of the token.
func (l *lexer) digits(n int) int {
	for digit(l.peek(n)) {
		n++
	}
	return n
}

// quoted reads a string, with or without a prefix.
func (l *lexer) quoted(k kind, quote int) {
	raw := quote > l.from && l.text[quote-1]|0x20 == 'r'
	mark := l.text[quote : quote+1]
	if strings.HasPrefix(l.text[quote:], mark+mark+mark) {
		mark = l.text[quote : quote+3]
	}
	for at := quote + len(mark); at < len(l.text); at++ {
		switch c := l.text[at]; {
		case c == '\\' && !raw:
			at++ // the literal checks what is escaped
		case c == mark[0] && strings.HasPrefix(l.text[at:], mark):
			l.kind, l.to = k, at+len(mark)
			return
		case (c == '\n' || c == '\r') && len(mark) == 1:
			l.refuse()
			return
		}
	}
	l.refuse()
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

func hexDigit(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
