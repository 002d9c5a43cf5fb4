package resource_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has laws of updates, which hold for every definition and every object. Another one is in package ratchet
// (TestRandom): ratcheting reports only errors that a create reports.

// random returns a definition of Things in the group g.io with the given schema, with or without a status subresource.
// It returns nil if the schema does not compile. The version v2 keeps all fields.
func random(doc map[string]any, hasStatus bool) *resource.Resource {
	version := map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": doc}}
	if hasStatus {
		version["subresources"] = map[string]any{"status": map[string]any{}}
	}
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	d, err := crd.Parse([]byte(given.ExactJSON(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.g.io"},
		"spec": map[string]any{
			"group": "g.io", "scope": "Cluster", "names": map[string]any{"plural": "things", "kind": "Thing"},
			"versions": []any{version, map[string]any{"name": "v2", "served": true, "storage": false, "schema": map[string]any{"openAPIV3Schema": open}}},
		},
	})))
	if err != nil {
		return nil
	}
	r, err := resource.Compile(d)
	if err != nil {
		return nil
	}
	return r
}

// randomObject returns a Thing that is valid by the schema, or nearly valid.
func randomObject(m *given.Maker, doc map[string]any) map[string]any {
	obj := m.Object(doc)
	obj["apiVersion"], obj["kind"] = "g.io/v1", "Thing"
	meta := map[string]any{"name": "n"}
	for key, v := range map[string]any{
		"labels": map[string]any{"a": "b"}, "annotations": map[string]any{}, "finalizers": []any{"x.io/f"}, "uid": "u", "generation": int64(2), "zz": int64(1),
		"creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2020-01-01T00:00:00.5Z", "selfLink": "s",
	} {
		if m.IntN(4) == 0 {
			meta[key] = v
		}
	}
	obj["metadata"] = meta
	if m.IntN(4) == 0 {
		obj["status"] = m.Anything(2)
	}
	return obj
}

// forEach calls f with random definitions, the documents of their schemas, and whether they have a status subresource.
func forEach(t *testing.T, f func(m *given.Maker, doc map[string]any, r *resource.Resource, hasStatus bool)) {
	t.Helper()
	forEachOf(t, (*given.Maker).Schema, f)
}

// forEachOf is forEach for the documents that schema makes.
func forEachOf(t *testing.T, schema func(*given.Maker) map[string]any, f func(m *given.Maker, doc map[string]any, r *resource.Resource, hasStatus bool)) {
	t.Helper()
	used := 0
	for seed := range uint64(1500) {
		m := given.NewMaker(seed)
		doc := schema(m)
		hasStatus := seed%2 == 0
		if r := random(doc, hasStatus); r != nil {
			used++
			f(m, doc, r, hasStatus)
		}
	}
	require.Greater(t, used, 300, "too few schemas are structural")
}

// An object that a server has accepted is accepted again.
func TestAcceptedObjectsStayAccepted(t *testing.T) {
	accepted := 0
	forEach(t, func(m *given.Maker, doc map[string]any, r *resource.Resource, _ bool) {
		v := r.Version("v1")
		created := v.Create(t.Context(), randomObject(m, doc))
		if created.Err() != nil {
			return
		}
		// Storage changes 1.0 to 1, which multipleOf: 0.5 refuses (VAL-023). Then the stored object is not the accepted
		// one.
		if v.Create(t.Context(), created.Object).Err() != nil {
			return
		}
		accepted++
		again := v.Update(t.Context(), created.Object, created.Object)
		require.NoError(t, again.Err(), "schema %s\nobject %s", given.ExactJSON(doc), given.ExactJSON(created.Object))
		require.Equal(t, created.Object, again.Object, "schema %s", given.ExactJSON(doc))
		require.Empty(t, again.Patch())
	})
	require.Greater(t, accepted, 100)
}

