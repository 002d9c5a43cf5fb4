package given

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// A Maker makes random schemas, and objects that mostly fit them. The same seed gives the same ones.
type Maker struct {
	*rand.Rand
	sloppy float64 // how often a value ignores its schema
}

// NewMaker returns a Maker.
func NewMaker(seed uint64) *Maker { return &Maker{Rand: rand.New(rand.NewPCG(seed, 7))} }

func (m *Maker) chance(p float64) bool { return m.Float64() < p }

func pick[T any](m *Maker, from ...T) T { return from[m.IntN(len(from))] }

// maybe sets a keyword with the probability p.
func (m *Maker) maybe(p float64, doc map[string]any, keyword string, value func() any) {
	if m.chance(p) {
		doc[keyword] = value()
	}
}

func yes() any { return true }

// under returns a function that returns a random number from 0 to below n.
func (m *Maker) under(n int) func() any { return func() any { return int64(m.IntN(n)) } }

// from returns a function that returns one of some values.
func (m *Maker) from(values []any) func() any { return func() any { return pick(m, values...) } }

// Compiled returns the compiled form of a schema's document, which need not be structural.
func Compiled(t testing.TB, doc map[string]any) *schema.Structural {
	t.Helper()
	p, err := schema.FromValue(doc)
	require.NoError(t, err, "%s", ExactJSON(doc))
	s, err := schema.CompileLoose(p)
	require.NoError(t, err, "%s", ExactJSON(doc))
	return s
}

// Decode returns the schema and the object in the texts of a fuzzer, and false if they are not a schema that compiles
// and an object.
func Decode(schemaText, object []byte) (p *schema.JSONSchemaProps, s *schema.Structural, obj map[string]any, ok bool) {
	p, err := schema.Decode(schemaText)
	if err != nil {
		return nil, nil, nil, false
	}
	if s, err = schema.CompileLoose(p); err != nil {
		return nil, nil, nil, false
	}
	obj, err = unstructured.DecodeJSON(object)
	return p, s, obj, err == nil && obj != nil
}

// Schema returns the document of a schema for a whole object. It uses all keywords that can be compiled, even where a
// server would refuse them.
func (m *Maker) Schema() map[string]any {
	doc := m.object(3)
	if m.chance(0.1) {
		delete(doc, "type")
	}
	if m.chance(0.2) {
		doc["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object"}
	}
	return doc
}

var names = []string{"a", "b", "c", "d", "spec", "long.name", "kind", "metadata", "apiVersion", "ä", ""}

func (m *Maker) schemaOf(depth int) map[string]any {
	var doc map[string]any
	kind := m.IntN(14)
	switch {
	case kind < 3 && depth > 0:
		doc = m.object(depth - 1)
	case kind < 5 && depth > 0:
		doc = m.list(depth - 1)
	case kind == 5 && depth > 0:
		doc = m.mapping(depth - 1)
	default:
		doc = m.scalar()
	}
	m.maybe(0.12, doc, "nullable", yes)
	m.maybe(0.06, doc, "x-kubernetes-preserve-unknown-fields", yes)
	m.maybe(0.05, doc, "enum", func() any { return m.several(func() any { return m.Value(doc) }) })
	if m.chance(0.2) {
		if v := m.Value(doc); v != nil {
			doc["default"] = v
		}
	}
	if m.chance(0.12) {
		m.combine(doc, 2)
	}
	return doc
}

func (m *Maker) several(f func() any) []any {
	l := make([]any, 1+m.IntN(3))
	for i := range l {
		l[i] = f()
	}
	return l
}

func (m *Maker) object(depth int) map[string]any {
	props := map[string]any{}
	for range m.IntN(5) {
		props[pick(m, names...)] = m.schemaOf(depth)
	}
	doc := map[string]any{"type": "object", "properties": props}
	if m.chance(0.3) {
		var required []any
		for _, name := range slices.Sorted(maps.Keys(props)) {
			if m.chance(0.4) {
				required = append(required, name)
			}
		}
		if m.chance(0.1) {
			required = append(required, "undeclared")
		}
		doc["required"] = required
	}
	m.maybe(0.1, doc, "x-kubernetes-preserve-unknown-fields", yes)
	m.maybe(0.2, doc, "x-kubernetes-embedded-resource", yes)
	m.maybe(0.06, doc, "additionalProperties", func() any { return m.others(depth) })
	m.sizes(doc, "Properties")
	return doc
}

func (m *Maker) others(depth int) any {
	if m.chance(0.3) {
		return m.chance(0.7)
	}
	return m.schemaOf(depth)
}

func (m *Maker) mapping(depth int) map[string]any {
	doc := map[string]any{"type": "object", "additionalProperties": m.others(depth)}
	m.sizes(doc, "Properties")
	return doc
}

