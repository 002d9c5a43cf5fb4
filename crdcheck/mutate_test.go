package crdcheck_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// A mutator changes a document as a script of bytes says. It knows where the schemas of a definition are, and mostly
// inserts what is allowed there, so that many of its documents pass the first checks. After the end of the script, it
// reads zeros.
type mutator struct {
	t       testing.TB
	script  []byte
	schemas []slot // all that stand where a schema does
	others  []slot // the values of the rest, at any depth
	objects []map[string]any
}

// A slot is a value in a document, and how to put another in its place; a nil drop is that of a list.
type slot struct {
	key  string
	v    any
	put  func(v any)
	drop func()
}

// next returns a number below n.
func (m *mutator) next(n int) int {
	if len(m.script) == 0 || n == 0 {
		return 0
	}
	b := int(m.script[0])
	m.script = m.script[1:]
	if n > 256 && len(m.script) > 0 {
		b = b<<8 | int(m.script[0])
		m.script = m.script[1:]
	}
	return b % n
}

func pick[T any](m *mutator, of []T) T { return of[m.next(len(of))] }

// mutate makes changes to doc.
func (m *mutator) mutate(doc map[string]any) {
	for range 1 + m.next(5) {
		m.look(doc)
		switch {
		case len(m.schemas) > 0 && m.next(4) != 3:
			m.schema(pick(m, m.schemas))
		case len(m.others) > 0:
			m.other(pick(m, m.others))
		}
	}
}

// look finds what can be changed, in the order of keys.
func (m *mutator) look(doc map[string]any) {
	m.schemas, m.others, m.objects = m.schemas[:0], m.others[:0], m.objects[:0]
	for _, key := range []string{"metadata", "spec"} {
		m.below(key, doc[key])
	}
}

func (m *mutator) below(key string, v any) {
	switch x := v.(type) {
	case map[string]any:
		m.objects = append(m.objects, x)
		for _, k := range slices.Sorted(maps.Keys(x)) {
			s := slot{k, x[k], func(v any) { x[k] = v }, func() { delete(x, k) }}
			if k == "openAPIV3Schema" {
				m.schemasAt(s)
				continue
			}
			m.others = append(m.others, s)
			m.below(k, x[k])
		}
	case []any:
		for i := range x {
			m.others = append(m.others, slot{key, x[i], func(v any) { x[i] = v }, nil})
			m.below(key, x[i])
		}
	}
}

// schemasAt finds the schema in a slot, and all schemas below it.
func (m *mutator) schemasAt(s slot) {
	x, ok := s.v.(map[string]any)
	if !ok {
		return
	}
	m.schemas = append(m.schemas, s)
	m.objects = append(m.objects, x)
	for _, k := range slices.Sorted(maps.Keys(x)) {
		switch k {
		case "items", "not", "additionalProperties", "additionalItems":
			m.schemasAt(slot{k, x[k], func(v any) { x[k] = v }, func() { delete(x, k) }})
		case "properties", "patternProperties", "definitions", "dependencies":
			in, _ := x[k].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(in)) {
				m.schemasAt(slot{name, in[name], func(v any) { in[name] = v }, func() { delete(in, name) }})
			}
		case "allOf", "anyOf", "oneOf":
			in, _ := x[k].([]any)
			for i := range in {
				m.schemasAt(slot{k, in[i], func(v any) { in[i] = v }, nil})
			}
		}
	}
}

