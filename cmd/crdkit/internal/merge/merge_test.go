package merge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/merge"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const spec = `
type: object
properties:
  text: {type: string}
  size: {type: integer, default: 1}
  port: {x-kubernetes-int-or-string: true}
  part:
    type: object
    properties:
      a: {type: string}
      b: {type: object, properties: {c: {type: integer}, d: {type: string, default: d}}}
  whole:
    type: object
    x-kubernetes-map-type: atomic
    properties: {a: {type: string}, b: {type: string}}
  labels: {type: object, additionalProperties: {type: string}}
  parts: {type: object, additionalProperties: {type: object, properties: {a: {type: string}, b: {type: integer}}}}
  any: {type: object, x-kubernetes-preserve-unknown-fields: true}
  list: {type: array, items: {type: string}}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  numbers: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
  items:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}
        a: {type: string}
        b: {type: object, properties: {c: {type: integer}}}
        set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  ports:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [port, protocol]
    items:
      type: object
      required: [port]
      properties: {port: {type: integer}, protocol: {type: string, default: TCP}, a: {type: string}}
`

// A maker makes values of a schema.
type maker struct{ *rand.Rand }

func (m maker) oneOf(from ...string) string { return from[m.IntN(len(from))] }

func (m maker) value(schema map[string]any, depth int) any {
	items, _ := schema["items"].(map[string]any)
	switch kind, _ := schema["type"].(string); {
	case kind == "string":
		return m.oneOf("x", "y", "z")
	case kind == "integer":
		return int64(m.IntN(3))
	case kind == "array" && schema["x-kubernetes-list-type"] != nil:
		list, seen := []any{}, map[string]bool{}
		keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
		for range m.IntN(5) {
			item := m.value(items, depth+1)
			id := fmt.Sprint(item)
			if obj, ok := item.(map[string]any); ok {
				id = ""
				for _, k := range keys {
					if k == "protocol" && obj["protocol"] == nil {
						id += "TCP"
					} else {
						id += fmt.Sprint(obj[k.(string)])
					}
				}
			}
			if !seen[id] {
				list, seen[id] = append(list, item), true
			}
		}
		return list
	case kind == "array":
		return given.List(m.IntN(3), func(int) any { return m.value(items, depth+1) })
	case kind == "object":
		obj := map[string]any{}
		props, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range sorted(props) {
			if slices.Contains(required, any(name)) || m.IntN(2) == 0 {
				obj[name] = m.value(props[name].(map[string]any), depth+1)
			}
		}
		if more, ok := schema["additionalProperties"].(map[string]any); ok {
			for range m.IntN(3) {
				obj[m.oneOf("k", "l", "m")] = m.value(more, depth+1)
			}
		}
		if schema["x-kubernetes-preserve-unknown-fields"] != nil {
			for range m.IntN(3) {
				obj[m.oneOf("k", "l", "m")] = m.any(depth)
			}
		}
		return obj
	}
	if m.IntN(2) == 0 {
		return int64(m.IntN(3))
	}
	return m.oneOf("1", "50%")
}

// any returns a value without a schema.
func (m maker) any(depth int) any {
	switch n := m.IntN(5); {
	case n == 0:
		return []any{m.oneOf("x", "y")}
	case n < 3 && depth < 4:
		obj := map[string]any{}
		for range m.IntN(3) {
			obj[m.oneOf("k", "l", "m")] = m.any(depth + 1)
		}
		return obj
	}
	return m.oneOf("x", "y")
}

func sorted(m map[string]any) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// object returns an object with a spec, a status and metadata.
func (m maker) object(schema map[string]any) map[string]any {
	meta := map[string]any{"name": "a", "namespace": "default"}
	if m.IntN(2) == 0 {
		labels := map[string]any{}
		for range m.IntN(3) {
			labels[m.oneOf("k", "l", "m")] = m.oneOf("x", "y")
		}
		meta["labels"] = labels
	}
	if m.IntN(3) == 0 {
		meta["finalizers"] = []any{m.oneOf("example.org/a", "example.org/b")}
	}
	return map[string]any{
		"apiVersion": "example.org/v1", "kind": "Tap", "metadata": meta, "spec": m.value(schema, 0), "status": map[string]any{"phase": m.oneOf("x", "y")},
	}
}

func compile(t *testing.T) (*resource.Version, *apply.Version) {
	d := given.Definition(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: taps.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Tap, plural: taps, singular: tap, listKind: TapList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, properties: {phase: {type: string}}}
          spec:
`+strings.ReplaceAll(spec, "\n", "\n            "))
	r, err := resource.Compile(d)
	require.NoError(t, err)
	a, err := apply.Compile(r)
	require.NoError(t, err)
	o := resource.RequestOptions{Namespace: "default", Name: "a"}
	return r.Version("v1").With(o), a.Version("v1").With(o)
}

