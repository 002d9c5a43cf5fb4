package schema

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

func compiled(t *testing.T, text string) *Structural {
	t.Helper()
	p, err := Decode([]byte(text))
	require.NoError(t, err)
	s, err := CompileLoose(p)
	require.NoError(t, err)
	return s
}

// VAL-003, VAL-010, VAL-012, and SVT-007 for int-or-string: which kinds of values the type check lets through.
func TestAccept(t *testing.T) {
	const integers = plan.KindInt | plan.KindWhole
	for _, row := range []struct {
		schema string
		want   plan.Kinds
		text   string // as errors name the type
		format string
	}{
		{`{}`, plan.AllKinds, "", ""},
		{`{nullable: true}`, plan.AllKinds, "", ""},
		{`{type: object}`, plan.KindObject, "object", ""},
		{`{type: array}`, plan.KindArray, "array", ""},
		{`{type: string}`, plan.KindString, "string", ""},
		{`{type: boolean}`, plan.KindBool, "boolean", ""},
		{`{type: integer}`, integers, "integer", ""},
		{`{type: number}`, plan.NumberKinds, "number", ""},
		{`{type: "null"}`, plan.KindNull, "null", ""},
		{`{type: float}`, 0, "float", ""},
		{`{type: string, nullable: true}`, plan.KindString | plan.KindNull, "string", ""},
		{`{type: string, format: date}`, plan.KindString | plan.KindArray, "string", "date"},
		{`{type: string, format: nonsense}`, plan.KindString, "string", ""},
		{`{type: integer, format: int32}`, integers, "integer", "int32"},
		{`{type: integer, format: date}`, integers, "integer", ""},
		{`{type: number, format: float}`, plan.NumberKinds, "number", "float"},
		{`{type: boolean, format: date}`, plan.KindBool, "boolean", ""},
		{`{format: date}`, plan.KindNull | plan.KindString | plan.KindArray, "", "date"},
		{`{x-kubernetes-int-or-string: true}`, integers | plan.KindString, "integer,string", ""},
		{`{x-kubernetes-int-or-string: true, type: object}`, integers | plan.KindString, "integer,string", ""},
		{`{x-kubernetes-int-or-string: true, nullable: true}`, integers | plan.KindString | plan.KindNull, "integer,string", ""},
		{`{x-kubernetes-int-or-string: true, format: date}`, integers | plan.KindString, "integer,string", "date"},
		{`{x-kubernetes-int-or-string: true, format: int32}`, integers | plan.KindString, "integer,string", ""},
	} {
		n := plan.Root(compiled(t, row.schema))
		require.Equal(t, row.want, n.Accept, row.schema)
		require.Equal(t, row.text, n.TypeText(), row.schema)
		require.Equal(t, row.format, n.Format, row.schema)
	}
}

// All values of a plain kind are valid.
func TestPlain(t *testing.T) {
	for _, row := range []struct {
		schema string
		want   plan.Kinds
	}{
		{`{type: string}`, plan.KindString},
		{`{type: string, maxLength: 5}`, 0},
		{`{type: string, pattern: a}`, 0},
		{`{type: string, format: date}`, 0},
		{`{type: string, maximum: 5}`, plan.KindString},
		{`{type: string, enum: [a]}`, 0},
		{`{type: string, not: {}}`, 0},
		{`{type: string, nullable: true, not: {}}`, plan.KindNull},
		{`{type: string, nullable: true, enum: [a]}`, 0},
		{`{type: integer}`, plan.KindInt},
		{`{type: integer, format: int64}`, plan.KindInt},
		{`{type: integer, format: int32}`, 0},
		{`{type: integer, minimum: 1}`, 0},
		{`{type: number}`, plan.NumberKinds},
		{`{type: number, format: float}`, plan.KindInt},
		{`{type: number, multipleOf: 2}`, 0},
		{`{type: boolean}`, plan.KindBool},
		{`{type: object}`, 0},
		{`{type: array}`, 0},
		{`{}`, plan.AllKinds &^ (plan.KindArray | plan.KindObject)},
		{`{x-kubernetes-int-or-string: true}`, plan.KindInt | plan.KindWhole | plan.KindString},
	} {
		require.Equal(t, row.want, plan.Root(compiled(t, row.schema)).Plain, row.schema)
	}
}

