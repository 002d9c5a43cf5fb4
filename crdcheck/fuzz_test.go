package crdcheck_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/resource"
)

// rich has something of almost everything that is checked.
const rich = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com, labels: {a: b}}
spec:
  group: example.com
  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: Lamps, shortNames: [l], categories: [all]}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b, path: /c, port: 1}}}}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: gone soon
    subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count, labelSelectorPath: .status.selector}}
    additionalPrinterColumns: [{name: Colour, type: string, format: byte, jsonPath: .spec.colour, priority: 1}]
    selectableFields: [{jsonPath: .spec.colour}]
    schema: &schema
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          metadata: {type: object, properties: {name: {type: string, maxLength: 20}}}
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.count <= 7 || self.colour != 'red'", message: too many, fieldPath: .count}]
            properties:
              colour: {type: string, enum: [red, blue], default: red, x-kubernetes-validations: [{rule: self == oldSelf, messageExpression: "'not ' + self"}]}
              count: {type: integer, format: int32, minimum: 0, default: 1}
              size: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: "^[0-9]+$"}
              parts: {type: array, maxItems: 10, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
                items: {type: object, required: [name], properties: {name: {type: string, maxLength: 9}, on: {type: boolean, default: true}}}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              options: {type: object, maxProperties: 5, additionalProperties: {type: object, properties: {x: {type: number, nullable: true}}}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true,
                default: {apiVersion: v1, kind: Pod, metadata: {name: a}}}
            oneOf: [{required: [colour]}, {not: {required: [size]}}]
          status: {type: object, x-kubernetes-map-type: atomic, properties: {count: {type: integer}, selector: {type: string}}}
  - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`

// A mutator changes a document as a script of bytes says. Where the script ends, it reads zeros.
type mutator struct {
	script []byte
	all    []slot
}

// A slot is a value in a document, and how to put another in its place; a nil drop is that of a list.
type slot struct {
	key  string
	v    any
	put  func(v any)
	drop func()
}

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

// collect lists the slots below v, in the order of keys.
func (m *mutator) collect(key string, v any) {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			m.all = append(m.all, slot{k, x[k], func(v any) { x[k] = v }, func() { delete(x, k) }})
			m.collect(k, x[k])
		}
	case []any:
		for i := range x {
			m.all = append(m.all, slot{key, x[i], func(v any) { x[i] = v }, nil})
			m.collect(key, x[i])
		}
	}
}

// words are keys that a schema may have, with values that make them count.
var words = []string{
	`id: x`, `$schema: x`, `$ref: x`, `$ref: ""`, `description: d`, `type: object`, `type: array`, `type: string`, `type: integer`, `type: "null"`, `type: foo`,
	`nullable: true`, `format: int64`, `format: foo`, `default: null`, `default: 1`, `default: {}`, `default: [x]`, `default: {a: 1}`, `pattern: "("`,
	`maxLength: 1`, `maxLength: -1`, `maxItems: 0`, `maxItems: 9007199254740993`, `maxProperties: 2`, `minimum: 1.5`, `uniqueItems: true`, `enum: [null, 1, a]`,
	`required: [a, a]`, `items: {}`, `items: [{type: string}]`, `items: true`, `items: {type: object}`, `allOf: []`, `allOf: [{type: integer}]`,
	`anyOf: [{type: integer}, {type: string}]`, `not: {items: {properties: {a: {}}}}`, `properties: {}`, `properties: {a: {type: string}}`,
	`properties: {metadata: {type: object}, kind: {type: string, default: k}}`, `additionalProperties: true`, `additionalProperties: false`, `additionalProperties: {type: string}`,
	`patternProperties: {a: {}}`, `definitions: {a: {}}`, `dependencies: {a: [b], c: {}}`, `additionalItems: {}`, `x-kubernetes-preserve-unknown-fields: true`,
	`x-kubernetes-preserve-unknown-fields: false`, `x-kubernetes-embedded-resource: true`, `x-kubernetes-int-or-string: true`, `x-kubernetes-list-type: map`,
	`x-kubernetes-list-type: set`, `x-kubernetes-list-type: ""`, `x-kubernetes-list-map-keys: [name, a]`, `x-kubernetes-map-type: granular`,
	`x-kubernetes-validations: [{rule: "self == oldSelf"}]`, `x-kubernetes-validations: [{rule: "self.all(x, x.y(self))", fieldPath: ".a.b['c']"}]`,
	`x-kubernetes-validations: [{rule: "self.a", messageExpression: self, reason: x, optionalOldSelf: true}]`,
	`strategy: None`, `scope: x`, `group: k8s.io`, `storage: true`, `served: false`, `name: v3`, `plural: P`, `preserveUnknownFields: true`, `schema: {}`,
	`subresources: {status: {}}`, `subresources: {scale: {}}`, `selectableFields: [{jsonPath: .a}, {jsonPath: .spec.options.a.x}, {jsonPath: .}]`, `versions: [null]`,
	`deprecationWarning: ""`, `generateName: x`, `annotations: {"a b": c}`, `url: "http://[::1"`, `caBundle: YQ==`, `path: "x//"`, `port: -1`,
}

// mutate makes changes to doc: values go, come from elsewhere, change their type or limits, and repeat.
func (m *mutator) mutate(t testing.TB, doc map[string]any) {
	for range 1 + m.next(6) {
		m.all = m.all[:0]
		m.collect("", doc["spec"])
		if m.next(8) == 0 {
			m.collect("", doc["metadata"])
		}
		if len(m.all) == 0 {
			return
		}
		s := m.all[m.next(len(m.all))]
		switch m.next(7) {
		case 0:
			if s.drop != nil {
				s.drop()
			}
		case 1: // of another type
			s.put([]any{nil, true, json.Number("0"), json.Number("-1"), json.Number("1.5"), "", "x", []any{}, map[string]any{}, []any{s.v}, map[string]any{s.key: s.v}}[m.next(11)])
		case 2: // from elsewhere
			s.put(copied(t, m.all[m.next(len(m.all))].v))
		case 3: // twice
			if l, ok := s.v.([]any); ok && len(l) > 0 {
				s.put(append(slices.Clone(l), copied(t, l[m.next(len(l))])))
			}
		default:
			if into, ok := s.v.(map[string]any); ok {
				merge(into, value(t, "{"+words[m.next(len(words))]+"}"))
			}
		}
		if _, ok := doc["spec"].(map[string]any); !ok {
			return
		}
	}
}

func copiedText(t testing.TB, text string) []byte {
	data, err := json.Marshal(value(t, text))
	require.NoError(t, err)
	return data
}

func copied(t testing.TB, v any) (out any) {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	require.NoError(t, d.Decode(&out))
	return out
}

// doubled returns doc with one of its keys twice: the value that comes last counts.
func (m *mutator) doubled(t testing.TB, doc map[string]any) []byte {
	data, err := json.Marshal(doc)
	require.NoError(t, err)
	if m.next(4) != 0 {
		return data
	}
	var at []int
	for i, c := range data {
		if c == '{' && i+1 < len(data) && data[i+1] == '"' {
			at = append(at, i+1)
		}
	}
	i := at[m.next(len(at))]
	word, err := yaml.YAMLToJSON([]byte("{" + words[m.next(len(words))] + "}"))
	require.NoError(t, err)
	return slices.Concat(data[:i], word[1:len(word)-1], []byte(","), data[i:])
}

// LIB-001: whatever a document says, there are no panics. A definition that is taken may take its own place without an error, and
// package resource takes it, too.
func FuzzValidate(f *testing.F) {
	require.Empty(f, texts(crdcheck.Validate(parse(f, copiedText(f, rich)))))
	for i := range 40 {
		f.Add(byte(i), []byte(strings.Repeat(string(rune('0'+i)), i)))
	}
	bases := []string{lamp, oldLamp, rich}
	f.Fuzz(func(t *testing.T, base byte, script []byte) {
		if len(script) > 64 {
			return
		}
		doc := copied(t, value(t, bases[int(base)%len(bases)])).(map[string]any)
		before := copied(t, doc).(map[string]any)
		m := mutator{script: script}
		if base >= 128 {
			m.mutate(t, before)
		}
		m.mutate(t, doc)
		d, err := crd.Parse(m.doubled(t, doc))
		if err != nil {
			return
		}
		errs := crdcheck.Validate(d)
		require.Equal(t, texts(errs), texts(crdcheck.Validate(d)))
		if old, err := crd.Parse(m.doubled(t, before)); err == nil {
			_ = texts(crdcheck.ValidateUpdate(d, old))
			_ = texts(crdcheck.ValidateUpdate(old, d))
			crdcheck.Warnings(d, old)
		}
		if len(errs) > 0 {
			return
		}
		require.Empty(t, texts(crdcheck.ValidateUpdate(d, d)))
		// DFV-005: a default of the whole object that is none is taken, but cannot be served.
		if _, err := resource.Compile(d); err != nil {
			require.ErrorContains(t, err, "object root default value must be of object type")
		}
	})
}
