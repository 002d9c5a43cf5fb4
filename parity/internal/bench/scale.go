package bench

import (
	"context"
	"fmt"
	"maps"
	"math"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

// A Series is one operation on inputs of growing size: Steps[i] is Sizes[i] times as big as the first.
type Series struct {
	Name  string
	Steps []func()
}

// Sizes are the steps of a series.
var Sizes = []int{1, 4, 16, 64}

// Exponent returns the e for which the times of a series grow as size^e: the slope of the line through their
// logarithms.
func Exponent(times []float64) float64 {
	var n, x, y, xx, xy float64
	for i, t := range times {
		lx, ly := math.Log(float64(Sizes[i])), math.Log(t)
		n, x, y, xx, xy = n+1, x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// AllSeries returns series over the object's size, and over the schema's.
func AllSeries() ([]Series, error) {
	var all []Series
	byName := map[string]int{}
	add := func(name string, f func()) {
		i, ok := byName[name]
		if !ok {
			i = len(all)
			byName[name] = i
			all = append(all, Series{Name: name})
		}
		all[i].Steps = append(all[i].Steps, f)
	}
	ctx := context.Background()
	for _, size := range Sizes {
		grown, err := grownObject(16 * size)
		if err != nil {
			return nil, err
		}
		old, wrong := unstructured.Clone(grown.Complete), unstructured.Clone(grown.Invalid)
		add("object: Validate", func() { validateOurs(grown, grown.Complete) })
		add("object: ValidateInvalid", func() { validateOurs(grown, grown.Invalid) })
		add("object: PruneUnknown", func() { pruneOurs(grown, grown.Unknown) })
		add("object: DefaultFill", func() { defaultOurs(grown, grown.Partial) })
		add("object: Rules", func() { grown.Rules.Evaluate(ctx, grown.Complete, nil, nil) })
		add("object: Create", func() { grown.Resource.Create(ctx, grown.Complete) })
		add("object: CreateBody", func() { grown.Resource.CreateBody(ctx, grown.Body) })
		add("object: UpdateEqual", func() { grown.Resource.Update(ctx, grown.Complete, old) })
		add("object: UpdateRatcheted", func() { grown.Resource.Update(ctx, grown.Invalid, wrong) })
		for _, l := range lists {
			s, err := grownList(l.schema, l.item, 64*size)
			if err != nil {
				return nil, err
			}
			add("list: "+l.name, func() { validateOurs(s, s.Complete) })
		}
		unique, items, err := grownUnique(64 * size)
		if err != nil {
			return nil, err
		}
		add("list: uniqueItems", func() { validate.Validate(unique, items) })
		definition, err := grownSchema(8 * size)
		if err != nil {
			return nil, err
		}
		add("schema: Compile", definition.side("Compile"))
		add("schema: CheckDefinition", definition.side("CheckDefinition"))
	}
	return all, nil
}

func (s *Subject) side(operation string) func() {
	for _, o := range Operations() {
		if o.Name == operation {
			return o.Sides[0].Prepare(s)
		}
	}
	panic(fmt.Sprintf("no operation %s", operation))
}

// grownObject has n entries of a map, with defaults, patterns, enums, a set and rules.
func grownObject(n int) (*Subject, error) {
	text := map[string]any{"type": "string", "maxLength": 32, "pattern": "^[a-z]+[0-9]*$"}
	entry := map[string]any{
		"type": "object", "required": []any{"name", "low", "high"},
		"properties": map[string]any{
			"name": text, "low": map[string]any{"type": "integer", "minimum": 0}, "high": map[string]any{"type": "integer"},
			"kind": map[string]any{"type": "string", "enum": []any{"a", "b", "c"}, "default": "a"},
			"tags": map[string]any{"type": "array", "maxItems": 8, "x-kubernetes-list-type": "set", "items": text},
		},
		"x-kubernetes-validations": []any{map[string]any{"rule": "self.low <= self.high"}, map[string]any{"rule": "!has(self.tags) || self.tags.all(t, t != self.name)"}},
	}
	spec := map[string]any{"type": "object", "properties": map[string]any{"entries": map[string]any{
		"type": "array", "maxItems": 2048, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"}, "items": entry,
	}}}
	entries := make([]any, n)
	for i := range entries {
		entries[i] = map[string]any{"name": fmt.Sprintf("entry%d", i), "low": i, "high": i + 1, "tags": []any{"red", "green"}}
	}
	return FromMaps("grown", Definition("Grown", spec), Object("Grown", map[string]any{"entries": entries}))
}

// lists are lists whose items are compared with each other.
var lists = []struct {
	name   string
	schema map[string]any
	item   func(i int) any
}{
	{"set of strings", map[string]any{"x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}}, func(i int) any { return fmt.Sprintf("item%d", i) }},
	{"set of integers", map[string]any{"x-kubernetes-list-type": "set", "items": map[string]any{"type": "integer"}}, func(i int) any { return i }},
	{
		"set of lists",
		map[string]any{"x-kubernetes-list-type": "set", "items": map[string]any{"type": "array", "x-kubernetes-list-type": "atomic", "items": map[string]any{"type": "integer"}}},
		func(i int) any { return []any{1, i, 2} },
	},
	{
		"map with one key",
		map[string]any{
			"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
			"items": map[string]any{"type": "object", "required": []any{"name"}, "properties": map[string]any{"name": map[string]any{"type": "string"}}},
		},
		func(i int) any { return map[string]any{"name": fmt.Sprintf("item%d", i)} },
	},
	{
		"map with two keys",
		map[string]any{
			"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name", "port"},
			"items": map[string]any{
				"type": "object", "required": []any{"name", "port"},
				"properties": map[string]any{"name": map[string]any{"type": "string"}, "port": map[string]any{"type": "integer"}},
			},
		},
		func(i int) any { return map[string]any{"name": fmt.Sprintf("item%d", i/2), "port": i} },
	},
}

func grownList(list map[string]any, item func(int) any, n int) (*Subject, error) {
	schema := maps.Clone(list)
	schema["type"] = "array"
	items := make([]any, n)
	for i := range items {
		items[i] = item(i)
	}
	spec := map[string]any{"type": "object", "properties": map[string]any{"list": schema}}
	return FromMaps("list", Definition("Grown", spec), Object("Grown", map[string]any{"list": items}))
}

// grownUnique has a list with uniqueItems, which is forbidden in definitions, but not in schemas.
func grownUnique(n int) (*schema.Structural, map[string]any, error) {
	props, err := schema.Decode([]byte(`{"type":"object","properties":{"list":{"type":"array","uniqueItems":true}}}`))
	if err != nil {
		return nil, nil, err
	}
	s, err := schema.CompileLoose(props)
	items := make([]any, n)
	for i := range items {
		items[i] = map[string]any{"name": fmt.Sprintf("item%d", i), "port": int64(i)}
	}
	return s, map[string]any{"list": items}, err
}

// grownSchema has n sections with fields and rules, of which the object has one.
func grownSchema(n int) (*Subject, error) {
	sections := map[string]any{}
	for i := range n {
		fields := map[string]any{}
		for j := range 10 {
			fields[fmt.Sprintf("field%d", j)] = map[string]any{
				"type": "string", "description": "One of the fields of a section.", "maxLength": 64, "pattern": fmt.Sprintf("^[a-z]+[0-%d]*$", j),
			}
		}
		sections[fmt.Sprintf("section%d", i)] = map[string]any{
			"type": "object", "properties": fields,
			"x-kubernetes-validations": []any{map[string]any{"rule": fmt.Sprintf("!has(self.field0) || self.field0 != 'value%d'", i)}},
		}
	}
	object := Object("Grown", map[string]any{"section0": map[string]any{"field0": "a"}})
	return FromMaps("schema", Definition("Grown", map[string]any{"type": "object", "properties": sections}), object)
}
