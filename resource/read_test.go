package resource_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// books has two versions that differ in their fields and their defaults.
var books = []string{
	`schema: {openAPIV3Schema: {type: object, required: [spec], properties: {
		spec: {type: object, properties: {
			typed: {type: integer}, d: {type: string, default: fromv1}, both: {type: string, default: v1},
			list: {type: array, x-kubernetes-list-type: set, items: {type: string}},
			resource: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}}`,
	`schema: {openAPIV3Schema: {type: object, properties: {
		spec: {type: object, properties: {
			typed: {type: string}, d2: {type: string, default: fromv2}, both: {type: string, default: v2}, req: {type: string}, resource: {type: object}}}}}}`,
	`schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`,
}

func TestRead(t *testing.T) {
	r := things(t, books...)
	for _, c := range []struct {
		name, version, stored string
		want                  string
		failure               string
	}{{
		name: "ORD-001, ORD-002, CNV-002: in its own version, with its defaults", version: "v1",
		stored: "{spec: {typed: 1}}", want: "{spec: {typed: 1, d: fromv1, both: v1}}",
	}, {
		name: "ORD-004, CNV-002: in another one, still with those of its own, as far as there are such fields", version: "v2",
		stored: "{spec: {typed: 1}}", want: "{apiVersion: example.com/v2, spec: {typed: 1, both: v1}}",
	}, {
		name: "CNV-002: a version that keeps everything shows everything", version: "v3",
		stored: "{spec: {typed: 1}}", want: "{apiVersion: example.com/v3, spec: {typed: 1, d: fromv1, both: v1}}",
	}, {
		name: "ORD-001: the version that counts is that of the object, which need not be the storage version", version: "v1",
		stored: "{apiVersion: example.com/v2, spec: {typed: x}}", want: "{spec: {typed: x, both: v2}}",
	}, {
		name: "ORD-001, ORD-004: a conversion drops nulls, except where there is a default, which does not replace them", version: "v1",
		stored: "{apiVersion: example.com/v3, spec: {typed: null, both: null}}", want: "{spec: {both: null}}",
	}, {
		name: "ORD-008: nothing is validated", version: "v1",
		stored: "{spec: {typed: x, list: [b, b, 5], d: fromv1, both: v1, gone: 1}}", want: "{spec: {typed: x, list: [b, b, 5], d: fromv1, both: v1}}",
	}, {
		name: "DEC-021: metadata that cannot be read is dropped", version: "v1",
		stored: "{metadata: {name: a, generation: 1, labels: {a: 5}, annotations: {a: b}}, spec: {}}",
		want:   "{metadata: {name: a, generation: 1, annotations: {a: b}}, spec: {d: fromv1, both: v1}}",
	}, {
		name: "ORD-001: a generation of 0 is one of 1", version: "v1",
		stored: "{metadata: {name: a}, spec: {}}", want: "{metadata: {name: a, generation: 1}, spec: {d: fromv1, both: v1}}",
	}, {
		name: "DEC-023: no metadata at all", version: "v1",
		stored: "{metadata: null, spec: {}}", want: "{metadata: {generation: 1}, spec: {d: fromv1, both: v1}}",
	}, {
		name: "ORD-008: embedded metadata that is no object", version: "v1",
		stored: `{metadata: {name: a, namespace: ns, resourceVersion: "7"}, spec: {resource: {metadata: m}}}`,
		failure: "500 InternalError: Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/things/ns/a, ResourceVersion: 0, " +
			`AdditionalErrorMsg: object not decodable revision=7: spec.resource.metadata: Invalid value: "m": json: cannot unmarshal string into Go value of type v1.ObjectMeta`,
	}, {
		name: "ORD-008: in a version with another type", version: "v3",
		stored: "{spec: {resource: {metadata: m}}}", want: "{apiVersion: example.com/v3, spec: {resource: {metadata: m}, d: fromv1, both: v1}}",
	}, {
		name: "CNV-005: a version that is not the definition's", version: "v1",
		stored: `{apiVersion: example.com/v9, metadata: {name: a, resourceVersion: "7"}}`,
		failure: "500 InternalError: Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/things/a, ResourceVersion: 0, " +
			"AdditionalErrorMsg: object not decodable revision=7: request to convert CR from an invalid group/version: example.com/v9",
	}, {
		name: "CNV-005: or no version", version: "v1", stored: `{apiVersion: a/b/c}`,
		failure: "500 InternalError: Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/things/a, ResourceVersion: 0, " +
			"AdditionalErrorMsg: object not decodable revision=: unexpected GroupVersion string: a/b/c",
	}} {
		t.Run(c.name, func(t *testing.T) {
			stored := thing(t, c.stored)
			before := unstructured.Clone(stored)
			result := r.Version(c.version).Read(stored)
			require.Equal(t, before, stored, "the stored object was modified")
			want := answer{failure: c.failure}
			if c.want != "" {
				want.object = thing(t, c.want)
			}
			want.require(t, result)
		})
	}
	answer{failure: `404 NotFound: things.example.com "" not found`}.require(t, r.Version("v1").Read(nil))
}

// ORD-002: reading the result of a read returns the same object without a copy, as for any object that needs no change.
func TestReadAgain(t *testing.T) {
	v := things(t, books...).Version("v1")
	first := v.Read(thing(t, "{metadata: {name: a}, spec: {typed: 1, zz: 1}}")).Object
	require.Equal(t, first, v.Read(first).Object)
	given.RequireNoAllocs(t, map[string]func(){"Read": func() { v.Read(first) }})
}

// GEN-002: values that a caller's store may return.
func TestReadForeignValues(t *testing.T) {
	v := things(t, books...).Version("v1")
	answer{object: thing(t, "{spec: {typed: 3, d: fromv1, both: v1}}")}.
		require(t, v.Read(map[string]any{
			"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "generation": 1},
			"spec": map[string]any{"typed": json.Number("3")},
		}))
	cyclic := thing(t, "{}")
	cyclic["spec"] = cyclic
	for _, spec := range []any{math.NaN(), make(chan int), cyclic} {
		obj := thing(t, "{}")
		obj["spec"] = spec
		require.Equal(t, 500, v.Read(obj).Status().Code)
		require.Equal(t, 500, v.Update(t.Context(), thing(t, "{spec: {}}"), obj).Status().Code)
		_, refused := things(t, deepPools).Version("v1").Scale(obj)
		require.Equal(t, 500, statusOf(t, refused).Code)
	}
	for _, obj := range []map[string]any{{}, {"apiVersion": 5}, {"apiVersion": "example.com/v1", "kind": nil}, {"apiVersion": "example.com/v1", "kind": "Other", "metadata": "x"}} {
		result := v.Read(obj)
		require.True(t, result.Failure != nil || result.Object != nil, "%v", obj)
	}
}

// DEC-009: numbers are read as storage has them.
func TestReadIntegers(t *testing.T) {
	stored := thing(t, "{spec: {d: fromv1, both: v1}}")
	stored["spec"].(map[string]any)["typed"] = 3.0
	require.Equal(t, thing(t, "{spec: {typed: 3, d: fromv1, both: v1}}"), things(t, books...).Version("v1").Read(stored).Object)
	require.Equal(t, thing(t, "{spec: {typed: 3, d: fromv1, both: v1}}"), things(t, books...).Version("v1").With(resource.RequestOptions{Namespace: "ns"}).Read(stored).Object)
}