// An update of an object that lacks defaults, or whose old object does, is that of any other object. A null label and
// an empty selfLink, which are dropped, make the server's steps run one after another.
func TestUpdatesWithoutDefaults(t *testing.T) {
	filled := [2]int{}
	forEach(t, func(m *given.Maker, doc map[string]any, r *resource.Resource, hasStatus bool) {
		v := r.Version("v1")
		for range 4 {
			obj, old := randomObject(m, doc), randomObject(m, doc)
			if m.IntN(2) == 0 {
				old = m.Changed(obj)
			}
			for i, o := range []map[string]any{obj, old} {
				o["apiVersion"], o["kind"], o["metadata"] = "g.io/v1", "Thing", map[string]any{"name": "n", "generation": int64(3)}
				if before, warnings, err := v.Decode([]byte(given.ExactJSON(o))); err == nil && len(warnings) == 0 && !jsonval.Equal(before, o) {
					filled[i]++
				}
			}
			slowly := func(o map[string]any, key string, dropped any) map[string]any {
				o = unstructured.Clone(o)
				o["metadata"].(map[string]any)[key] = dropped
				return o
			}
			for _, onStatus := range []bool{false, true} {
				update := v.Update
				if onStatus {
					update = v.UpdateStatus
				}
				got, want := update(t.Context(), obj, old), update(t.Context(), slowly(obj, "labels", nil), slowly(old, "selfLink", ""))
				what := fmt.Sprintf("schema %s\nobject %s\nold %s", given.ExactJSON(doc), given.ExactJSON(obj), given.ExactJSON(old))
				require.Equal(t, errorText(want), errorText(got), what)
				require.Equal(t, want.Warnings, got.Warnings, what)
				require.Equal(t, want.Object, got.Object, what)
				require.Equal(t, want.Stored, got.Stored, what)
				require.Equal(t, want.Cost, got.Cost, what)
				if got.Err() == nil {
					requirePatch(t, obj, got, onStatus, hasStatus)
				}
			}
			require.Equal(t, v.Read(slowly(old, "selfLink", "")).Object, v.Read(old).Object)
		}
	})
	require.Greater(t, filled[0], 100)
	require.Greater(t, filled[1], 100)
}

