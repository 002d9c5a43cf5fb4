package parity

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/jsonschema"
	"github.com/crdkit/crdkit/resource"
)

// Of made-up objects that a server takes, an editor's schema refuses none. Where nulls are dropped and defaults are
// added before the server validates, a keyword means less to JSON Schema.
func TestEditorSchemasOfMadeUpObjects(t *testing.T) {
	for name, options := range map[string]jsonschema.Options{"closed": {}, "open": {Open: true}} {
		t.Run(name, func(t *testing.T) {
			taken := 0
			for seed := range uint64(3000) {
				m := editorMaker{rand.New(rand.NewPCG(seed, 1))}
				spec := m.object(2)
				text, err := json.Marshal(map[string]any{
					"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "widgets.example.org"},
					"spec": map[string]any{
						"group": "example.org", "scope": "Cluster", "names": map[string]any{"kind": "Widget", "plural": "widgets"},
						"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
							"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}}}},
					}})
				require.NoError(t, err)
				d := given.Definition(t, text)
				if len(crdcheck.Compile(d).Errors()) == 0 {
					taken += m.compare(t, d, spec, options)
				}
			}
			require.Greater(t, taken, 10_000)
		})
	}
}

// compare makes objects, and returns how many of them the server takes.
func (m editorMaker) compare(t *testing.T, d *crd.CustomResourceDefinition, spec map[string]any, options jsonschema.Options) (taken int) {
	r, err := resource.Compile(d)
	require.NoError(t, err)
	file, err := jsonschema.Version(d, "v1", options)
	require.NoError(t, err)
	text := given.JSON(t, file.Document)
	document, err := santhosh.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	c := santhosh.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", document))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err, "%s", text)
	for range 20 {
		sloppy := pick(m, 0.001, 0.1, 0.3)
		body := given.JSON(t, map[string]any{"apiVersion": "example.org/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": m.value(spec, sloppy)})
		result := r.StorageVersion().CreateBody(t.Context(), body)
		if result.Err() != nil || !options.Open && strings.Contains(strings.Join(result.Warnings, "\n"), "unknown field") {
			continue
		}
		taken++
		v, err := santhosh.UnmarshalJSON(strings.NewReader(string(body)))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(v), "%s\nby the schema of %v", body, spec)
	}
	return taken
}

// An editorMaker makes schemas of the keywords that nulls and defaults have to do with, and objects for them.
type editorMaker struct{ *rand.Rand }

func pick[T any](m editorMaker, from ...T) T { return from[m.IntN(len(from))] }

// sometimes reports true with a probability.
func (m editorMaker) sometimes(p float64) bool { return m.Float64() < p }

var editorNames = []string{"a", "b", "c"}

func (m editorMaker) object(depth int) map[string]any {
	props, required := map[string]any{}, []any{}
	for _, name := range editorNames {
		if m.sometimes(.7) {
			props[name] = m.schema(depth)
			if m.sometimes(.25) {
				required = append(required, name)
			}
		}
	}
	d := map[string]any{"type": "object", "properties": props}
	m.set(d, .1, "maxProperties", 1)
	m.set(d, .1, "minProperties", 1)
	m.set(d, .1, "x-kubernetes-preserve-unknown-fields", true)
	if len(required) > 0 {
		d["required"] = required
	}
	if m.sometimes(.3) {
		m.combine(d, d, 1)
	}
	return d
}

// set sets a keyword with a probability.
func (m editorMaker) set(d map[string]any, p float64, keyword string, v any) {
	if m.sometimes(p) {
		d[keyword] = v
	}
}

func (m editorMaker) schema(depth int) (d map[string]any) {
	switch k := m.IntN(10); {
	case depth > 0 && k < 4:
		d = m.object(depth - 1)
	case depth > 0 && k < 6:
		items := m.schema(depth - 1)
		delete(items, "default")
		d = map[string]any{"type": "array", "items": items}
		m.set(d, .2, "maxItems", 2)
		m.set(d, .2, "minItems", 1)
	case depth > 0 && k == 6:
		d = map[string]any{"type": "object", "additionalProperties": m.schema(depth - 1)}
		m.set(d, .3, "maxProperties", 1)
		m.set(d, .3, "minProperties", 1)
	case k == 7:
		d = map[string]any{"x-kubernetes-preserve-unknown-fields": true}
		m.set(d, .5, "type", "object")
	default:
		d = m.scalar()
	}
	m.set(d, .15, "nullable", true)
	if m.sometimes(.25) {
		d["default"] = m.value(d, 0)
	}
	if m.sometimes(.25) {
		m.combine(d, d, 1)
	}
	return d
}

