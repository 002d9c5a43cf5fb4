package schema

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
)

// A Step leads from a schema to one right below it.
type Step struct {
	Keyword string // such as items, properties or allOf
	Name    string // in a map of schemas, such as the name of a property
	Index   int    // in a list of schemas
	in      container
}

// A container is what a keyword holds: one schema, or several by name or by index.
type container uint8

const (
	inNone container = iota
	inMap
	inList
)

func named(keyword, name string) Step { return Step{Keyword: keyword, Name: name, in: inMap} }

func indexed(keyword string, i int) Step { return Step{Keyword: keyword, Index: i, in: inList} }

// Combines reports whether s leads into a combinator: allOf, oneOf, anyOf or not.
func (s Step) Combines() bool {
	return s.Keyword == "allOf" || s.Keyword == "oneOf" || s.Keyword == "anyOf" || s.Keyword == "not"
}

// Path returns where s leads to from the path at: items, properties[name] or allOf[0] below it.
func (s Step) Path(at *field.Path) *field.Path {
	// A path that shared the strings would, to the compiler, share what they came from: the steps of a walk had to live on the heap.
	at = at.Child(strings.Clone(s.Keyword))
	switch s.in {
	case inMap:
		return at.Key(strings.Clone(s.Name))
	case inList:
		return at.Index(s.Index)
	}
	return at
}

// Children iterates over the schemas right below p, whatever keyword they stand under. The keywords have a fixed order, the schemas of a map
// come in any order. Only a schema that was made by hand may have nil elements in its lists and maps: these come, too.
func (p *JSONSchemaProps) Children() iter.Seq2[Step, *JSONSchemaProps] {
	return func(yield func(Step, *JSONSchemaProps) bool) { p.children(false, yield) }
}

// ChildrenByName is [JSONSchemaProps.Children] with the schemas of a map sorted by name.
func (p *JSONSchemaProps) ChildrenByName() iter.Seq2[Step, *JSONSchemaProps] {
	return func(yield func(Step, *JSONSchemaProps) bool) { p.children(true, yield) }
}

// children calls yield until it returns false, and reports whether it never did. The order is that in which a server checks a definition.
func (p *JSONSchemaProps) children(byName bool, yield func(Step, *JSONSchemaProps) bool) bool {
	one := func(keyword string, q *JSONSchemaProps) bool { return q == nil || yield(Step{Keyword: keyword}, q) }
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