// Only transition rules can fail for an update that changes nothing.
func TestAcceptedObjectsAndRules(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "!has(self.a) || self.a < 5", message: plain}], properties: {
		a: {type: integer, x-kubernetes-validations: [{rule: self > oldSelf, message: transition}, {rule: self < 9, message: plain}]},
		b: {type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue()", optionalOldSelf: true, message: transition}]},
		c: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {
			k: {type: string}, n: {type: integer, x-kubernetes-validations: [{rule: self != oldSelf, message: transition}, {rule: self > 0, message: plain}]}}}}}}}`).Version("v1")
	m := given.NewMaker(1)
	accepted, refused := 0, 0
	for range 300 {
		obj := thing(t, "{}")
		if m.IntN(2) == 0 {
			obj["a"] = int64(m.IntN(7))
		}
		if m.IntN(2) == 0 {
			obj["b"] = "x"
		}
		var items []any
		for i := range m.IntN(3) {
			items = append(items, map[string]any{"k": fmt.Sprint(i), "n": int64(m.IntN(4))})
		}
		obj["c"] = items
		created := v.Create(t.Context(), obj)
		if created.Err() != nil {
			continue
		}
		accepted++
		again := v.Update(t.Context(), created.Object, created.Object)
		for _, e := range again.Errors {
			refused++
			require.Equal(t, "transition", e.Detail)
		}
		require.Empty(t, again.Warnings)
	}
	require.Greater(t, accepted, 50)
	require.Greater(t, refused, 50)
}

// An update reports only errors that a create of the same object would report, except changes of immutable metadata.
func TestErrorsOfUpdatesAreThoseOfCreates(t *testing.T) {
	refused, fewer := 0, 0
	forEach(t, func(m *given.Maker, doc map[string]any, _ *resource.Resource, _ bool) {
		v := random(doc, false).Version("v1") // with a status subresource the two would validate another status
		obj, old := randomObject(m, doc), map[string]any(nil)
		switch m.IntN(3) {
		case 0:
			old = randomObject(m, doc)
		case 1:
			old = unstructured.Clone(obj)
		default:
			old = m.Changed(obj)
			for _, key := range []string{"apiVersion", "kind", "metadata"} {
				old[key] = obj[key]
			}
		}
		objBefore, oldBefore := unstructured.Clone(obj), unstructured.Clone(old)
		updated := v.Update(t.Context(), obj, old)
		require.Equal(t, objBefore, obj, "the object is modified")
		require.Equal(t, oldBefore, old, "the old object is modified")
		if len(updated.Errors) == 0 {
			return
		}
		refused++
		require.Nil(t, updated.Failure)
		created := v.Create(t.Context(), obj)
		left := given.Typed(created.Errors)
		if len(updated.Errors) < len(left) {
			fewer++
		}
		for _, e := range given.Typed(updated.Errors) {
			if i := slices.Index(left, e); i >= 0 {
				left = slices.Delete(left, i, i+1)
				continue
			}
			require.True(t, strings.Contains(e, " metadata."), "schema %s\nobject %s\nold %s\nsays %s\nof what a create says %q",
				given.ExactJSON(doc), given.ExactJSON(obj), given.ExactJSON(old), e, given.Typed(created.Errors))
		}
	})
	require.Greater(t, refused, 50)
	require.Greater(t, fewer, 10)
}

// An update reports all errors of package ratchet for the object, and an update of the status all of its errors for the
// status.
func TestErrorsOfUpdatesAreThoseOfRatcheting(t *testing.T) {
	var reported [2]int
	for seed := range uint64(6000) {
		m := given.NewMaker(seed)
		part := m.Schema()
		doc := map[string]any{"type": "object", "properties": map[string]any{"spec": part, "status": part}}
		r := random(doc, true)
		if r == nil {
			continue
		}
		compiled, errs := schema.Compile(given.Schema(t, given.ExactJSON(doc)))
		require.NoError(t, errs.Err())
		v, root := r.Version("v1"), compiled.Root()
		read := func(spec, status any) map[string]any {
			return v.Read(map[string]any{
				"apiVersion": "g.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "n", "generation": int64(1)}, "spec": spec, "status": status,
			}).Object
		}
		value := m.Object(part)
		obj := read(value, m.Changed(value))
		old := read(m.Changed(value), value)
		if obj == nil || old == nil {
			continue
		}
		contains := func(which int, got, want field.List) {
			reported[which] += len(want)
			for _, e := range given.Typed(want) {
				require.Contains(t, given.Typed(got), e, "schema %s\nobject %s\nold %s", given.ExactJSON(doc), given.ExactJSON(obj), given.ExactJSON(old))
			}
		}
		if obj["status"] != nil && old["status"] != nil {
			at := field.NewPath("status")
			contains(0, v.UpdateStatus(t.Context(), obj, old).Errors, ratchet.Value(root.Property("status"), at, obj["status"], old["status"]))
		}
		obj["status"] = old["status"]
		contains(1, v.Update(t.Context(), obj, old).Errors, ratchet.Value(root, nil, obj, old))
	}
	require.Greater(t, reported[0], 500)
	require.Greater(t, reported[1], 500)
}

// Result.Patch changes the sent object into the result, except for fields that only the server may set.
func TestResultPatchOfRandomObjects(t *testing.T) {
	patched := 0
	forEach(t, func(m *given.Maker, doc map[string]any, r *resource.Resource, hasStatus bool) {
		v, obj := r.Version("v1"), randomObject(m, doc)
		created := v.Create(t.Context(), obj)
		if created.Err() != nil {
			require.Empty(t, created.Patch())
			return
		}
		requirePatch(t, obj, created, false, hasStatus)
		if created.Patch() != nil {
			patched++
		}
		next := randomObject(m, doc)
		if updated := v.Update(t.Context(), next, created.Object); updated.Err() == nil {
			requirePatch(t, next, updated, false, hasStatus)
		}
		if updated := v.UpdateStatus(t.Context(), next, created.Object); updated.Err() == nil {
			requirePatch(t, next, updated, true, hasStatus)
		}
	})
	require.Greater(t, patched, 50)
}

// Converting a stored object to another version and back by the strategy None does not change it. A read through
// another version shows the fields that this version keeps (CNV-010).
func TestConversionThereAndBack(t *testing.T) {
	accepted := 0
	forEach(t, func(m *given.Maker, doc map[string]any, r *resource.Resource, _ bool) {
		v := r.Version("v1")
		created := v.Create(t.Context(), randomObject(m, doc))
		if created.Err() != nil {
			return
		}
		accepted++
		there := conversion.None(created.Object, "g.io/v2")
		require.Equal(t, "g.io/v2", there["apiVersion"])
		require.Equal(t, created.Object, conversion.None(there, "g.io/v1"))

		// A complete server, whose other version keeps every field, has the same result.
		through := r.Version("v2").Read(created.Object)
		require.NoError(t, through.Err())
		back := maps.Clone(through.Object)
		back["apiVersion"] = "g.io/v1"
		require.True(t, jsonval.Equal(v.Read(created.Object).Object, back), "schema %s\nobject %s\nthrough the other %s",
			given.ExactJSON(doc), given.ExactJSON(created.Object), given.ExactJSON(through.Object))
	})
	require.Greater(t, accepted, 100)
}