func (m editorMaker) scalar() map[string]any {
	d := pick(m,
		map[string]any{"type": "string"}, map[string]any{"type": "integer"}, map[string]any{"type": "number"}, map[string]any{"type": "boolean"},
		map[string]any{"x-kubernetes-int-or-string": true})
	switch d["type"] {
	case "string":
		m.set(d, .2, "enum", []any{"x", "y"})
		m.set(d, .2, "pattern", pick(m, "^x", "(?i)^X$", "(?m)^x$"))
		m.set(d, .2, "maxLength", 1)
		m.set(d, .1, "format", pick(m, "date", "date-time", "ipv4", "ipv6", "byte", "uri", "email", "uuid"))
	case "integer", "number":
		m.set(d, .2, "minimum", 1)
		m.set(d, .2, "maximum", 1.5)
	case nil:
		m.set(d, .3, "pattern", "^x")
		m.set(d, .3, "enum", []any{"x", 1})
	}
	return d
}

// combine adds a combinator of branches for the values of the schema of.
func (m editorMaker) combine(d, of map[string]any, depth int) {
	keyword := pick(m, "allOf", "anyOf", "oneOf", "not")
	if keyword == "not" {
		d[keyword] = m.branch(of, depth)
		return
	}
	var branches []any
	for range 1 + m.IntN(3) {
		branches = append(branches, m.branch(of, depth))
	}
	d[keyword] = branches
}

func (m editorMaker) branch(of map[string]any, depth int) map[string]any {
	d := map[string]any{}
	props, isObject := of["properties"].(map[string]any)
	items, isList := of["items"].(map[string]any)
	switch {
	case isObject:
		m.set(d, .6, "required", []any{pick(m, editorNames...)})
		m.set(d, .3, "maxProperties", 1)
		m.set(d, .3, "minProperties", 1)
		below := map[string]any{}
		for _, name := range editorNames {
			if p, ok := props[name].(map[string]any); ok && m.sometimes(.3) {
				below[name] = m.branch(p, depth)
			}
		}
		d["properties"] = below
	case isList:
		m.set(d, .3, "maxItems", 1)
		if m.sometimes(.5) {
			d["items"] = m.branch(items, depth)
		}
	default:
		m.set(d, .2, "pattern", pick(m, "^x", "(?i)^X$"))
		m.set(d, .2, "minimum", 1)
		m.set(d, .2, "enum", []any{"x", 1})
		m.set(d, .2, "format", pick(m, "date", "ipv4", "byte", "int32"))
		m.set(d, .2, "minProperties", 1)
	}
	if m.sometimes(.1) {
		d["enum"] = []any{m.value(of, 0), m.value(of, 0)}
	}
	if depth > 0 && m.sometimes(.2) {
		m.combine(d, of, depth-1)
	}
	return d
}

// value returns a value that is likely valid, unless it is sloppy with a probability.
func (m editorMaker) value(d map[string]any, sloppy float64) any {
	if m.sometimes(sloppy) {
		return pick[any](m, nil, nil, nil, "x", 1, map[string]any{}, map[string]any{"a": nil})
	}
	if enum, ok := d["enum"].([]any); ok && m.sometimes(.8) {
		return pick(m, enum...)
	}
	if d["nullable"] == true && m.sometimes(.2) {
		return nil
	}
	if d["x-kubernetes-int-or-string"] == true {
		return pick[any](m, "x", 1, "xy", 5)
	}
	switch d["type"] {
	case "string":
		return pick(m, "x", "X", "", "xy", "y", "2020-01-01", "10.0.0.1")
	case "integer", "number":
		return pick(m, 0, 1, 2, 1<<31)
	case "boolean":
		return m.sometimes(.5)
	case "array":
		items, _ := d["items"].(map[string]any)
		list := []any{}
		for range m.IntN(3) {
			list = append(list, m.value(items, sloppy))
		}
		return list
	}
	obj := map[string]any{}
	props, _ := d["properties"].(map[string]any)
	additional, _ := d["additionalProperties"].(map[string]any)
	for _, name := range editorNames {
		if p, ok := props[name].(map[string]any); ok && m.sometimes(.6) {
			obj[name] = m.value(p, sloppy)
		} else if additional != nil && m.sometimes(.5) {
			obj[name] = m.value(additional, sloppy)
		}
	}
	if d["x-kubernetes-preserve-unknown-fields"] == true && m.sometimes(.5) {
		obj["u"] = pick[any](m, nil, 1, map[string]any{"a": nil})
	}
	if m.sometimes(sloppy / 4) {
		obj["z"] = 1
	}
	return obj
}
