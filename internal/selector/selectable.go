package selector

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Selectable are the fields of a version's objects that field selectors may use.
type Selectable struct {
	places map[string]*place // by label
	risky  []*place          // those that may be unreadable, in the order of their paths
}

// A place is the path of a selectable field.
type place struct {
	steps []step
	// textual: anything but a string counts as absent, for the name and the namespace.
	textual bool
	spreads bool  // some step leads to several values
	err     error // the path cannot be followed
}

// A step selects the value of a key, or all values.
type step struct {
	key string
	all bool
}

// NewSelectable returns the fields of a version: metadata.name, metadata.namespace if its objects have one, and those
// at paths, the jsonPaths of its selectableFields. The label of a path is the path without its leading dot. A path that
// cannot be evaluated is not an error, but no object can be selected by fields then, as on a server.
//
// Clause: SEL-001.
func NewSelectable(namespaced bool, paths ...string) *Selectable {
	s := &Selectable{places: map[string]*place{
		"metadata.name": {steps: []step{{key: "metadata"}, {key: "name"}}, textual: true},
	}}
	if namespaced {
		s.places["metadata.namespace"] = &place{steps: []step{{key: "metadata"}, {key: "namespace"}}, textual: true}
	}
	for _, path := range paths {
		p := newPlace(path)
		s.places[strings.TrimPrefix(path, ".")] = p
		if p.spreads || p.err != nil {
			s.risky = append(s.risky, p)
		}
	}
	return s
}

// Values returns the text of each selectable field of obj, by label. The error says why a field cannot be read; it has
// a server's text if a path leads to several values.
//
// Clauses: SEL-001, SEL-002.
func (s *Selectable) Values(obj map[string]any) (map[string]string, error) {
	if err := s.readable(obj); err != nil {
		return nil, err
	}
	values := make(map[string]string, len(s.places))
	for label, p := range s.places {
		var err error
		if values[label], err = p.read(obj); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// readable returns an error if a path of s does not lead to a single value in obj.
func (s *Selectable) readable(obj map[string]any) error {
	for _, p := range s.risky {
		if _, err := p.read(obj); err != nil {
			return err
		}
	}
	return nil
}

// nameEnds are the characters that end a name in a path unless they are escaped by a backslash.
const nameEnds = " \t\r\n.,[]$@{}"

// newPlace parses a path: names with leading dots, in which a backslash escapes the next character. Blanks, @ and $
// between names are ignored.
func newPlace(path string) *place {
	p := &place{}
	for rest := path; rest != ""; {
		switch rest[0] {
		case ' ', '@', '$':
			rest = rest[1:]
			continue
		case '.':
			rest = rest[1:]
		default:
			return unreadable(path)
		}
		n := 0
		for n < len(rest) && strings.IndexByte(nameEnds, rest[n]) < 0 {
			if rest[n] == '\\' {
				n++
			}
			n++
		}
		// ".." is not a name but a descent, and a trailing backslash would escape the brace that a server appends.
		if n > len(rest) || n == 0 && strings.HasPrefix(rest, ".") {
			return unreadable(path)
		}
		name := rest[:n]
		rest = rest[n:]
		p.spreads = p.spreads || name == "*"
		p.steps = append(p.steps, step{key: strings.ReplaceAll(name, `\`, ""), all: name == "*"})
	}
	return p
}

func unreadable(path string) *place {
	return &place{err: fmt.Errorf("unexpected error parsing jsonPath: %q is not a path of field names", path)}
}

// read returns the text of the field in obj.
func (p *place) read(obj map[string]any) (string, error) {
	if p.err != nil {
		return "", p.err
	}
	if p.spreads {
		return p.readAll(obj)
	}
	var v any = obj
	for _, s := range p.steps {
		m, ok := v.(map[string]any)
		if !ok {
			return "", nil
		}
		v = m[s.key]
	}
	if p.textual {
		text, _ := v.(string)
		return text, nil
	}
	return text(v)
}

// maxValues limits the values that the steps of a path may lead to. Only a map that contains itself exceeds it.
const maxValues = 100_000

var (
	errSeveral = errors.New("unexpectedly received more than one JSON path result")
	errMany    = errors.New("unexpected error finding value with jsonPath: too many values")
)

// readAll is read for a path that may lead to several values. There must be exactly one in the end (SEL-002).
func (p *place) readAll(obj map[string]any) (string, error) {
	values := []any{obj}
	for _, s := range p.steps {
		var next []any
		for _, v := range values {
			if next = s.follow(next, v); len(next) > maxValues {
				return "", errMany
			}
		}
		values = next
	}
	switch len(values) {
	case 0:
		return "", nil
	case 1:
		return text(values[0])
	}
	return "", errSeveral
}

// follow appends the values to which the step leads from v.
func (s step) follow(to []any, v any) []any {
	switch x := v.(type) {
	case map[string]any:
		if !s.all {
			if e, ok := x[s.key]; ok {
				to = append(to, e)
			}
			break
		}
		for _, e := range x {
			to = append(to, e)
		}
	case []any:
		if s.all {
			to = append(to, x...)
		}
	case string:
		for i := 0; s.all && i < len(x); i++ {
			to = append(to, int64(x[i])) // a server reads the bytes as numbers
		}
	}
	return to
}

// text returns the text that a selector compares: absent and null are empty, and a number is as read back from storage,
// because a server never reads other numbers (SEL-003).
//
// Clauses: SEL-002, SEL-003.
func text(v any) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	case bool:
		return strconv.FormatBool(x), nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	}
	v, invalid := jsonval.Normalize(nil, v)
	if invalid != nil {
		return "", fmt.Errorf("unexpected error finding value with jsonPath: %w", invalid)
	}
	v, _ = jsonval.Stored(v)
	return fmt.Sprint(v), nil
}
