package resource

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/selector"
)

// A Selector says which objects of a version a request for many objects is about: a list, a watch, the deletion of a collection. It is
// immutable and safe for concurrent use. [Version.Selector] makes it; nil selects every object.
type Selector struct {
	selector selector.Selector
}

// Selector reads what a request has as labelSelector and as fieldSelector; either may be empty.
//
//	labels: tier=front   tier==front   tier!=front   tier in (front,back)   tier notin (front)   tier   !tier   n>5   n<5
//	fields: spec.colour=red   spec.colour==red   spec.colour!=red
//
// Requirements have commas between, and all have to be met. Labels have blanks wherever one likes, fields have none; in the value of a
// field a comma, an equals sign and a backslash have a backslash before them. Fields are metadata.name, metadata.namespace if the
// objects have one, and the selectableFields of the version without the dot in front.
//
// The error is a [*field.Status], the server's refusal: 400, BadRequest, for the first thing that is wrong; first in labels, then in the syntax of fields, where terms are
// looked at in byte order, then for a field that is not selectable.
func (v *Version) Selector(labels, fields string) (*Selector, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	s, err := v.selectable.Selector(labels, fields)
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	return &Selector{s}, nil
}

// Matches reports whether s selects obj, an object as [Version.Read] returns it in the version that s is of. A nil obj has no labels, and no
// fields. It allocates only for the texts of numbers, lists and objects.
//
// A field is compared as text: absent, null and "" are the same, 7 is neither 07 nor 7.0, and a number that storage would change is
// compared as storage gives it back. A number of another Go type counts as the one that its JSON would be decoded to. Requirements that
// deny something (!=, notin, !tier) select objects without that label. Labels count only if all of them are strings (or null, as an empty
// one) in a map[string]any.
//
// An object in which a selectable field cannot be read is selected by an empty selector only: see [Version.SelectableFields].
func (s *Selector) Matches(obj map[string]any) bool { return s == nil || s.selector.Matches(obj) }

// Empty reports whether s selects every object because nothing is required.
func (s *Selector) Empty() bool { return s == nil || s.selector.Empty() }

// Labels returns the label selector as the server writes it: requirements by key, values sorted and each once.
func (s *Selector) Labels() string {
	if s == nil {
		return ""
	}
	return s.selector.Labels().String()
}

// Fields returns the field selector as the server writes it: terms in byte order, with one equals sign where there were two.
func (s *Selector) Fields() string {
	if s == nil {
		return ""
	}
	return s.selector.Fields().String()
}

// SelectableFields returns the fields of obj that a field selector of the version may name, with the texts that it compares: what a
// server indexes objects by. There is always metadata.name, and metadata.namespace if the objects have one. The map is the caller's.
//
// An error says which field cannot be read. That is the server's "unexpectedly received more than one JSON path result" where a path
// with .* leads to several values. A path that is more than names and .* is always an error, and so is a value that no JSON has.
func (v *Version) SelectableFields(obj map[string]any) (map[string]string, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	return v.selectable.Values(obj)
}

// selectableFields returns the fields that selectors of a version may name.
func (r *Resource) selectableFields(of *crd.Lookup, version string) (*selector.Selectable, error) {
	fields, err := of.SelectableFields(version)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(fields))
	for i := range fields {
		paths[i] = fields[i].JSONPath
	}
	return selector.NewSelectable(r.namespaced, paths...), nil
}
