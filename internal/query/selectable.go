package query

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

	unknown string // see RefuseWith
}

// A place says where the text of a label is.
type place struct {
	path *Path
	// textual: anything but a string counts as absent, for the name and the namespace.
	textual bool
	err     error // the path cannot be followed
	// value returns the text instead, if it is not nil.
	value func(obj map[string]any) string
}

// NewSelectable returns the fields of a version: metadata.name, metadata.namespace if its objects have one, and those
// at paths, the jsonPaths of its selectableFields. The label of a path is the path without its leading dot. A path that
// cannot be evaluated is not an error, but no object can be selected by fields then, as on a server.
//
// Clause: SEL-001.
func NewSelectable(namespaced bool, paths ...string) *Selectable {
	s := &Selectable{places: map[string]*place{}, unknown: "field label not supported: %s"}
	own := []string{".metadata.name", ".metadata.namespace"}
	if !namespaced {
		own = own[:1]
	}
	for _, path := range own {
		s.add(path).textual = true
	}
	for _, path := range paths {
		if p := s.add(path); p.err != nil || strings.Contains(path, "*") {
			s.risky = append(s.risky, p)
		}
	}
	return s
}

// Set sets a label whose value is not the text at a path. Without a function it removes the label.
func (s *Selectable) Set(label string, value func(obj map[string]any) string) {
	if value == nil {
		delete(s.places, label)
		return
	}
	s.places[label] = &place{value: value}
}

// MetadataOnly makes s that of a built-in kind without labels of its own. It has both labels of metadata even if its
// objects have no namespace, and its errors have another text.
func (s *Selectable) MetadataOnly() {
	s.RefuseWith(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`)
	if s.places["metadata.namespace"] == nil {
		s.Set("metadata.namespace", func(map[string]any) string { return "" })
	}
}

// RefuseWith sets the format of the error for a label that s does not have. Its argument is the label.
func (s *Selectable) RefuseWith(format string) { s.unknown = format }

// add adds the field at a path of names and wildcards.
func (s *Selectable) add(path string) *place {
	parsed, err := ParsePath(path)
	if err != nil || strings.ContainsAny(path, "[]{}") || !parsed.Plain() {
		err = fmt.Errorf("unexpected error parsing jsonPath: %q is not a path of field names", path)
	}
	p := &place{path: parsed, err: err}
	s.places[strings.TrimPrefix(path, ".")] = p
	return p
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

// read returns the text of the field in obj.
func (p *place) read(obj map[string]any) (string, error) {
	switch {
	case p.err != nil:
		return "", p.err
	case p.value != nil:
		return p.value(obj), nil
	}
	v, found, ok := p.path.Only(obj)
	switch {
	case !ok:
		return "", errors.New("unexpected error finding value with jsonPath: too many values")
	case found > 1: // SEL-002
		return "", errors.New("unexpectedly received more than one JSON path result")
	case p.textual:
		text, _ := v.(string)
		return text, nil
	}
	return text(v)
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
