package format

// Email addresses (FMT-003).

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// email accepts what package net/mail parses as one address: RFC 5322 without folded lines and most of its obsolete
// forms, with the non-ASCII characters of RFC 6532. It is parsed here because net/mail would link package net, and with
// it the C library, into every program, and because no part of the address is kept, so parsing need not allocate.
func validEmail(s string) bool {
	m := mailbox{s}
	return m.address(true) && m.skipComments() && m.rest == ""
}

// mailbox parses an address from the start of rest. If a method reports false, rest is meaningless, unless the method's
// documentation says otherwise.
type mailbox struct{ rest string }

// address reads an address: a@b, a@b (name), name <a@b>, or, if group is set, name: a@b; with its own address.
func (m *mailbox) address(group bool) bool {
	m.skipBlanks()
	start := *m
	if m.addrSpec() {
		m.skipBlanks()
		return !m.skip('(') || m.nameInComment()
	}
	*m = start
	if !strings.HasPrefix(m.rest, "<") && !m.phrase() {
		return false
	}
	m.skipBlanks()
	if group && m.skip(':') {
		return m.address(false) && m.skipComments() && m.skip(';')
	}
	return m.skip('<') && m.addrSpec() && m.skip('>')
}

// addrSpec reads a@b, where a may be quoted and b may be an IP address in brackets.
func (m *mailbox) addrSpec() bool {
	m.skipBlanks()
	if strings.HasPrefix(m.rest, `"`) {
		if content, ok := m.quoted(); !ok || content == "" {
			return false
		}
	} else if !m.dotAtom() {
		return false
	}
	if !m.skip('@') {
		return false
	}
	m.skipBlanks()
	if !m.skip('[') {
		return m.dotAtom()
	}
	ip, rest, closed := strings.Cut(m.rest, "]")
	m.rest = rest
	return closed && (scanIPv4(ip, false) || scanIPv6(ip, false))
}

// dotAtom reads an atom: nonempty parts with dots between them.
func (m *mailbox) dotAtom() bool {
	atom, ok := m.atom()
	return ok && atom[0] != '.' && atom[len(atom)-1] != '.' && !strings.Contains(atom, "..")
}

// atom reads a run of dots and other characters that need no quotes. It reads nothing if there is none.
func (m *mailbox) atom() (atom string, ok bool) {
	end := 0
	for end < len(m.rest) && (m.rest[end] >= utf8.RuneSelf || atomBytes.has(m.rest[end])) {
		end++
	}
	if end == 0 || !utf8.ValidString(m.rest[:end]) {
		return "", false
	}
	atom, m.rest = m.rest[:end], m.rest[end:]
	return atom, true
}

// quoted reads a quoted string. It reads nothing if there is none. The content still has its backslashes.
func (m *mailbox) quoted() (content string, ok bool) {
	for end := 1; end < len(m.rest); end++ {
		switch c := m.rest[end]; {
		case c == '"':
			content = m.rest[1:end]
			if !utf8.ValidString(content) {
				return "", false
			}
			m.rest = m.rest[end+1:]
			return content, true
		case c == '\\' && end+1 < len(m.rest):
			end++
			if !isQuotable(m.rest[end]) {
				return "", false
			}
		case !isQuotable(c):
			return "", false
		}
	}
	return "", false
}

// isQuotable reports whether c may be in a quoted string: spaces, tabs, and visible characters.
func isQuotable(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }

// phrase reads the name before an address. It stops at the first word that cannot be part of a name.
func (m *mailbox) phrase() bool {
	words := false   // there was a word that is not encoded
	encoded := false // the words since are encoded, and not all of them are empty
	for {
		if words && !m.skipComments() {
			return false
		}
		m.skipBlanks()
		if m.rest == "" {
			return true
		}
		if m.rest[0] == '"' {
			if _, ok := m.quoted(); !ok {
				return words || encoded
			}
			words, encoded = true, false
			continue
		}
		atom, ok := m.atom()
		if !ok {
			return words || encoded
		}
		switch decodeWord(atom) {
		case plainWord:
			words, encoded = true, false
		case encodedWord:
			encoded = true
		case unknownCharset:
			return words || encoded
		}
	}
}

// nameInComment reads a comment after an address, which is its name. Its words may be encoded.
func (m *mailbox) nameInComment() bool {
	start := m.rest
	if !m.comment() {
		return false
	}
	content := start[:len(start)-len(m.rest)-1]
	if !strings.Contains(content, "?") { // every encoded word has one
		return true
	}
	for word := range strings.FieldsFuncSeq(withoutBackslashes(content), isBlank) {
		if decodeWord(word) == unknownCharset {
			return false
		}
	}
	return true
}

// withoutBackslashes returns s without the backslashes that escape the next byte.
func withoutBackslashes(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// skipComments skips spaces, tabs and comments.
func (m *mailbox) skipComments() bool {
	m.skipBlanks()
	for m.skip('(') {
		if !m.comment() {
			return false
		}
		m.skipBlanks()
	}
	return true
}

// comment reads the rest of a comment after its opening parenthesis: any bytes, and nested comments.
func (m *mailbox) comment() bool {
	depth := 1
	for i := 0; i < len(m.rest); i++ {
		switch m.rest[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				m.rest = m.rest[i+1:]
				return true
			}
		}
	}
	return false
}

// skip skips c, and reports whether it was there.
func (m *mailbox) skip(c byte) bool {
	if m.rest == "" || m.rest[0] != c {
		return false
	}
	m.rest = m.rest[1:]
	return true
}

func (m *mailbox) skipBlanks() { m.rest = strings.TrimLeft(m.rest, " \t") }

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

// wordKind is the kind of a word in a name according to RFC 2047.
type wordKind int

const (
	plainWord      wordKind = iota // it stands for itself
	emptyWord                      // an encoded word with empty content
	encodedWord                    // another encoded word
	unknownCharset                 // an encoded word with an unknown charset
)

// decodeWord returns the kind of s, which may be an encoded word: =?charset?b?base64?= or =?charset?q?text?=. A badly
// encoded word is plain.
func decodeWord(s string) wordKind {
	if len(s) < 8 || !strings.HasPrefix(s, "=?") || !strings.HasSuffix(s, "?=") || strings.Count(s, "?") != 4 {
		return plainWord
	}
	charset, s, _ := strings.Cut(s[2:len(s)-2], "?")
	encoding, text, _ := strings.Cut(s, "?")
	empty := text == ""
	switch {
	case charset == "":
		return plainWord
	case encoding == "b" || encoding == "B":
		content, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return plainWord
		}
		empty = len(content) == 0 // line breaks do not count
	case encoding != "q" && encoding != "Q" || !isQuotedPrintable(text):
		return plainWord
	}
	switch {
	case !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "iso-8859-1") && !strings.EqualFold(charset, "us-ascii"):
		return unknownCharset
	case empty:
		return emptyWord
	}
	return encodedWord
}

// isQuotedPrintable reports whether s is visible ASCII, spaces, tabs, and line breaks, with two hex digits after each
// equals sign.
func isQuotedPrintable(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '=':
			if i+2 >= len(s) || !hexDigits.has(s[i+1]) || !hexDigits.has(s[i+2]) {
				return false
			}
			i += 2
		case (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t':
			return false
		}
	}
	return true
}