func TestFlags(t *testing.T) {
	s := compiled(t, `
type: object
properties:
  a: {type: array, x-kubernetes-list-type: set, items: {type: string, default: x}}
  b: {type: object, additionalProperties: {type: object, x-kubernetes-embedded-resource: true, nullable: true}}
  c: {type: object, additionalProperties: false, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-map-type: atomic}
  d: {type: object, properties: {e: {x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: "true"}]}}}
  f: {type: array, uniqueItems: true, x-kubernetes-list-type: atomic, additionalProperties: true}
  g: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], allOf: [{default: 1, x-kubernetes-list-type: set, x-kubernetes-validations: [{rule: "true"}]}]}
`)
	at := func(names ...string) *plan.Node {
		n := plan.Root(s)
		for _, name := range names {
			switch name {
			case "[]":
				n = n.Items
			case "{}":
				n = n.Additional
			default:
				n = n.Prop(name).Node
			}
		}
		return n
	}
	require.Equal(t, plan.ResourceRoot, plan.Root(s).Has)
	require.Equal(t, plan.HasList, at("a").Has)
	require.Equal(t, plan.HasDefault, at("a", "[]").Has)
	require.Equal(t, plan.OtherKeys, at("b").Has)
	require.Equal(t, plan.HasEmbedded|plan.Nullable, at("b", "{}").Has)
	require.Equal(t, plan.OtherKeys|plan.NoOthers|plan.PreserveFields, at("c").Has)
	require.Equal(t, "atomic", at("c").MapType)
	require.Equal(t, plan.IntOrString|plan.HasRules, at("d", "e").Has)
	require.Equal(t, plan.UniqueItems|plan.OtherKeys, at("f").Has)
	require.Equal(t, plan.HasList, at("g").Has)

	require.Equal(t, []plan.ListType{plan.ListSet, plan.ListUntyped, plan.ListAtomic, plan.ListMap}, []plan.ListType{at("a").List, at("b").List, at("f").List, at("g").List})
	require.Equal(t, []string{"k"}, at("g").ListMapKeys)
	branch := at("g").Combine.AllOf[0]
	require.Equal(t, plan.Node{Accept: plan.AllKinds, Plain: branch.Plain, ID: branch.ID, ObjectKeywords: plan.NoObjectKeywords, ArrayKeywords: plan.NoArrayKeywords,
		RareKeywords: plan.NoRareKeywords}, *branch, "PRU-002, DEF-006, LST-001: in a branch these mean nothing")

	require.Equal(t, plan.HasList|plan.HasDefault, at("a").Below)
	require.Equal(t, plan.OtherKeys|plan.HasEmbedded|plan.Nullable, at("b").Below)
	require.Equal(t, plan.IntOrString|plan.HasRules, at("d").Below)
	require.Equal(t, plan.HasList|plan.HasDefault|plan.OtherKeys|plan.HasEmbedded|plan.Nullable|plan.NoOthers|plan.PreserveFields|plan.IntOrString|plan.HasRules|plan.UniqueItems, plan.Root(s).Below&^plan.ResourceRoot)
}

// IDs are dense, and a node's is smaller than those of the nodes in it, branches too.
// CTY-001, CES-080: the largest maximum is not the same as none, and only the maximum of the node's own type counts.
func TestSized(t *testing.T) {
	for _, row := range []struct {
		name, schema string
		want         bool
	}{
		{"array", `{type: array, items: {type: string}, maxItems: 9223372036854775807}`, true},
		{"array without", `{type: array, items: {type: string}, maxLength: 1, maxProperties: 1}`, false},
		{"object", `{type: object, maxProperties: 0}`, true},
		{"object without", `{type: object, maxLength: 1, maxItems: 1}`, false},
		{"string", `{type: string, maxLength: 9223372036854775807}`, true},
		{"string without", `{type: string, minLength: 1, maxItems: 1}`, false},
		{"int-or-string", `{x-kubernetes-int-or-string: true, maxLength: 1}`, true},
		{"int-or-string without", `{x-kubernetes-int-or-string: true}`, false},
	} {
		s := compiled(t, "type: object\nproperties: {a: "+row.schema+"}")
		require.Equal(t, row.want, plan.Root(s).Prop("a").Node.Sized(), row.name)
	}
}

