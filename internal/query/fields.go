package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fields is a field selector for the fields of a [Selectable]: terms that must all be true. The zero value has no
// terms, and selects every object.
type Fields struct {
	terms []term // in byte order of their texts
}

// A term compares a field with a text.
type term struct {
	label, value string
	not          bool
	place        *place
}

// Parse parses a field selector: terms separated by commas, each of the form
//
//	label=value   label==value   label!=value
//
// in which spaces are part of label and value, and a comma, an equals sign or a backslash in a value is escaped by a
// backslash. Empty terms are skipped, and so is a term with neither label nor value. A label that s does not have is an
// error, which is reported after all terms are parsed.
//
// Clauses: SEL-001, SEL-004.
func (s *Selectable) Parse(text string) (Fields, error) {
	terms, err := parseTerms(text)
	if err != nil || len(terms) == 0 {
		return Fields{}, err
	}
	for i := range terms {
		t := &terms[i]
		if t.place = s.places[t.label]; t.place == nil {
			return Fields{}, fmt.Errorf(s.unknown, t.label)
		}
	}
	return Fields{terms}, nil
}

// Empty reports whether f selects every object.
func (f Fields) Empty() bool { return len(f.terms) == 0 }

// String returns the selector in the form that a server writes: terms in the byte order of the parsed text, with ==
// written as =. [Selectable.Parse] parses it as the same terms, possibly in another order.
func (f Fields) String() string {
	var b strings.Builder
	for i, t := range f.terms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(t.label)
		if t.not {
			b.WriteByte('!')
		}
		b.WriteByte('=')
		for _, c := range []byte(t.value) {
			if strings.IndexByte(special, c) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Matches reports whether obj is selected. A field that cannot be read matches no term.
//
// Clauses: SEL-002, SEL-003.
func (f Fields) Matches(obj map[string]any) bool {
	for i := range f.terms {
		t := &f.terms[i]
		text, err := t.place.read(obj)
		if err != nil || (text == t.value) == t.not {
			return false
		}
	}
	return true
}

// special are the characters that a value escapes with a backslash.
const special = `\,=`

// CheckFields returns the error of [Selectable.Parse] about the syntax of a field selector, or nil.
func CheckFields(text string) error {
	_, err := parseTerms(text)
	return err
}

// parseTerms returns the terms of a selector in byte order.
func parseTerms(text string) ([]term, error) {
	parts := split(text)
	slices.Sort(parts)
	var terms []term
	for _, part := range parts {
		if part == "" {
			continue
		}
		i := strings.IndexByte(part, '=')
		if i < 0 {
			return nil, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", text, part)
		}
		t := term{label: part[:i]}
		rest := part[i+1:]
		if label, ok := strings.CutSuffix(t.label, "!"); ok {
			t.label, t.not = label, true
		} else {
			rest = strings.TrimPrefix(rest, "=")
		}
		var err error
		if t.value, err = unescape(rest); err != nil {
			return nil, fmt.Errorf("invalid field selector: %w", err)
		}
		if t.label != "" || t.value != "" {
			terms = append(terms, t)
		}
	}
	return terms, nil
}

// split splits text at the commas without a preceding backslash.
func split(text string) (parts []string) {
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ',':
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// unescape returns the unescaped value. If the value has special characters, bytes that are not UTF-8 are replaced.
func unescape(s string) (string, error) {
	if !strings.ContainsAny(s, special) {
		return s, nil
	}
	out := make([]byte, 0, len(s))
	escaped := false
	for _, r := range s {
		switch known := r < utf8.RuneSelf && strings.IndexByte(special, byte(r)) >= 0; {
		case escaped && !known:
			return "", fmt.Errorf(`invalid escape sequence: \%c`, r)
		case !escaped && r == '\\':
			escaped = true
			continue
		case !escaped && known:
			return "", fmt.Errorf("unescaped character in value: %d", r)
		}
		escaped = false
		out = utf8.AppendRune(out, r)
	}
	if escaped {
		return "", errors.New(`invalid escape sequence: \`)
	}
	return string(out), nil
}
