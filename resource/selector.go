package resource

import (
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Selector selects objects of a version for requests that concern many objects: a list, a watch, the deletion of a
// collection. It is immutable and safe for concurrent use. [Version.Selector] returns one; nil selects every object.
type Selector struct {
	selector query.Selector
}

// Selector parses the labelSelector and the fieldSelector of a request; either may be empty.
//
//	labels: tier=front   tier==front   tier!=front   tier in (front,back)   tier notin (front)   tier   !tier
//	        n>5   n<5
//	fields: spec.colour=red   spec.colour==red   spec.colour!=red
//
// Requirements are separated by commas, and an object must meet all of them. Blanks are allowed anywhere in labels, and
// nowhere in fields. In the value of a field, a comma, an equals sign and a backslash are escaped with a backslash.
// Fields are metadata.name, metadata.namespace if the objects are namespaced, and the selectableFields of the version
// without the leading dot.
//
// The error is a [*field.Status], the server's refusal: 400, BadRequest, for the first error. Labels are parsed first,
// then the syntax of the fields, whose terms are parsed in byte order; then fields that are not selectable are errors.
func (v *Version) Selector(labels, fields string) (*Selector, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	s, err := v.selectable().Selector(labels, fields)
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	return &Selector{s}, nil
}

// Matches reports whether s selects obj, an object as [Version.Read] returns it in the version of s. A nil obj has no
// labels and no fields. It allocates only for the texts of numbers, lists and objects.
//
// A field is compared as text: absent, null and "" are the same, 7 is neither 07 nor 7.0, and a number that storage
// would change is compared in the form that storage returns. A number of another Go type is treated as the decoded form
// of its JSON. Negative requirements (!=, notin, !tier) select objects without that label. Labels are ignored unless
// they are a map[string]any of strings; null counts as an empty string.
//
// An object with a selectable field that cannot be read matches only an empty selector: see [Version.SelectableFields].
func (s *Selector) Matches(obj map[string]any) bool { return s == nil || s.selector.Matches(obj) }

// Empty reports whether s selects every object because nothing is required.
func (s *Selector) Empty() bool { return s == nil || s.selector.Empty() }

// Labels returns the label selector as the server writes it: requirements sorted by key, values sorted and unique.
func (s *Selector) Labels() string {
	if s == nil {
		return ""
	}
	return s.selector.Labels().String()
}

// Fields returns the field selector as the server writes it: terms in byte order, with = in place of ==.
func (s *Selector) Fields() string {
	if s == nil {
		return ""
	}
	return s.selector.Fields().String()
}

// SelectableFields returns the fields of obj that a field selector of the version may name, with the texts to compare.
// A server indexes objects by them. They always include metadata.name, and metadata.namespace if the objects are
// namespaced. The map is the caller's.
//
// An error says which field cannot be read. If a path with .* yields several values, it is the server's "unexpectedly
// received more than one JSON path result". A path with anything but names and .* is always an error, and so is a value
// that JSON does not have.
func (v *Version) SelectableFields(obj map[string]any) (map[string]string, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	return v.selectable().Values(obj)
}

// lazySelectable returns a function that prepares the fields that selectors may name on its first call.
func (r *Resource) lazySelectable(fields []crd.SelectableField) func() *query.Selectable {
	paths := make([]string, len(fields))
	for i := range fields {
		paths[i] = fields[i].JSONPath
	}
	return sync.OnceValue(func() *query.Selectable {
		s := query.NewSelectable(r.namespaced, paths...)
		if kind := plan.BuiltInOf(&r.builtIn); kind != nil {
			for label, value := range kind.Fields {
				s.Set(label, value)
			}
			if len(paths)+len(kind.Fields) == 0 {
				s.MetadataOnly()
			}
			if kind.UnknownField != "" {
				s.RefuseWith(kind.UnknownField)
			}
		}
		return s
	})
}
