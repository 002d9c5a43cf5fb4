package schema

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
)

// A Location is the position of a schema in its parent.
type Location struct {
	Keyword string // such as items, properties or allOf
	Name    string // in a map of schemas, such as the name of a property
	Index   int    // in a list of schemas
	in      container
}

// A container says what the value of a keyword holds: one schema, a map of schemas, or a list of them.
type container uint8

const (
	inNone container = iota
	inMap
	inList
)

func named(keyword, name string) Location { return Location{Keyword: keyword, Name: name, in: inMap} }

func indexed(keyword string, i int) Location { return Location{Keyword: keyword, Index: i, in: inList} }

// Combines reports whether the location is in a combinator: allOf, oneOf, anyOf or not.
func (l Location) Combines() bool {
	return l.Keyword == "allOf" || l.Keyword == "oneOf" || l.Keyword == "anyOf" || l.Keyword == "not"
}

// Path returns the path of the location in a schema at the path at: items, properties[name] or allOf[0] below it.
func (l Location) Path(at *field.Path) *field.Path {
	// The strings are copied: if a path shared them, the compiler would move the frames of every walk to the heap.
	at = at.Child(strings.Clone(l.Keyword))
	switch l.in {
	case inMap:
		return at.Key(strings.Clone(l.Name))
	case inList:
		return at.Index(l.Index)
	}
	return at
}

// Children iterates over the schemas directly below p, under any keyword. The keywords are in a fixed order, the
// schemas of a map in random order. Nil elements of lists and maps, which Decode never produces, are included.
func (p *JSONSchemaProps) Children() iter.Seq2[Location, *JSONSchemaProps] {
	return p.sequence(false)
}

// ChildrenByName is [JSONSchemaProps.Children] with the schemas of a map sorted by name.
func (p *JSONSchemaProps) ChildrenByName() iter.Seq2[Location, *JSONSchemaProps] {
	return p.sequence(true)
}

func (p *JSONSchemaProps) sequence(byName bool) iter.Seq2[Location, *JSONSchemaProps] {
	return func(yield func(Location, *JSONSchemaProps) bool) { p.children(byName, yield) }
}

// children calls yield until it returns false, and reports whether it never did. The order of keywords is that of a
// server's checks.
func (p *JSONSchemaProps) children(byName bool, yield func(Location, *JSONSchemaProps) bool) bool {
	one := func(keyword string, q *JSONSchemaProps) bool { return q == nil || yield(Location{Keyword: keyword}, q) }
	list := func(keyword string, l []*JSONSchemaProps) bool {
		for i, q := range l {
			if !yield(indexed(keyword, i), q) {
				return false
			}
		}
		return true
	}
	all := func(keyword string, m map[string]*JSONSchemaProps) bool {
		return eachOf(m, byName, func(name string, q *JSONSchemaProps) bool { return yield(named(keyword, name), q) })
	}
	return (p.AdditionalProperties == nil || one("additionalProperties", p.AdditionalProperties.Schema)) &&
		all("properties", p.Properties) &&
		one("not", p.Not) && list("allOf", p.AllOf) && list("oneOf", p.OneOf) && list("anyOf", p.AnyOf) &&
		all("definitions", p.Definitions) &&
		(p.Items == nil || one("items", p.Items.Schema) && list("items", p.Items.Schemas)) &&
		eachOf(p.Dependencies, byName, func(name string, d SchemaOrStrings) bool {
			return d.Schema == nil || yield(named("dependencies", name), d.Schema)
		}) &&
		all("patternProperties", p.PatternProperties) &&
		(p.AdditionalItems == nil || one("additionalItems", p.AdditionalItems.Schema))
}

// eachOf calls f with the entries of m until it returns false, and reports whether it never did.
func eachOf[V any](m map[string]V, byName bool, f func(name string, v V) bool) bool {
	switch {
	case len(m) == 0:
	case byName:
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !f(name, m[name]) {
				return false
			}
		}
	default:
		for name, v := range m {
			if !f(name, v) {
				return false
			}
		}
	}
	return true
}
