package given

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/schema"
)

// A Sized is a schema with an object that is valid and complete: there is nothing to prune, default or report.
type Sized struct {
	Name   string
	Doc    map[string]any // the schema as it is written
	Schema *schema.Structural
	Object map[string]any
	Value  any // Object
}

// NoAllocs fails for each of the calls that allocates, on an object of any size.
func NoAllocs(t *testing.T, calls map[string]func(s Sized)) {
	for _, s := range Sizes(t) {
		on := map[string]func(){}
		for name, call := range calls {
			on[name+" of a "+s.Name+" object"] = func() { call(s) }
		}
		RequireNoAllocs(t, on)
	}
}

// Sizes returns a tiny schema, a medium one that uses every keyword, and a large one, of about 5, 60 and 800 nodes.
func Sizes(t testing.TB) []Sized {
	largeSchema, largeObject := large()
	tiny, medium := Object(t, tinySchema), Object(t, mediumSchema)
	sizes := []Sized{
		{Name: "tiny", Doc: tiny, Schema: Compiled(t, tiny), Object: Object(t, tinyObject)},
		{Name: "medium", Doc: medium, Schema: Compiled(t, medium), Object: Object(t, mediumObject)},
		{Name: "large", Doc: largeSchema, Schema: Compiled(t, largeSchema), Object: largeObject},
	}
	for i, least := range []int{4, 50, 800} {
		require.Greater(t, count(sizes[i].Schema.Root()), least, sizes[i].Name)
		sizes[i].Value = sizes[i].Object
	}
	return sizes
}

// count returns how many nodes there are at n and below, combinators aside.
func count(n schema.Node) int {
	if n.IsZero() {
		return 0
	}
	all := 1 + count(n.Items()) + count(n.AdditionalProperties())
	for _, child := range n.Properties() {
		all += count(child)
	}
	return all
}

const tinySchema = `
type: object
properties:
  spec: {type: object, required: [size], properties: {size: {type: integer, minimum: 1}, colour: {type: string, default: red}}}
  status: {type: object, properties: {ready: {type: boolean}}}
`

const tinyObject = `
apiVersion: g.io/v1
kind: Thing
metadata: {name: a}
spec: {size: 1, colour: red}
`

const mediumSchema = `
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [name, ports]
    minProperties: 1
    maxProperties: 30
    properties:
      name: {type: string, minLength: 1, maxLength: 63, pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$"}
      class: {type: string, enum: [small, medium, large], default: small}
      replicas: {type: integer, format: int32, minimum: 0, maximum: 100, default: 1}
      weight: {type: number, minimum: 0, exclusiveMinimum: true}
      step: {type: integer, multipleOf: 5}
      limit: {x-kubernetes-int-or-string: true, pattern: "^[0-9]+%?$", anyOf: [{type: integer}, {type: string}]}
      since: {type: string, format: date-time}
      owner: {type: string, nullable: true}
      paused: {type: boolean, default: false}
      labels: {type: object, additionalProperties: {type: string, maxLength: 63}}
      raw: {type: object, x-kubernetes-preserve-unknown-fields: true}
      any: {x-kubernetes-preserve-unknown-fields: true}
      hosts: {type: array, x-kubernetes-list-type: set, maxItems: 16, items: {type: string, format: ipv4}}
      modes: {type: array, minItems: 1, items: {type: string, enum: [a, b, c, d, e, f, g, h, i, j]}}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items:
          type: object
          required: [port]
          properties:
            name: {type: string}
            port: {type: integer, minimum: 1, maximum: 65535}
            protocol: {type: string, default: TCP}
      source:
        type: object
        properties:
          git: {type: object, required: [url], properties: {url: {type: string, format: hostname}, branch: {type: string, default: main}}}
          image: {type: object, required: [name], properties: {name: {type: string}, tag: {type: string}}}
        oneOf: [{required: [git]}, {required: [image]}]
        not: {required: [git, image]}
      template:
        type: object
        x-kubernetes-embedded-resource: true
        properties:
          spec: {type: object, allOf: [{required: [command]}, {properties: {command: {minItems: 1}}}], properties: {command: {type: array, items: {type: string}}}}
      matrix: {type: array, items: {type: array, items: {type: object, properties: {x: {type: number}, depth: {type: number}}}}}
      byName: {type: object, additionalProperties: {type: array, x-kubernetes-list-type: atomic, items: {type: object, properties: {size: {type: integer, default: 5}}}}}
  status:
    type: object
    properties:
      phase: {type: string}
      conditions:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [type]
        items:
          type: object
          required: [type, status]
          properties: {type: {type: string}, status: {type: string, enum: ["True", "False", Unknown]}, message: {type: string, maxLength: 1024}}
`

const mediumObject = `
apiVersion: g.io/v1
kind: Thing
metadata: {name: a, labels: {a: b}}
spec:
  name: web-1
  class: medium
  replicas: 3
  weight: 0.5
  step: 25
  limit: 80%
  since: "2020-01-01T00:00:00Z"
  owner: null
  paused: false
  labels: {a: b, app.kubernetes.io/name: web}
  raw: {a: {b: [1, {c: d}]}}
  any: [1, a, {b: null}]
  hosts: [10.0.0.1, 10.0.0.2, 10.0.0.3]
  modes: [a, j]
  ports: [{name: web, port: 80, protocol: TCP}, {port: 80, protocol: UDP}, {port: 443, protocol: TCP}]
  source: {git: {url: git.example.org, branch: main}}
  template: {apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a: b}}, spec: {command: [run, "--now"]}}
  matrix: [[{x: 1.5}, {depth: 2}], []]
  byName: {one: [{size: 1}, {size: 2}], two: []}
status:
  phase: Running
  conditions: [{type: Ready, status: "True", message: all is well}, {type: Synced, status: Unknown}]
`

// large returns a schema of ten groups of eight parts, and an object with most of its fields.
func large() (doc, obj map[string]any) {
	type m = map[string]any
	props, spec := m{}, m{}
	for g := range 10 {
		parts, values := m{}, m{}
		for p := range 8 {
			name := fmt.Sprintf("part%d", p)
			parts[name] = m{"type": "object", "required": []any{"name"}, "properties": m{
				"name":    m{"type": "string", "maxLength": int64(20)},
				"count":   m{"type": "integer", "minimum": int64(0), "default": int64(p)},
				"enabled": m{"type": "boolean", "default": true},
				"ratio":   m{"type": "number"},
				"mode":    m{"type": "string", "enum": []any{"a", "b", "c"}},
				"tags":    m{"type": "array", "x-kubernetes-list-type": "set", "items": m{"type": "string"}},
				"options": m{"type": "object", "additionalProperties": m{"type": "string"}},
			}}
			values[name] = m{
				"name": name, "count": int64(p), "enabled": p%2 == 0, "ratio": 0.5, "mode": "b",
				"tags": []any{"x", "y", name}, "options": m{"a": "b", "c": "d"},
			}
		}
		name := fmt.Sprintf("group%d", g)
		props[name], spec[name] = m{"type": "object", "properties": parts}, values
	}
	doc = m{"type": "object", "properties": m{"spec": m{"type": "object", "properties": props}}}
	obj = m{"apiVersion": "g.io/v1", "kind": "Thing", "metadata": m{"name": "a"}, "spec": spec}
	return doc, obj
}