func TestNodeIDs(t *testing.T) {
	s := compiled(t, `
properties:
  b: {type: array, items: {anyOf: [{type: string}, {properties: {x: {}}}], not: {}}}
  a: {additionalProperties: {oneOf: [{}], allOf: [{}, {}]}}
`)
	seen := map[int]bool{}
	var walk func(n *plan.Node, above int)
	walk = func(n *plan.Node, above int) {
		if n == nil {
			return
		}
		require.Greater(t, n.ID, above)
		require.False(t, seen[n.ID], "%d occurs twice", n.ID)
		seen[n.ID] = true
		for _, p := range n.Props {
			walk(p.Node, n.ID)
		}
		walk(n.Items, n.ID)
		walk(n.Additional, n.ID)
		if c := n.Combine; c != nil {
			for _, l := range [][]*plan.Node{c.AllOf, c.AnyOf, c.OneOf, {c.Not}} {
				for _, m := range l {
					walk(m, n.ID)
				}
			}
		}
	}
	walk(plan.Root(s), -1)
	require.Len(t, seen, 12)
	for id := range 12 {
		require.True(t, seen[id], "%d is no node", id)
	}
}

// Required and defaulted properties have a bit each; when bits run out, their names are kept.
func TestMasks(t *testing.T) {
	p := &JSONSchemaProps{Properties: map[string]*JSONSchemaProps{}, Required: []string{"undeclared"}}
	for i := range 100 {
		name := fmt.Sprintf("p%02d", i)
		p.Properties[name] = &JSONSchemaProps{}
		if i%2 == 0 {
			p.Required = append(p.Required, name)
		}
		if i%5 < 2 {
			p.Properties[name].Default = int64(i)
		}
	}
	s, err := CompileLoose(p)
	require.NoError(t, err)
	n := plan.Root(s)

	bits := map[uint64]string{}
	var required, defaulted []string
	for i := range n.Props {
		q := &n.Props[i]
		require.Equal(t, fmt.Sprintf("p%02d", i), q.Name, "Props are sorted")
		if q.Mask == 0 {
			continue
		}
		require.Zero(t, q.Mask&(q.Mask-1), "%s has one bit", q.Name)
		require.Empty(t, bits[q.Mask], "%s has its own bit", q.Name)
		bits[q.Mask] = q.Name
		if n.RequiredMask&q.Mask != 0 {
			required = append(required, q.Name)
		}
		if n.DefaultMask&q.Mask != 0 {
			defaulted = append(defaulted, q.Name)
		}
	}
	require.Len(t, bits, 64)
	require.ElementsMatch(t, p.Required, append(required, n.RequiredRest...))
	require.Equal(t, p.Required, n.Required, "in the schema's order")
	require.Len(t, append(defaulted, n.DefaultRest...), 40)
	require.Len(t, n.Defaulted, 40)
	for _, i := range n.Defaulted {
		require.Equal(t, int64(i), n.Props[i].Node.Default)
		require.Contains(t, append(defaulted, n.DefaultRest...), n.Props[i].Name)
	}
}

func TestDefaultsAreAsStored(t *testing.T) {
	p := &JSONSchemaProps{Default: map[string]any{"a": 1.0, "b": []any{1.5, 2.0}}}
	s, err := CompileLoose(p)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": int64(1), "b": []any{1.5, int64(2)}}, plan.Root(s).Default, "DEF-009")
	require.Equal(t, map[string]any{"a": 1.0, "b": []any{1.5, 2.0}}, p.Default, "the document stays")
}

func TestCompileNil(t *testing.T) {
	s, errs := Compile(nil)
	require.Empty(t, errs)
	require.Equal(t, plan.ResourceRoot, plan.Root(s).Has)
	require.Equal(t, plan.AllKinds, plan.Root(s).Accept)
}

