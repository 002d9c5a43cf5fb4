package ruleset

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// This file resolves paths that refer to a field in a definition: the fieldPath of a rule, or a selectable field. The
// steps of such a path are .name and ['name']. It starts at a node of a schema and follows properties and the values of
// maps.

var (
	errNoField = errors.New("does not refer to a valid field")
	errEnd     = errors.New("unexpected end of JSON path")
)

// ResolvePath returns what text refers to below n: the path of the value, and the node that describes it. The node is nil
// if additionalProperties is true or false. An empty text refers to n itself. The error has a server's text.
//
// brackets says whether ['name'] is allowed instead of .name.
//
// Clauses: JPV-001, JPV-002, JPV-003, CRF-006.
func ResolvePath(n *plan.Node, text string, brackets bool) (*field.Path, *plan.Node, error) {
	return resolvePath(n, text, brackets, func(n *plan.Node, name string) (*plan.Node, found) {
		switch {
		case n != nil && len(n.Props) > 0:
			if p := n.Prop(name); p != nil {
				return p.Node, property
			}
		case n != nil && n.Has&plan.OtherKeys != 0:
			return n.Additional, other
		}
		return nil, nothing
	})
}

// ResolvePathIn is [ResolvePath] for a schema without nodes, because it need not be structural.
func ResolvePathIn(p *schema.JSONSchemaProps, text string, brackets bool) (*field.Path, *schema.JSONSchemaProps, error) {
	return resolvePath(p, text, brackets, func(p *schema.JSONSchemaProps, name string) (*schema.JSONSchemaProps, found) {
		switch {
		case p != nil && len(p.Properties) > 0:
			if child, ok := p.Properties[name]; ok {
				return child, property
			}
		case p != nil && p.AdditionalProperties != nil:
			return p.AdditionalProperties.Schema, other
		}
		return nil, nothing
	})
}

// A found is what a name refers to in a schema.
type found uint8

const (
	nothing found = iota
	property
	other // one of the additionalProperties
)

// resolvePath starts at n and calls step for each name. step returns the schema of the name's value.
func resolvePath[N any](n *N, text string, brackets bool, step func(n *N, name string) (*N, found)) (*field.Path, *N, error) {
	var at *field.Path
	t := tokens{text}
	for {
		tok, ok := t.next()
		if !ok {
			return at, n, nil
		}
		name := ""
		switch tok {
		case ".":
			if name, ok = t.next(); !ok {
				return nil, nil, errEnd
			}
		case "[":
			var err error
			if !brackets {
				return nil, nil, errors.New("array notation is not allowed")
			}
			if name, err = t.quoted(); err != nil {
				return nil, nil, err
			}
		default:
			return nil, nil, fmt.Errorf("expected [ or . but got: %s", tok)
		}
		child, what := step(n, name)
		switch what {
		case property:
			at = at.Child(name)
		case other:
			at = at.Key(name)
		default:
			return nil, nil, errNoField
		}
		n = child
		if tok == "[" {
			if tok, ok = t.next(); !ok {
				return nil, nil, errEnd
			}
			if tok != "]" {
				return nil, nil, fmt.Errorf("expected ] but got %s", tok)
			}
		}
	}
}

// tokens is the rest of a path. A token is a dot, a bracket, a quoted text, or a text up to the next dot or bracket.
type tokens struct{ rest string }

func (t *tokens) next() (string, bool) {
	if t.rest == "" {
		return "", false
	}
	n := len(t.rest)
	switch t.rest[0] {
	case '.', '[', ']':
		n = 1
	case '\'':
		for i := 1; i < len(t.rest); i++ {
			if t.rest[i] == '\'' && t.rest[i-1] != '\\' {
				n = i + 1
				break
			}
		}
	default:
		if i := strings.IndexAny(t.rest, ".[]"); i > 0 {
			n = i
		}
	}
	tok := t.rest[:n]
	t.rest = t.rest[n:]
	return tok, true
}

// quoted returns the next name, which is quoted.
func (t *tokens) quoted() (string, error) {
	tok, ok := t.next()
	if !ok {
		return "", errEnd
	}
	if len(tok) < 2 || tok[0] != '\'' || tok[len(tok)-1] != '\'' {
		return "", fmt.Errorf("expected single quoted string but got %s", tok)
	}
	name, err := unescape(tok[1 : len(tok)-1])
	if err != nil {
		return "", fmt.Errorf("invalid string literal: %w", err)
	}
	return name, nil
}

// escapes are the characters after a backslash; the characters that they stand for are at the same indexes.
const (
	escapes = `abfnrtv'\`
	meaning = "\a\b\f\n\r\t\v'\\"
)

// unescape replaces each escape sequence, except an escaped line break, which a server keeps. It returns the last
// error.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	var err error
	for rest := s; ; {
		before, after, found := strings.Cut(rest, `\`)
		b.WriteString(before)
		if !found || after == "" || after[0] == '\n' {
			if found {
				b.WriteByte('\\')
			}
			if !found || after == "" {
				return b.String(), err
			}
			rest = after
			continue
		}
		if i := strings.IndexByte(escapes, after[0]); i >= 0 {
			b.WriteByte(meaning[i])
			rest = after[1:]
			continue
		}
		_, size := utf8.DecodeRuneInString(after)
		err = fmt.Errorf(`invalid escape char \%s`, after[:size])
		rest = after[size:]
	}
}
