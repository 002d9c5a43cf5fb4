package resource_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/resource"
)

// shared has a storage version and another version, both with defaults in the spec and the status.
var shared = func() []string {
	version := func(own, other string) string {
		part := `{type: object, properties: {a: {type: string, default: A}, ` + own + `: {type: string, default: ` + own + `}, ` + other + `: {type: string}}}`
		return `subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}},
			schema: {openAPIV3Schema: {type: object, properties: {spec: ` + part + `, status: ` + part + `}}}`
	}
	return []string{version("v1", "v2"), version("v2", "v1")}
}()

// ORD-001 (W): only the defaults of the request's version are stored. Reading adds those of the storage version. The
// next update stores them, as part of the old object.
func TestStoredDefaults(t *testing.T) {
	r := things(t, shared...)
	v2 := r.Version("v2")

	created := v2.Create(t.Context(), thing(t, `{apiVersion: example.com/v2, spec: {}, status: {v1: dropped}}`))
	require.NoError(t, created.Err())
	require.Equal(t, thing(t, `{spec: {a: A, v2: v2}}`), created.Stored)
	require.Equal(t, thing(t, `{apiVersion: example.com/v2, spec: {a: A, v1: v1, v2: v2}}`), created.Object)

	// A status update through v2 of an object that was stored without defaults: the spec gets no defaults of v2.
	updated := v2.UpdateStatus(t.Context(), thing(t, `{apiVersion: example.com/v2, spec: {}, status: {}}`), thing(t, `{spec: {a: X}}`))
	require.NoError(t, updated.Err())
	require.Equal(t, thing(t, `{spec: {a: X, v1: v1}, status: {a: A, v2: v2}}`), updated.Stored)
	require.Equal(t, thing(t, `{apiVersion: example.com/v2, spec: {a: X, v1: v1}, status: {a: A, v1: v1, v2: v2}}`), updated.Object)

	// The stored object is the old object of the next request.
	patched := v2.Patch(t.Context(), mergePatch, []byte(`{"spec":{"a":"B"}}`), created.Stored)
	require.NoError(t, patched.Err())
	require.Equal(t, thing(t, `{metadata: {name: a, generation: 2}, spec: {a: B, v1: v1, v2: v2}}`), patched.Stored)

	// The storage version stores the validated object.
	own := r.StorageVersion().Update(t.Context(), thing(t, `{spec: {a: B, v2: z}}`), created.Stored)
	require.NoError(t, own.Err())
	require.Equal(t, thing(t, `{metadata: {name: a, generation: 2}, spec: {a: B, v1: v1, v2: z}}`), own.Stored)
}

// If the stored object equals the validated one, the two results share it.
func TestStoredIsShared(t *testing.T) {
	v := things(t, shared...).Version("v1")
	obj := thing(t, `{spec: {a: A, v1: v1}}`)
	for name, result := range map[string]resource.Result{
		"create":               v.Create(t.Context(), obj),
		"update":               v.Update(t.Context(), obj, thing(t, `{spec: {a: A, v1: v1}}`)),
		"update of the status": v.UpdateStatus(t.Context(), obj, obj),
	} {
		require.NoError(t, result.Err(), name)
		require.Equal(t, obj, result.Stored, name)
		result.Stored["mark"] = true
		require.Contains(t, result.Object, "mark", name)
		delete(result.Stored, "mark")
	}

	// Reading adds a default of the whole status.
	v = things(t, `subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {
		status: {type: object, default: {phase: New}, properties: {phase: {type: string}}}}}}`).Version("v1")
	created := v.Create(t.Context(), thing(t, "{status: {phase: Sent}}"))
	require.NoError(t, created.Err())
	require.Equal(t, thing(t, "{}"), created.Stored)
	require.Equal(t, thing(t, "{status: {phase: New}}"), created.Object)
}