func TestCompileReportsViolations(t *testing.T) {
	s, errs := Compile(&JSONSchemaProps{Type: "object", Properties: map[string]*JSONSchemaProps{"a": {}}})
	require.Nil(t, s)
	require.Equal(t, "properties[a].type: Required value: must not be empty for specified object fields", errs.Err().Error())
}

// STC-003: what has no compiled form at all.
func TestUncompilable(t *testing.T) {
	ref := "#/definitions/x"
	empty := ""
	deep := &JSONSchemaProps{}
	for range jsonval.MaxDepth + 1 {
		deep = &JSONSchemaProps{Items: &SchemaOrArray{Schema: deep}}
	}
	wide := &JSONSchemaProps{Properties: map[string]*JSONSchemaProps{}}
	for i := range plan.MaxProps + 1 {
		wide.Properties[fmt.Sprint(i)] = &JSONSchemaProps{}
	}
	for name, row := range map[string]struct {
		props *JSONSchemaProps
		want  string
	}{
		"$ref":              {&JSONSchemaProps{Ref: &ref}, "schema: OpenAPIV3Schema '$ref' is not supported"},
		"empty $ref":        {&JSONSchemaProps{Ref: &empty}, ""},
		"tuple":             {&JSONSchemaProps{Items: &SchemaOrArray{Schemas: []*JSONSchemaProps{{}}}}, "schema: OpenAPIV3Schema 'items' must be a schema, but is an array"},
		"empty tuple":       {&JSONSchemaProps{Items: &SchemaOrArray{Schemas: []*JSONSchemaProps{}}}, ""},
		"patternProperties": {&JSONSchemaProps{PatternProperties: map[string]*JSONSchemaProps{"a": {}}}, "schema: OpenAPIV3Schema 'patternProperties' is not supported"},
		"dependencies":      {&JSONSchemaProps{Dependencies: map[string]SchemaOrStrings{"a": {}}}, "schema: OpenAPIV3Schema 'dependencies' is not supported"},
		"depth":             {deep, "schema: must not be nested deeper than 10000 levels"},
		"width":             {wide, "schema: more than 65534 properties of one object"},
	} {
		t.Run(name, func(t *testing.T) {
			for place, p := range map[string]*JSONSchemaProps{
				"root":     row.props,
				"property": {Properties: map[string]*JSONSchemaProps{"a": row.props}},
				"item":     {Items: &SchemaOrArray{Schema: row.props}},
				"branch":   {AnyOf: []*JSONSchemaProps{{}, {Not: row.props}}},
			} {
				s, err := CompileLoose(p)
				if row.want == "" {
					require.NoError(t, err, place)
					continue
				}
				require.EqualError(t, err, row.want, place)
				require.Nil(t, s, place)
			}
		})
	}
}

// Schemas made by hand may hold what a decoded one never does.
func TestCompileByHand(t *testing.T) {
	s, err := CompileLoose(&JSONSchemaProps{
		AllOf: []*JSONSchemaProps{nil}, Not: &JSONSchemaProps{OneOf: []*JSONSchemaProps{nil}},
		Properties: map[string]*JSONSchemaProps{"nothing": nil, "number": {Default: 5, Enum: []any{1, uint8(2), 1.0, 0.5}}},
	})
	require.NoError(t, err)
	require.NotNil(t, plan.Root(s).Prop("nothing").Node)
	number := plan.Root(s).Prop("number").Node
	require.Equal(t, int64(5), number.Default)
	require.Equal(t, []any{int64(1), int64(2), int64(1), 0.5}, number.Enum.Values, "DEF-009, and as storage gives them back")

	_, err = CompileLoose(&JSONSchemaProps{Default: map[string]string{"a": "b"}})
	require.ErrorContains(t, err, "schema: ")
	require.ErrorContains(t, err, "map[string]string")
	_, errs := Compile(&JSONSchemaProps{Type: "object", Enum: []any{math.NaN()}})
	require.Len(t, errs, 1)
	_, errs = Compile(&JSONSchemaProps{Type: "object", AllOf: []*JSONSchemaProps{nil}})
	require.Empty(t, errs)
}

