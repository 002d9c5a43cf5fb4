package apply

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// A maker makes up definitions with everything that field management depends on, and valid objects for them.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) *maker { return &maker{rand.New(rand.NewPCG(seed, 25))} }

func (m *maker) oneIn(n int) bool { return m.IntN(n) == 0 }

func oneOf[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

// schema returns the schema of a value. defaults says that fields may have some.
func (m *maker) schema(depth int, defaults bool) map[string]any {
	kinds := 11
	if depth == 0 {
		kinds = 5
	}
	switch m.IntN(kinds) {
	case 0, 1:
		doc := map[string]any{"type": "string"}
		if defaults && m.oneIn(4) {
			doc["default"] = "d"
		}
		return doc
	case 2:
		doc := map[string]any{"type": "integer"}
		if defaults && m.oneIn(4) {
			doc["default"] = 7
		}
		return doc
	case 3:
		return map[string]any{"x-kubernetes-int-or-string": true}
	case 4:
		return map[string]any{"type": "boolean"}
	case 5, 6:
		doc := m.object(depth-1, defaults)
		if m.oneIn(5) {
			doc["x-kubernetes-map-type"] = "atomic"
		}
		return doc
	case 7:
		doc := map[string]any{"type": "object", "additionalProperties": m.schema(depth-1, false)}
		if m.oneIn(5) {
			doc["x-kubernetes-map-type"] = "atomic"
		}
		return doc
	case 8: // atomic list
		return map[string]any{"type": "array", "items": m.schema(depth-1, false)}
	case 9:
		return map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": oneOf(m, "string", "integer")}}
	default:
		items := m.object(depth-1, defaults)
		keys := []any{"key"}
		props := items["properties"].(map[string]any)
		props["key"] = map[string]any{"type": "string"}
		required := []any{"key"}
		if m.oneIn(3) {
			keys = append(keys, "port")
			props["port"] = map[string]any{"type": "integer"}
			if m.oneIn(2) {
				props["port"] = map[string]any{"type": "integer", "default": 80}
			} else {
				required = append(required, "port")
			}
		}
		items["required"] = required
		return map[string]any{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items}
	}
}

func (m *maker) object(depth int, defaults bool) map[string]any {
	props := map[string]any{}
	for i := range 1 + m.IntN(4) {
		props[string(rune('a'+i))] = m.schema(max(depth, 0), defaults)
	}
	doc := map[string]any{"type": "object", "properties": props}
	if m.oneIn(8) {
		doc["x-kubernetes-preserve-unknown-fields"] = true
	}
	return doc
}

// value returns a value that the schema takes; empty says that lists, maps and objects may be empty.
func (m *maker) value(doc map[string]any) any {
	switch doc["type"] {
	case "string":
		return oneOf(m, "x", "y", "z")
	case "integer":
		return int64(m.IntN(3))
	case "boolean":
		return m.oneIn(2)
	case "array":
		return m.list(doc)
	case "object":
		return m.fields(doc)
	}
	if m.oneIn(2) {
		return int64(m.IntN(3))
	}
	return oneOf(m, "1", "50%")
}

func (m *maker) fields(doc map[string]any) map[string]any {
	obj := map[string]any{}
	props, _ := doc["properties"].(map[string]any)
	for i := range 26 {
		name := string(rune('a' + i))
		if p, ok := props[name].(map[string]any); ok && !m.oneIn(3) {
			obj[name] = m.value(p)
		}
	}
	if more, ok := doc["additionalProperties"].(map[string]any); ok {
		for range m.IntN(4) {
			obj[oneOf(m, "p", "q", "r.s/t")] = m.value(more)
		}
	}
	if doc["x-kubernetes-preserve-unknown-fields"] == true && m.oneIn(2) {
		obj["free"] = oneOf[any](m, "x", int64(1), map[string]any{"u": map[string]any{"v": "w"}, "n": int64(m.IntN(2))}, []any{"x", int64(m.IntN(2))})
	}
	return obj
}

func (m *maker) list(doc map[string]any) []any {
	items := doc["items"].(map[string]any)
	list := []any{}
	keys, _ := doc["x-kubernetes-list-map-keys"].([]any)
	seen := map[string]bool{}
	for range m.IntN(4) {
		item := m.value(items)
		id := given.ExactJSON(item)
		if keys != nil {
			o := item.(map[string]any)
			o["key"] = oneOf(m, "k", "l", "m")
			if len(keys) == 2 {
				o["port"] = int64(80 + m.IntN(2))
			}
			id = fmt.Sprint(o["key"], o["port"])
		}
		if doc["x-kubernetes-list-type"] == nil || !seen[id] {
			list = append(list, item)
		}
		seen[id] = true
	}
	return list
}

// A subject is a definition with a random schema.
type subject struct {
	*maker
	doc map[string]any // the schema of v1's and v2's objects
	*Resource
}

func newSubject(t testing.TB, seed uint64, defaults bool) *subject {
	t.Helper()
	m := newMaker(seed)
	doc := map[string]any{"type": "object", "properties": map[string]any{"spec": m.object(3, defaults), "status": m.object(1, false)}}
	version := func(name string, storage bool) map[string]any {
		return map[string]any{
			"name": name, "served": true, "storage": storage, "schema": map[string]any{"openAPIV3Schema": doc},
			"subresources": map[string]any{"status": map[string]any{}},
		}
	}
	d := given.Definition(t, given.ExactJSON(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.g.io"},
		"spec": map[string]any{
			"group": "g.io", "scope": "Namespaced", "names": map[string]any{"plural": "things", "kind": "Thing"},
			"versions": []any{version("v1", true), version("v2", false)},
		},
	}))
	r, err := resource.Compile(d)
	require.NoError(t, err)
	a, err := Compile(r)
	require.NoError(t, err)
	return &subject{m, doc, a}
}

func (s *subject) version(name string) *Version {
	return s.Version(name).With(resource.RequestOptions{Namespace: "ns", Name: "n"})
}

// thing returns an object of a version, with random fields.
func (s *subject) thing(version string) map[string]any {
	obj := s.fields(s.doc)
	meta := map[string]any{"name": "n", "namespace": "ns"}
	if s.oneIn(2) {
		meta["labels"] = map[string]any{oneOf(s.maker, "a", "b"): oneOf(s.maker, "x", "y")}
	}
	if s.oneIn(4) {
		meta["finalizers"] = []any{oneOf(s.maker, "x.io/f", "x.io/g")}
	}
	obj["apiVersion"], obj["kind"], obj["metadata"] = "g.io/"+version, "Thing", meta
	return obj
}

// bare returns the configuration of a manager that wants nothing.
func bare(version string) map[string]any {
	return map[string]any{"apiVersion": "g.io/" + version, "kind": "Thing", "metadata": map[string]any{"name": "n", "namespace": "ns"}}
}

// body returns obj as the body of a request.
func body(obj map[string]any) []byte { return []byte(given.ExactJSON(obj)) }

// clone returns a deep copy of obj, which may be nil.
func clone(obj map[string]any) map[string]any {
	c, _ := jsonval.Clone(obj).(map[string]any)
	return c
}

// describe prints what a failure is about.
func (s *subject) describe(live map[string]any, steps []string) string {
	return fmt.Sprintf("schema: %s\nlive: %s\n%s", given.ExactJSON(s.doc), given.ExactJSON(live), strings.Join(steps, "\n"))
}