var (
	types       = []string{"object", "array", "string", "integer", "number", "boolean", "null", "foo"}
	limits      = []string{"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "minimum", "maximum", "multipleOf"}
	amounts     = []string{"0", "1", "-1", "3", "7", "10", "1000", "2147483648", "9007199254740993", "9223372036854775807"}
	fieldNames  = []string{"a", "name", "metadata", "kind", "apiVersion", "status", "spec", "labels", "", "a.b", "x-y", "self", "generateName"}
	otherValues = []string{"null", "true", "0", "-1", "1.5", `""`, `"x"`, "[]", "{}"}
)

// schema changes a schema.
func (m *mutator) schema(s slot) {
	p := s.v.(map[string]any)
	keys := slices.Sorted(maps.Keys(p))
	switch m.next(10) {
	case 0: // another type
		p["type"] = pick(m, types)
	case 1: // none, or one keyword less
		if key := pick(m, append(keys, "type")); key != "" {
			delete(p, key)
		}
	case 2: // a limit: another value for one that it has, or one more
		has := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !slices.Contains(limits, k) })
		if len(has) == 0 || m.next(2) == 0 {
			has = limits
		}
		p[pick(m, has)] = json.Number(pick(m, amounts))
	case 3: // what stands elsewhere
		s.put(copied(m.t, pick(m, m.schemas).v))
	case 4: // in something else
		inner := copied(m.t, p)
		switch m.next(5) {
		case 0:
			s.put(map[string]any{"type": "array", "items": inner})
		case 1:
			s.put(map[string]any{"type": "object", "additionalProperties": inner})
		case 2:
			s.put(map[string]any{"type": "object", "properties": map[string]any{pick(m, fieldNames): inner}})
		case 3:
			p[pick(m, []string{"allOf", "anyOf", "oneOf"})] = []any{inner}
		default:
			p["not"] = inner
		}
	case 5: // a property twice, by another name, or with that name instead
		in, _ := p["properties"].(map[string]any)
		if len(in) > 0 {
			name := pick(m, slices.Sorted(maps.Keys(in)))
			in[pick(m, fieldNames)] = copied(m.t, in[name])
			if m.next(2) == 0 {
				delete(in, name)
			}
		}
	case 6: // a branch or a rule twice
		for _, key := range []string{"x-kubernetes-validations", "allOf", "anyOf", "oneOf", "enum", "required"} {
			if l, _ := p[key].([]any); len(l) > 0 {
				p[key] = append(slices.Clone(l), copied(m.t, pick(m, l)))
			}
		}
	case 7: // gone
		if s.drop != nil {
			s.drop()
		}
	default:
		merge(p, value(m.t, "{"+pick(m, schemaWords)+"}"))
	}
}

// other changes a value outside of the schemas.
func (m *mutator) other(s slot) {
	switch m.next(6) {
	case 0:
		if s.drop != nil {
			s.drop()
		}
	case 1: // of another type
		s.put(value(m.t, pick(m, otherValues)))
	case 2: // from elsewhere
		s.put(copied(m.t, pick(m, m.others).v))
	case 3: // twice
		if l, ok := s.v.([]any); ok && len(l) > 0 {
			s.put(append(slices.Clone(l), copied(m.t, pick(m, l))))
		}
	default:
		if into, ok := s.v.(map[string]any); ok {
			merge(into, value(m.t, "{"+pick(m, specWords)+"}"))
		}
	}
}

// text writes doc, sometimes with one of its keys twice: with another value that the right one goes before, or that
// goes before it.
func (m *mutator) text(doc map[string]any) []byte {
	if m.next(4) != 1 {
		return given.JSON(m.t, doc)
	}
	m.look(doc)
	object := pick(m, m.objects)
	if len(object) == 0 {
		object = doc
	}
	key, mark := pick(m, slices.Sorted(maps.Keys(object))), "\u0001twice"
	if m.next(2) == 0 {
		mark = "\U0010fffftwice" // which comes last
	}
	object[mark] = copied(m.t, pick(m, m.others).v)
	data := given.JSON(m.t, doc)
	delete(object, mark)
	quoted := func(s string) string { return string(given.JSON(m.t, s)) }
	return []byte(strings.Replace(string(data), quoted(mark)+":", quoted(key)+":", 1))
}

func copied(t testing.TB, v any) (out any) {
	d := json.NewDecoder(strings.NewReader(string(given.JSON(t, v))))
	d.UseNumber()
	require.NoError(t, d.Decode(&out))
	return out
}