func (m *Maker) sizes(doc map[string]any, what string) {
	m.maybe(0.08, doc, "max"+what, m.under(4))
	m.maybe(0.08, doc, "min"+what, m.under(3))
}

func (m *Maker) list(depth int) map[string]any {
	doc := map[string]any{"type": "array"}
	m.maybe(0.95, doc, "items", func() any { return m.schemaOf(depth) })
	switch m.IntN(8) {
	case 0, 1:
		doc["x-kubernetes-list-type"] = "set"
	case 2, 3:
		item := m.object(depth)
		keys := []any{pick(m, names...)}
		if m.chance(0.4) {
			keys = append(keys, pick(m, names...))
		}
		for _, k := range keys {
			item["properties"].(map[string]any)[k.(string)] = m.scalar()
		}
		doc["items"] = item
		doc["x-kubernetes-list-type"] = "map"
		doc["x-kubernetes-list-map-keys"] = keys
	case 4:
		doc["x-kubernetes-list-type"] = "atomic"
	}
	m.sizes(doc, "Items")
	m.maybe(0.03, doc, "uniqueItems", yes)
	return doc
}

var (
	numbers = []any{
		int64(0), int64(1), int64(-1), int64(2), int64(5), int64(10), int64(65), int64(1) << 31, int64(-1) << 31,
		int64(1) << 53, int64(1)<<53 + 1, int64(math.MaxInt64), int64(math.MinInt64), int64(1) << 62,
		0.0, 1.0, 1.5, 2.5, -0.5, 0.1, 10.5, 1e15, 1e16, 1e300, -1e300, 1.0000000001, 3.5e38, 2147483648.0,
		9007199254740991.0, 9007199254740993.0, 9223372036854775808.0, -9223372036854775808.0, 5e-324,
	}
	bounds   = []any{int64(0), int64(1), int64(5), 0.5, 5.5, 2.5, -0.5, 0.1, 1e300, -1e300, 2147483648.0, 9223372036854775808.0, 3.5e38}
	texts    = []any{"", "a", "A", "b", "ab", "aaa", "2020-01-01", "2020-01-01T00:00:00Z", "10.0.0.1", "ääää", "x y", "\xff", "v1", "Pod", "5"}
	patterns = []any{"^a", "b+$", "^[a-z]*$", "^\\d+$", "(", "^(a|b)$"}
	formats  = []any{"date", "date-time", "ipv4", "int32", "int64", "float", "double", "nonsense", "byte", "password", "k8s-short-name"}
)

func (m *Maker) scalar() map[string]any {
	doc := map[string]any{}
	switch m.IntN(8) {
	case 0, 1:
		doc["type"] = "string"
		m.text(doc)
	case 2, 3:
		doc["type"] = "integer"
		m.number(doc)
	case 4:
		doc["type"] = "number"
		m.number(doc)
	case 5:
		doc["type"] = "boolean"
	case 6:
		doc["x-kubernetes-int-or-string"] = true
		m.text(doc)
		m.number(doc)
	case 7:
		doc["x-kubernetes-preserve-unknown-fields"] = true
	}
	m.maybe(0.2, doc, "format", m.from(formats))
	return doc
}

func (m *Maker) text(doc map[string]any) {
	m.maybe(0.1, doc, "maxLength", m.under(5))
	m.maybe(0.1, doc, "minLength", m.under(3))
	m.maybe(0.1, doc, "pattern", m.from(patterns))
}

func (m *Maker) number(doc map[string]any) {
	for _, k := range []string{"minimum", "maximum", "multipleOf"} {
		m.maybe(0.12, doc, k, m.from(bounds))
	}
	m.maybe(0.1, doc, "exclusiveMinimum", yes)
	m.maybe(0.1, doc, "exclusiveMaximum", yes)
}

// combine adds branches, most of them about the schema's own fields.
func (m *Maker) combine(doc map[string]any, depth int) {
	branches := func() []any { return m.several(func() any { return m.branch(doc, depth) }) }
	switch m.IntN(4) {
	case 0:
		doc["anyOf"] = branches()
	case 1:
		doc["oneOf"] = branches()
	case 2:
		doc["allOf"] = branches()
	case 3:
		doc["not"] = m.branch(doc, depth)
	}
}

func (m *Maker) branch(of map[string]any, depth int) map[string]any {
	doc := map[string]any{}
	switch m.IntN(6) {
	case 0:
		doc["required"] = []any{pick(m, names...)}
	case 1:
		m.text(doc)
		m.number(doc)
	case 2:
		doc["enum"] = m.several(func() any { return m.Value(of) })
	case 3:
		doc["type"] = pick[any](m, "string", "integer", "object", "number", "array")
		m.maybe(0.4, doc, "format", m.from(formats))
	case 4:
		if props, ok := of["properties"].(map[string]any); ok {
			chosen := map[string]any{}
			for _, name := range slices.Sorted(maps.Keys(props)) {
				if m.chance(0.5) {
					chosen[name] = m.branch(props[name].(map[string]any), 1)
				}
			}
			doc["properties"] = chosen
		} else if items, ok := of["items"].(map[string]any); ok {
			doc["items"] = m.branch(items, 1)
		}
		m.sizes(doc, "Properties")
		m.sizes(doc, "Items")
	case 5:
		if depth > 0 {
			m.combine(doc, depth-1)
		}
		if m.chance(0.3) {
			m.combine(doc, 0)
		}
	}
	return doc
}

