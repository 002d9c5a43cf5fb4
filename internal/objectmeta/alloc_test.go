package objectmeta_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

func TestNoAllocs(t *testing.T) {
	meta := decodeMap(t, ordinary)
	created := decodeMap(t, `{"generateName": "web-", "namespace": "default", "labels": {"app.kubernetes.io/name": "Web"},
		"annotations": {"Example.com/Note": "x"}, "finalizers": ["example.com/keep"], "ownerReferences": [
			{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"}, {"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2", "controller": true}]}`)
	embedded := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}
	prepared := decodeMap(t, `{"name": "a", "namespace": "ns", "generation": 1, "labels": {"a": "b"}, "ownerReferences": [
			{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"}, {"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2"}]}`)
	for name, f := range map[string]func() bool{
		"Canonical":               func() bool { return objectmeta.Canonical(meta) && objectmeta.Canonical(created) },
		"Read":                    func() bool { _, changed, err := objectmeta.Read(meta); return !changed && err == nil },
		"ReadDropping":            func() bool { _, changed, err := objectmeta.ReadDropping(meta); return !changed && err == nil },
		"ValidCreate":             func() bool { return objectmeta.ValidCreate(meta, true) && objectmeta.ValidCreate(created, true) },
		"ValidUpdate":             func() bool { return objectmeta.ValidUpdate(meta, meta, true) },
		"ValidEmbedded":           func() bool { return objectmeta.ValidEmbedded(embedded) },
		"Summarize":               func() bool { var s objectmeta.Summary; return s.Summarize(meta, meta) && s.Same && s.ValidUpdate(true) },
		"AppendFinalizerWarnings": func() bool { return objectmeta.AppendFinalizerWarnings(nil, meta, nil, field.Limit{}) == nil },
		"DeduplicateOwners":       func() bool { _, uids := objectmeta.DeduplicateOwners(meta); return uids == nil },
		"PrepareCreate":           func() bool { _, changed, _ := objectmeta.PrepareCreate(prepared, "ns"); return !changed },
		"Retain":                  func() bool { return len(objectmeta.Retain(meta, meta)) == len(meta) },
	} {
		require.True(t, f(), name)
		require.Zero(t, testing.AllocsPerRun(100, func() { f() }), name)
	}
}

func BenchmarkCanonical(b *testing.B) {
	meta := decodeMap(b, ordinary)
	b.ReportAllocs()
	for b.Loop() {
		objectmeta.Canonical(meta)
	}
}

func BenchmarkRead(b *testing.B) {
	meta := decodeMap(b, ordinary)
	meta["colour"] = "red"
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := objectmeta.Read(meta); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidCreate(b *testing.B) {
	meta := decodeMap(b, ordinary)
	b.ReportAllocs()
	for b.Loop() {
		objectmeta.ValidCreate(meta, true)
	}
}

func BenchmarkValidEmbedded(b *testing.B) {
	obj := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": decodeMap(b, ordinary)}
	b.ReportAllocs()
	for b.Loop() {
		objectmeta.ValidEmbedded(obj)
	}
}