// bare returns an object without what differs between the two.
func bare(obj map[string]any) map[string]any {
	obj = unstructured.Clone(obj)
	meta, _ := obj["metadata"].(map[string]any)
	delete(meta, "managedFields")
	delete(meta, "generation")
	return obj
}

// The merged object and the conflicts are those of package apply, over sequences of writes by several managers.
func TestApplyIsThatOfPackageApply(t *testing.T) {
	version, reference := compile(t)
	schema := given.Object(t, spec)
	applied, conflicted, removed := 0, 0, 0
	for seed := range uint64(100) {
		m := maker{rand.New(rand.NewPCG(seed, 7))}
		created := reference.Create(t.Context(), m.object(schema), apply.Options{Manager: "creator", Now: time.Unix(1, 0)})
		require.NoError(t, created.Err())
		live := created.Object
		for range 6 {
			obj, manager := m.object(schema), m.oneOf("a", "b")
			if m.IntN(4) == 0 {
				updated := unstructured.Clone(live)
				updated["spec"].(map[string]any)[m.oneOf("text")] = m.oneOf("x", "y", "z")
				if m.IntN(2) == 0 {
					updated["spec"] = obj["spec"]
				}
				r := reference.Update(t.Context(), updated, live, apply.Options{Manager: "updater", Now: time.Unix(2, 0)})
				require.NoError(t, r.Err())
				live = r.Object
				continue
			}
			body, err := json.Marshal(obj)
			require.NoError(t, err)
			options := apply.Options{Manager: manager, Now: time.Unix(3, 0)}
			var want []string
			conflicts, err := reference.Conflicts(t.Context(), body, live, options)
			require.NoError(t, err)
			for _, c := range conflicts {
				want = append(want, c.Owner.Manager+" ."+c.Path)
			}
			options.Force = true
			r := reference.Apply(t.Context(), body, live, options)

			merged, found := merge.Apply(plan.Root(version.Schema()), live, obj, manager, true)
			var got []string
			for _, c := range found {
				got = append(got, c.Manager.Name+" "+c.Text)
			}
			slices.Sort(want)
			slices.Sort(got)
			context := fmt.Sprintf("seed %d, %s applies %s to %s", seed, manager, body, given.JSON(t, live))
			require.Equal(t, want, got, context)
			answer := version.PatchFunc(t.Context(), func(map[string]any) (map[string]any, error) { return merged, nil }, live)
			require.Equal(t, fmt.Sprint(r.Err()), fmt.Sprint(answer.Err()), context)
			require.Equal(t, bare(r.Object), bare(answer.Object), context)
			if r.Err() != nil { // a server makes null of a list that it empties
				continue
			}
			applied++
			conflicted += min(len(got), 1)
			if len(merged["spec"].(map[string]any)) < len(live["spec"].(map[string]any)) {
				removed++
			}
			live = r.Object
		}
	}
	require.Greater(t, conflicted, 200)
	require.Greater(t, removed, 50)
	t.Logf("%d applies, %d with conflicts, %d that remove fields", applied, conflicted, removed)
}