// schemaWords are keywords of a schema, with values that make them count.
var schemaWords = []string{
	`id: x`, `$schema: x`, `$ref: x`, `$ref: ""`, `description: d`, `nullable: true`, `format: int64`, `format: foo`, `format: date-time`, `pattern: "("`,
	`pattern: "^a+$"`, `default: null`, `default: 1`, `default: 1.0`, `default: {}`, `default: [x]`, `default: {a: 1}`, `default: red`, `default: [[], {a: null}]`,
	`default: {apiVersion: v1, kind: K, metadata: {name: x, bogus: 1}}`, `default: {apiVersion: v1, kind: K, metadata: {labels: 1}, a: x}`,
	`exclusiveMaximum: true`, `uniqueItems: true`, `enum: [null, 1, a]`, `enum: []`, `required: [a, a]`, `required: [name]`,
	`items: {}`, `items: [{type: string}]`, `items: true`, `items: {type: object}`, `type: array, items: {type: string}`,
	`allOf: []`, `allOf: [{minimum: 1}]`, `allOf: [{properties: {a: {additionalProperties: {type: string}}}}]`, `anyOf: [{type: integer}, {type: string}]`,
	`not: {items: {properties: {a: {}}}}`, `oneOf: [{required: [a]}, {required: [name]}]`,
	`properties: {}`, `properties: {a: {type: string}}`, `properties: {metadata: {type: object}, kind: {type: string, default: k}}`,
	`additionalProperties: true`, `additionalProperties: false`, `additionalProperties: {type: string}`,
	`patternProperties: {a: {}}`, `definitions: {a: {}}`, `dependencies: {a: [b], c: {}}`, `additionalItems: {}`,
	`x-kubernetes-preserve-unknown-fields: true`, `x-kubernetes-preserve-unknown-fields: false`, `x-kubernetes-embedded-resource: true`,
	`type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true`, `type: null, x-kubernetes-int-or-string: true`,
	`x-kubernetes-list-type: map`, `x-kubernetes-list-type: set`, `x-kubernetes-list-type: atomic`, `x-kubernetes-list-type: ""`,
	`x-kubernetes-list-map-keys: [name]`, `x-kubernetes-list-map-keys: [name, a]`, `x-kubernetes-map-type: granular`, `x-kubernetes-map-type: atomic`,
	`type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, required: [a], properties: {a: {type: string}}}`,
	`x-kubernetes-validations: [{rule: "self == oldSelf"}]`, `x-kubernetes-validations: [{rule: "true", fieldPath: .a}]`,
	`x-kubernetes-validations: [{rule: "self.all(x, x.y(self))", fieldPath: ".a.b['c']"}]`, `x-kubernetes-validations: [{rule: "size(self) < 3", message: m}]`,
	`x-kubernetes-validations: [{rule: "self.a", messageExpression: self, reason: x, optionalOldSelf: true}]`,
	`x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]`, `x-kubernetes-validations: [{rule: "has(self.a) || self.name.includes('x')", messageExpression: "self.name"}]`,
	`x-kubernetes-validations: [{rule: "self == oldSelf.orValue(self)", optionalOldSelf: true}]`,
}

// specWords are keys of the rest of a definition.
var specWords = []string{
	`strategy: None`, `scope: x`, `scope: Cluster`, `group: k8s.io`, `group: a.k8s.io`, `storage: true`, `served: false`, `name: v3`, `plural: P`, `kind: Lamps`,
	`preserveUnknownFields: true`, `preserveUnknownFields: false`, `schema: {}`, `schema: {openAPIV3Schema: {type: object}}`, `subresources: {status: {}}`,
	`subresources: {scale: {}}`, `selectableFields: [{jsonPath: .a}, {jsonPath: .spec.options.a.x}, {jsonPath: .}]`, `selectableFields: [{jsonPath: .spec.colour}]`,
	`versions: [null]`, `deprecated: true`, `deprecationWarning: ""`, `generateName: x`, `annotations: {"a b": c}`, `annotations: {api-approved.kubernetes.io: unapproved}`,
	`url: "http://[::1"`, `caBundle: YQ==`, `path: "x//"`, `port: -1`, `validation: {openAPIV3Schema: {type: object}}`, `additionalPrinterColumns: [{name: A, type: string, jsonPath: .a}]`,
}