// Object returns an object that fits the schema, or nearly.
func (m *Maker) Object(doc map[string]any) map[string]any {
	m.sloppy = pick(m, 0, 0, 0.02, 0.1, 0.3)
	obj := m.fields(doc)
	if m.chance(0.8) {
		obj["apiVersion"], obj["kind"] = "g.io/v1", "Thing"
		obj["metadata"] = map[string]any{"name": "n"}
	}
	return obj
}

// Value returns a value that fits the schema, or nearly.
func (m *Maker) Value(doc map[string]any) any {
	if m.chance(m.sloppy) {
		return m.Anything(2)
	}
	if enum, ok := doc["enum"].([]any); ok && m.chance(0.8) {
		return pick(m, enum...)
	}
	if doc["nullable"] == true && m.chance(0.15) || m.chance(m.sloppy) {
		return nil
	}
	switch doc["type"] {
	case "object":
		return m.fields(doc)
	case "array":
		return m.items(doc)
	case "string":
		return pick(m, texts...)
	case "integer":
		return pick(m, numbers[:9+m.IntN(len(numbers)-9)]...)
	case "number":
		return pick(m, numbers...)
	case "boolean":
		return m.chance(0.5)
	}
	if doc["x-kubernetes-int-or-string"] == true {
		return pick(m, pick(m, numbers...), pick(m, texts...))
	}
	return m.Anything(2)
}

func (m *Maker) fields(doc map[string]any) map[string]any {
	obj := map[string]any{}
	props, _ := doc["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if m.chance(0.75) {
			obj[name] = m.Value(props[name].(map[string]any))
		}
	}
	others, _ := doc["additionalProperties"].(map[string]any)
	for range m.IntN(3) {
		switch {
		case others != nil:
			obj[pick(m, names...)+"2"] = m.Value(others)
		case m.chance(3 * m.sloppy), doc["x-kubernetes-preserve-unknown-fields"] == true, doc["additionalProperties"] == true:
			obj[pick(m, names...)] = m.Anything(2)
		}
	}
	if doc["x-kubernetes-embedded-resource"] == true && !m.chance(m.sloppy) {
		obj["apiVersion"], obj["kind"] = "v1", "Pod"
		delete(obj, "metadata")
		m.maybe(0.6, obj, "metadata", m.metadata)
	}
	return obj
}

func (m *Maker) metadata() any {
	if m.chance(m.sloppy) {
		return m.Anything(2)
	}
	meta := map[string]any{"name": "n"}
	m.maybe(0.3, meta, "labels", func() any { return map[string]any{"a": pick[any](m, "b", "c")} })
	m.maybe(0.1, meta, "annotations", func() any { return map[string]any{} }) // valid, but not as it is stored
	for range 3 {
		if m.chance(m.sloppy) {
			key := pick(m, "name", "labels", "foo", "creationTimestamp", "generation", "finalizers", "ownerReferences", "namespace", "uid")
			meta[key] = m.Anything(2)
		}
	}
	return meta
}

func (m *Maker) items(doc map[string]any) []any {
	items, _ := doc["items"].(map[string]any)
	size := m.IntN(4)
	if m.chance(0.03) {
		size = 12 + m.IntN(12)
	}
	l := make([]any, size)
	for i := range l {
		switch {
		case items == nil:
			l[i] = m.Anything(1)
		case i > 0 && m.chance(m.sloppy):
			l[i] = jsonval.Clone(l[m.IntN(i)])
		default:
			l[i] = m.Value(items)
		}
		if keys, ok := doc["x-kubernetes-list-map-keys"].([]any); ok && !m.chance(m.sloppy) {
			if item, ok := l[i].(map[string]any); ok {
				item[keys[0].(string)] = fmt.Sprint("k", i)
			}
		}
	}
	return l
}

// Anything returns a value of any kind, with at most depth lists and objects in one another.
func (m *Maker) Anything(depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch m.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return m.chance(0.5)
	case 2, 3:
		return pick(m, numbers...)
	case 4:
		return pick(m, texts...)
	case 5:
		l := make([]any, m.IntN(3))
		for i := range l {
			l[i] = m.Anything(depth - 1)
		}
		return l
	}
	obj := map[string]any{}
	for range m.IntN(3) {
		obj[pick(m, names...)] = m.Anything(depth - 1)
	}
	return obj
}
