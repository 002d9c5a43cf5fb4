package embedded_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

type object = map[string]any

var resource = object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}

func TestNormalize(t *testing.T) {
	doc := object{"type": "object", "properties": object{
		"e":    resource,
		"l":    object{"type": "array", "items": resource},
		"m":    object{"type": "object", "additionalProperties": resource},
		"free": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		"outer": object{"type": "object", "x-kubernetes-embedded-resource": true, "properties": object{
			"inner": resource, "metadata": object{"type": "object", "properties": object{"name": object{"type": "string"}}},
		}},
	}, "allOf": []any{object{"properties": object{"branch": resource}}}}
	pod := func(meta any) object { return object{"apiVersion": "v1", "kind": "Pod", "metadata": meta} }

	for _, row := range []struct {
		name      string
		obj, want object
		err       string
		dropped   object // what is left where the unreadable is dropped; nil: the same
		unknown   []string
	}{
		{name: "nothing to do",
			obj: object{"e": pod(object{"name": "a"})}, want: object{"e": pod(object{"name": "a"})}},
		{name: "OME-004: what is empty vanishes",
			obj: object{"e": pod(object{"name": "", "labels": object{}})}, want: object{"e": pod(object{})}},
		{name: "OME-004: times are UTC, with whole seconds",
			obj:  object{"e": pod(object{"creationTimestamp": "2020-01-01T00:00:00.5+02:00"})},
			want: object{"e": pod(object{"creationTimestamp": "2019-12-31T22:00:00Z"})}},
		{name: "OME-011: null becomes an object",
			obj: object{"e": pod(nil)}, want: object{"e": pod(object{})}},
		{name: "OME-011: nothing that is missing is added",
			obj: object{"e": object{}}, want: object{"e": object{}}},
		{name: "OME-005, OME-012: unknown fields, with keys of maps in brackets",
			obj:     object{"m": object{"a.b": pod(object{"name": "a", "yy": int64(1)})}, "l": []any{pod(object{"ownerReferences": []any{object{"extra": int64(1)}}})}},
			want:    object{"m": object{"a.b": pod(object{"name": "a"})}, "l": []any{pod(object{"ownerReferences": []any{object{"apiVersion": "", "kind": "", "name": "", "uid": ""}}})}},
			unknown: []string{"l[0].metadata.ownerReferences[0].extra", "m[a.b].metadata.yy"}},
		{name: "OME-010: metadata within metadata's own resource, and resources within resources",
			obj:     object{"outer": object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"X": "y"}, "inner": pod(object{"Y": "z"})}},
			want:    object{"outer": object{"apiVersion": "v1", "kind": "Pod", "metadata": object{}, "inner": pod(object{})}},
			unknown: []string{"outer.inner.metadata.Y", "outer.metadata.X"}},
		{name: "elsewhere metadata is any field, and branches do not count",
			obj:  object{"free": pod(object{"x": int64(1)}), "branch": pod(object{"x": int64(1)}), "metadata": object{"x": int64(1)}},
			want: object{"free": pod(object{"x": int64(1)}), "branch": pod(object{"x": int64(1)}), "metadata": object{"x": int64(1)}}},
		{name: "other kinds of values are passed over",
			obj: object{"e": "text", "l": []any{nil, int64(1)}, "m": []any{}}, want: object{"e": "text", "l": []any{nil, int64(1)}, "m": []any{}}},
		{name: "OME-010: apiVersion has to be a string",
			obj: object{"e": object{"apiVersion": int64(5), "kind": "Pod"}}, err: `e.apiVersion: Invalid value: 5: must be a string`,
			dropped: object{"e": object{"kind": "Pod"}}},
		{name: "OME-010: null is none",
			obj: object{"l": []any{object{}, object{"kind": nil}}}, err: `l[1].kind: Invalid value: null: must be a string`,
			dropped: object{"l": []any{object{}, object{}}}},
		{name: "OME-003: what cannot be read goes as a whole",
			obj:     object{"m": object{"k": pod(object{"name": "a", "labels": object{"a": "b", "c": int64(1)}})}},
			err:     `m[k].metadata: Invalid value: {"labels":{"a":"b","c":1},"name":"a"}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
			dropped: object{"m": object{"k": pod(object{"name": "a"})}}},
		{name: "OME-010: metadata that is no object stays, where nothing may fail",
			obj: object{"e": pod("m")}, err: `e.metadata: Invalid value: "m": json: cannot unmarshal string into Go value of type v1.ObjectMeta`,
			dropped: object{"e": pod("m")}},
		{name: "the first error by name",
			obj: object{"l": []any{pod("m")}, "e": object{"kind": int64(1), "apiVersion": int64(2)}}, err: `e.apiVersion: Invalid value: 2: must be a string`,
			dropped: object{"l": []any{pod("m")}, "e": object{}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := given.Compiled(t, doc)
			before := unstructured.Clone(row.obj)

			request := embedded.Normalizer{Track: true}
			got, err := request.Normalize(plan.Root(s), row.obj)
			if row.err != "" {
				require.NotNil(t, err)
				require.Equal(t, row.err, err.Error())
				require.Nil(t, got)
			} else {
				require.Nil(t, err)
				require.Equal(t, any(row.want), got)
				unknown, more := request.Unknown()
				require.Equal(t, row.unknown, unknown)
				require.Zero(t, more)
			}

			storage := embedded.Normalizer{Drop: true}
			got, err = storage.Normalize(plan.Root(s), row.obj)
			require.Nil(t, err, "DEC-021: storage never fails")
			want := row.want
			if row.dropped != nil {
				want = row.dropped
			}
			require.Equal(t, any(want), got)
			unknown, _ := storage.Unknown()
			require.Nil(t, unknown, "not tracked")
			require.Equal(t, before, row.obj, "the argument is modified")
		})
	}
}

// The value asked about first is no resource, unless its schema says so (PRU-001).
func TestRoot(t *testing.T) {
	obj := object{"apiVersion": int64(5), "metadata": "m"}
	var c embedded.Normalizer
	got, err := c.Normalize(plan.Root(given.Compiled(t, object{"type": "object"})), obj)
	require.Nil(t, err)
	require.True(t, given.Same(obj, got))
	_, err = c.Normalize(plan.Root(given.Compiled(t, resource)), obj)
	require.Equal(t, "apiVersion: Invalid value: 5: must be a string", err.Error())
	got, err = c.Normalize(nil, obj)
	require.Nil(t, err)
	require.True(t, given.Same(obj, got))
}

func TestRandom(t *testing.T) {
	changed := 0
	for seed := range uint64(8000) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s, obj := given.Compiled(t, doc), m.Object(doc)
		for _, drop := range []bool{false, true} {
			before := unstructured.Clone(obj)
			c := embedded.Normalizer{Drop: drop}
			got, err := c.Normalize(plan.Root(s), obj)
			require.Equal(t, before, obj, "the argument is modified")
			if err != nil {
				require.False(t, drop, "%s", err)
				again, same := c.Normalize(plan.Root(s), obj)
				require.Nil(t, again)
				require.Equal(t, err, same, "always the same error")
				continue
			}
			require.Equal(t, given.Same(obj, got), reflect.DeepEqual(any(obj), got), "with nothing to do it returns its argument")
			if !given.Same(obj, got) {
				changed++
			}
			slow := jsonval.Clone(obj)
			slowNormalize(plan.Root(s), slow, drop)
			require.Equal(t, slow, got)
			twice, err := c.Normalize(plan.Root(s), got)
			require.Nil(t, err)
			require.True(t, given.Same(got, twice), "idempotent")
		}
	}
	require.Greater(t, changed, 100)
}

// slowNormalize does in place what OME-010 says of a value that has no error, or may not have one.
func slowNormalize(n *plan.Node, v any, drop bool) {
	if n == nil {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		if n.Has&plan.HasEmbedded != 0 {
			for _, k := range []string{"apiVersion", "kind"} {
				if _, ok := x[k].(string); !ok {
					delete(x, k)
				}
			}
			if v, ok := x["metadata"]; ok {
				if meta, _, err := objectmeta.Read(v, drop); err == nil {
					x["metadata"] = meta
				}
			}
		}
		for k, c := range x {
			child, _ := n.Child(k)
			slowNormalize(child, c, drop)
		}
	case []any:
		for _, c := range x {
			slowNormalize(n.Items, c, drop)
		}
	}
}