// DEC-009: the stored object has the numbers that are read back from storage.
func TestStoredNumbers(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {size: {type: number}}}}`).Version("v1")
	created := v.Create(t.Context(), thing(t, "{size: 2.0}"))
	require.NoError(t, created.Err())
	require.Equal(t, int64(2), created.Stored["size"])
}

// Stored is nil for requests that store nothing.
func TestNothingStored(t *testing.T) {
	v := things(t, shared...).Version("v2")
	old := thing(t, `{metadata: {name: a, generation: 1, finalizers: [x.io/f], deletionTimestamp: "2020-01-01T00:00:00Z"}, spec: {}}`)
	leave := []byte(`{"metadata":{"finalizers":null}}`)
	for name, result := range map[string]resource.Result{
		"a read":             v.Read(old),
		"an invalid create":  v.Create(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {a: 5}}")),
		"an invalid update":  v.Update(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {a: 5}}"), old),
		"a refused create":   v.Create(t.Context(), thing(t, "{apiVersion: example.com/v3}")),
		"a refused patch":    v.Patch(t.Context(), mergePatch, []byte("{"), old),
		"the last finalizer": v.Patch(t.Context(), mergePatch, leave, old),
		"a deletion":         v.Delete(t.Context(), thing(t, "{}"), resource.DeleteOptions{}),
	} {
		require.Nil(t, result.Stored, name)
	}
	require.True(t, v.Patch(t.Context(), mergePatch, leave, old).Deleted)
	marked := v.Delete(t.Context(), thing(t, "{metadata: {name: a, generation: 1, finalizers: [x.io/f]}}"), resource.DeleteOptions{})
	require.Equal(t, "example.com/v1", marked.Stored["apiVersion"])
	require.Equal(t, []any{"x.io/f"}, marked.Stored["metadata"].(map[string]any)["finalizers"])
}

// ORD-001 (W, S2): if the converter fails before the write, the object is not stored. If it fails while the stored
// object is read back, the object is already stored.
func TestStoredByAConverterThatFails(t *testing.T) {
	failing := func(target string) *resource.Version {
		return things(t, shared...).WithConverter(conversion.ConverterFunc(
			func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
				if apiVersion == target {
					return nil, errors.New("no")
				}
				objects[0]["apiVersion"] = apiVersion
				return objects, nil
			})).Version("v2")
	}
	obj := thing(t, "{apiVersion: example.com/v2, spec: {}}")
	in, back := failing("example.com/v1").Create(t.Context(), obj), failing("example.com/v2").Create(t.Context(), obj)
	require.Equal(t, 500, in.Status().Code)
	require.Nil(t, in.Stored)
	require.Equal(t, 500, back.Status().Code)
	require.Equal(t, thing(t, "{spec: {a: A, v2: v2}}"), back.Stored)
}

func TestVersionsOfAResource(t *testing.T) {
	d := definition(t, shared[0], shared[1], shared[0])
	d.Spec.Versions[0].Storage, d.Spec.Versions[1].Storage, d.Spec.Versions[0].Name = false, true, "v9"
	d.Spec.Versions[2].Name = "v2" // BET-006
	r, err := resource.Compile(d)
	require.NoError(t, err)
	var names []string
	for _, v := range r.Versions() {
		names = append(names, v.Name())
	}
	require.Equal(t, []string{"v9", "v2"}, names)
	require.Equal(t, "v2", r.StorageVersion().Name())
	require.Equal(t, "v2", r.WithConverter(conversion.ConverterFunc(halve)).StorageVersion().Name())

	got := r.Definition()
	require.Equal(t, "things", got.Spec.Names.Plural)
	require.Nil(t, got.Spec.Versions[0].Schema)
	require.NotNil(t, got.Spec.Versions[0].Subresources)
	require.NotNil(t, d.Spec.Versions[0].Schema, "the definition itself keeps its schemas")
}

// ORD-001 (W, S, S2): three versions, each with its own default in the same object. The default of the version of the
// create is stored. Reading adds that of the storage version, and no other.
func TestStoredDefaultsOfThreeVersions(t *testing.T) {
	var versions []string
	for _, own := range []string{"v1", "v2", "v3"} {
		fields := strings.Replace("v1: {type: boolean}, v2: {type: boolean}, v3: {type: boolean}", own+": {type: boolean}", own+": {type: boolean, default: true}", 1)
		versions = append(versions, "schema: {openAPIV3Schema: {type: object, properties: {defaults: {type: object, properties: {"+fields+"}}}}}")
	}
	r := things(t, versions...)
	for _, by := range r.Versions() {
		created := by.Create(t.Context(), thing(t, "{apiVersion: example.com/"+by.Name()+", defaults: {}}"))
		require.NoError(t, created.Err())
		require.Equal(t, map[string]any{by.Name(): true}, created.Stored["defaults"])
		want := map[string]any{by.Name(): true, "v1": true}
		require.Equal(t, want, created.Object["defaults"])
		for _, through := range r.Versions() {
			require.Equal(t, want, through.Read(created.Stored).Object["defaults"], "%s through %s", by.Name(), through.Name())
		}
	}
}

// DEF-020: defaults in the metadata of embedded resources are stored as a server returns them, without unknown fields.
func TestStoredDefaultsOfEmbeddedMetadata(t *testing.T) {
	const whole = "default: {apiVersion: pods/v1, kind: Pod, metadata: {name: web, unknown: x}}"
	for _, part := range []string{
		"{type: object, x-kubernetes-embedded-resource: true, properties: {foo: {type: string}}, %s " + whole + "}",
		"{type: object, x-kubernetes-embedded-resource: true, %s default: {}, properties: {apiVersion: {type: string, default: pods/v1}, kind: {type: string, default: Pod}, " +
			"metadata: {type: object, default: {name: web, unknown: x}}}}",
		"{type: object, x-kubernetes-embedded-resource: true, %s default: {metadata: {}}, properties: {apiVersion: {type: string, default: pods/v1}, kind: {type: string, default: Pod}, " +
			"metadata: {type: object, properties: {name: {type: string, default: web}, unknown: {type: string, default: x}}}}}",
	} {
		for _, preserve := range []string{"", "x-kubernetes-preserve-unknown-fields: true,"} {
			v := things(t, "schema: {openAPIV3Schema: {type: object, properties: {pod: "+fmt.Sprintf(part, preserve)+"}}}").Version("v1")
			created := v.Create(t.Context(), thing(t, "{}"))
			require.NoError(t, created.Err())
			want := thing(t, "{pod: {apiVersion: pods/v1, kind: Pod, metadata: {name: web}}}")
			require.Equal(t, want, created.Stored, part)
			require.Equal(t, want, created.Object, part)
		}
	}
}
