package schema

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

// Each schema in a schema is a child, with its path.
func TestChildren(t *testing.T) {
	p, err := Decode([]byte(`{additionalProperties: {title: additionalProperties}, properties: {b: {title: "properties[b]"}, a: {title: "properties[a]"}},
		not: {title: not}, allOf: [{title: "allOf[0]"}, {title: "allOf[1]"}], oneOf: [{title: "oneOf[0]"}], anyOf: [{title: "anyOf[0]"}],
		definitions: {a: {title: "definitions[a]"}}, items: {title: items}, dependencies: {a: {title: "dependencies[a]"}, b: [c]},
		patternProperties: {a: {title: "patternProperties[a]"}}, additionalItems: {title: additionalItems}}`))
	require.NoError(t, err)
	var paths []string
	combinators := 0
	for loc, q := range p.ChildrenByName() {
		paths = append(paths, loc.Path(nil).String())
		require.Equal(t, q.Title, loc.Path(nil).String())
		require.Equal(t, "spec."+q.Title, loc.Path(field.NewPath("spec")).String())
		if loc.Combines() {
			combinators++
		}
	}
	require.Equal(t, []string{"additionalProperties", "properties[a]", "properties[b]", "not", "allOf[0]", "allOf[1]", "oneOf[0]", "anyOf[0]",
		"definitions[a]", "items", "dependencies[a]", "patternProperties[a]", "additionalItems"}, paths)
	require.Equal(t, 5, combinators)

	unordered := map[string]bool{}
	for loc, q := range p.Children() {
		require.Equal(t, q.Title, loc.Path(nil).String())
		unordered[q.Title] = true
	}
	require.Equal(t, slices.Sorted(slices.Values(paths)), slices.Sorted(maps.Keys(unordered)))

	// No kind of field that holds schemas is missing.
	kinds := map[reflect.Type]bool{}
	fields := reflect.ValueOf(p).Elem()
	for i, name := range keywords.Names {
		switch fields.Field(i).Interface().(type) {
		case *JSONSchemaProps, []*JSONSchemaProps, map[string]*JSONSchemaProps, *SchemaOrBool, *SchemaOrArray, map[string]SchemaOrStrings:
			require.True(t, slices.ContainsFunc(paths, func(path string) bool { return path == name || len(path) > len(name) && path[:len(name)+1] == name+"[" }), name)
			kinds[fields.Field(i).Type()] = true
		}
	}
	require.Len(t, kinds, 6)
}

func TestChildrenOfLists(t *testing.T) {
	p := &JSONSchemaProps{Items: &SchemaOrArray{Schemas: []*JSONSchemaProps{{}, nil}}, Properties: map[string]*JSONSchemaProps{"a": nil}, AdditionalItems: &SchemaOrBool{}}
	var paths []string
	for loc := range p.ChildrenByName() {
		paths = append(paths, loc.Path(nil).String())
	}
	require.Equal(t, []string{"properties[a]", "items[0]", "items[1]"}, paths, "nil elements, but no schema that is absent")
	for _, keyword := range []string{"properties", "items"} {
		for loc := range p.Children() { // ends where the loop does
			if loc.Keyword == keyword {
				break
			}
		}
	}
}
