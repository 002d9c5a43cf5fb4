package resource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// FuzzPatch applies any body to a stored object, through each endpoint. There must be a result, and the arguments must
// not be modified.
func FuzzPatch(f *testing.F) {
	for _, body := range []string{
		`{"spec":{"replicas":4},"status":null}`, `{"metadata":{"labels":{"a":null},"finalizers":null}}`, `{"kind":5}`, `{"apiVersion":"example.com/v1beta1"}`, `[{}]`, `null`, ``,
		`[{"op":"replace","path":"","value":{"kind":"Gadget"}}]`, `[{"op":"copy","from":"/spec","path":"/spec/free"},{"op":"remove","path":"/spec/tags/-1"}]`,
		`[{"op":"test","path":"/spec/tags/0","value":"a"},{"op":"move","from":"/spec/tags/0","path":"/spec/tags/-"}]`,
	} {
		for mode := range byte(9) {
			f.Add([]byte(body), mode)
		}
	}
	r := compile(f, gadgets)
	stored := gadget(f, `{metadata: {name: a, namespace: ns, generation: 2, uid: u, labels: {a: b}, finalizers: [x.io/f]},
		spec: {replicas: 2, size: small, ratio: 1.5, tags: [a, b], free: {x: [1, {c: null}]}, template: {apiVersion: v1, kind: Pod}}, status: {replicas: 2}}`)
	before := unstructured.Clone(stored)
	modes := []string{"", "Ignore", "Strict"}
	f.Fuzz(func(t *testing.T, body []byte, mode byte) {
		v := r.Version("v1").With(resource.RequestOptions{FieldValidation: modes[int(mode)%len(modes)]})
		contentType := mergePatch
		if mode&1 != 0 {
			contentType = jsonPatch
		}
		sent := string(body)
		for _, request := range []func() resource.Result{
			func() resource.Result { return v.Patch(t.Context(), contentType, body, stored) },
			func() resource.Result { return v.PatchStatus(t.Context(), contentType, body, stored) },
			func() resource.Result { return v.PatchScale(t.Context(), contentType, body, stored) },
			func() resource.Result {
				return r.Version("v1beta1").Patch(t.Context(), contentType, body, stored)
			},
		} {
			result := request()
			require.Equal(t, before, stored, "old was modified")
			require.Equal(t, sent, string(body), "the body was modified")
			result.Patch()
			if result.Err() != nil {
				require.NotEmpty(t, result.Err().Error())
				continue
			}
			// A stored object is read without changes.
			if result.Object["apiVersion"] == "example.com/v1" {
				require.Equal(t, result.Object, v.Read(result.Object).Object)
			}
		}
	})
}

// FuzzUpdate updates random objects of random definitions. Objects are made from a seed or are any text.
func FuzzUpdate(f *testing.F) {
	f.Add(uint64(1), []byte(`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"n"}}`), []byte(`{"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"n"}}`))
	f.Add(uint64(2), []byte(nil), []byte(nil))
	f.Add(uint64(3), []byte(`{"apiVersion":"g.io/v1","kind":"Thing","metadata":"x","spec":5}`), []byte(`{"kind":null}`))
	f.Fuzz(func(t *testing.T, seed uint64, objText, oldText []byte) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		r := random(doc, seed%2 == 0)
		if r == nil {
			return
		}
		obj, err := unstructured.DecodeJSON(objText)
		if err != nil {
			obj = randomObject(m, doc)
		}
		old, err := unstructured.DecodeJSON(oldText)
		if err != nil {
			old = m.Changed(obj)
		}
		objBefore, oldBefore := unstructured.Clone(obj), unstructured.Clone(old)
		for _, name := range []string{"v1", "v2"} {
			v := r.Version(name)
			for _, result := range []resource.Result{v.Update(t.Context(), obj, old), v.UpdateStatus(t.Context(), obj, old), v.Read(old), v.Delete(t.Context(), old, resource.DeleteOptions{})} {
				require.Equal(t, objBefore, obj, "the object was modified")
				require.Equal(t, oldBefore, old, "the old object was modified")
				require.True(t, result.Err() != nil || result.Object != nil)
				result.Patch()
			}
			if first := v.Update(t.Context(), obj, old); first.Err() == nil {
				again := v.Update(t.Context(), obj, old)
				require.Equal(t, first.Object, again.Object)
				require.Equal(t, first.Warnings, again.Warnings)
			}
		}
	})
}