// A node has parts of its own where its schema says something, and else those that all share: which nothing has written
// to.
func TestSharedParts(t *testing.T) {
	s := compiled(t, `
type: object
required: [a]
properties:
  a: {type: string, minLength: 1}
  b: {type: array, maxItems: 2, items: {type: integer, format: int32, default: 1}}
  c: {type: object, additionalProperties: {type: string, enum: [x], nullable: true}, x-kubernetes-validations: [{rule: "true"}]}
  d: {type: object, x-kubernetes-map-type: atomic, additionalProperties: false, x-kubernetes-preserve-unknown-fields: true}
  e: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], minItems: 1}
  f: {x-kubernetes-int-or-string: true, anyOf: [{type: integer, minimum: 1}, {type: string}]}
  g: {type: object, minProperties: 1, maxProperties: 2}
`)
	own := func(n *plan.Node) string {
		text := ""
		if n.ObjectKeywords != plan.NoObjectKeywords {
			text += "o"
		}
		if n.ArrayKeywords != plan.NoArrayKeywords {
			text += "a"
		}
		if n.RareKeywords != plan.NoRareKeywords {
			text += "r"
		}
		return text
	}
	at := func(name string) *plan.Node { return plan.Root(s).Prop(name).Node }
	for i, want := range []string{"", "a", "or", "r", "a", "r", "o"} {
		require.Equal(t, want, own(plan.Root(s).Props[i].Node), plan.Root(s).Props[i].Name)
	}
	require.Equal(t, "o", own(plan.Root(s)))
	require.Equal(t, "r", own(at("b").Items))
	require.Equal(t, "r", own(at("c").Additional))
	require.Equal(t, "", own(at("f").Combine.AnyOf[0]))

	require.Equal(t, plan.ObjectKeywords{MinProperties: math.MinInt64, MaxProperties: math.MaxInt64}, *plan.NoObjectKeywords)
	require.Equal(t, plan.ArrayKeywords{MinItems: math.MinInt64, MaxItems: math.MaxInt64}, *plan.NoArrayKeywords)
	require.Equal(t, plan.RareKeywords{}, *plan.NoRareKeywords)
}

// Equal patterns are compiled once, and an invalid one is invalid at each place.
func TestPatternsAreShared(t *testing.T) {
	s := compiled(t, `{properties: {a: {pattern: x+}, b: {pattern: x+}, c: {pattern: (}, d: {pattern: (}}}`)
	of := func(name string) *plan.StringChecks { return plan.Root(s).Prop(name).Node.String }
	require.Same(t, of("a").Pattern, of("b").Pattern)
	for _, name := range []string{"c", "d"} {
		require.Error(t, of(name).BadPattern)
		work := jsonval.MaxWork
		require.Equal(t, plan.NoMatch, of(name).Fault("(", &work))
	}
}

func TestStructuralIsSafeForConcurrentUse(t *testing.T) {
	s := compiled(t, `{properties: {a: {type: string, pattern: "^(a|b)+$", enum: [a, b], maxLength: 5}, b: {type: number, minimum: 1}}}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			n := plan.Root(s).Prop("a").Node
			for range 100 {
				work := jsonval.MaxWork
				n.String.Fault("abab", &work)
				n.Enum.Has("a")
				plan.Root(s).Prop("b").Node.Number.Int(5)
			}
		})
	}
	wg.Wait()
}

// hasNothingElse ignores the keywords that unsupportedFirst reports.
func TestNothingElseIgnoresUnsupported(t *testing.T) {
	ignored := 0
	for _, name := range keywords.Names {
		for _, value := range []string{"x", "true", "{a: {}}"} {
			p, err := Decode([]byte("{" + name + ": " + value + "}"))
			if err == nil && unsupportedFirst(p) != "" {
				require.True(t, hasNothingElse(p), name)
				ignored++
			}
		}
	}
	require.Equal(t, 8, ignored, "additionalItems takes true and an object")
}
