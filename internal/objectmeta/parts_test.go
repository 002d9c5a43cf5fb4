package objectmeta_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// The summary of parts is that of the metadata that has them.
func TestSummaryOf(t *testing.T) {
	for _, meta := range []map[string]any{
		{"name": "a", "namespace": "n", "generation": int64(3), "labels": map[string]any{"a": "b"}},
		{"name": "a", "generateName": "b-"},
		{"generateName": "b-", "namespace": "n"},
		{"name": "A_"},
		{"generateName": "_"},
		{"namespace": "N"},
		{},
	} {
		name, _ := meta["name"].(string)
		generateName, _ := meta["generateName"].(string)
		namespace, _ := meta["namespace"].(string)
		generation, _ := meta["generation"].(int64)
		got := objectmeta.SummaryOf(name, generateName, namespace, generation)
		var want objectmeta.Summary
		require.True(t, want.Summarize(meta, nil))
		want.Meta = nil
		require.Equal(t, want, got)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		s := objectmeta.SummaryOf("a", "b-", "n", 1)
		if !s.ValidCreate(true) || !s.ValidUpdate(true) {
			t.Fail()
		}
	}))
}

func TestParts(t *testing.T) {
	for i, c := range []struct {
		got, want bool
	}{
		{objectmeta.ValidLabel("a.b/c", "d"), true},
		{objectmeta.ValidLabel("a b", "d"), false},
		{objectmeta.ValidLabel("a", "b/c"), false},
		{objectmeta.ValidAnnotation("A.b/c"), true},
		{objectmeta.ValidAnnotation("a b"), false},
		{objectmeta.ValidAPIVersion("a/b"), true},
		{objectmeta.ValidAPIVersion("a/b/c"), false},
		{objectmeta.ValidAPIVersion(""), false},
		{objectmeta.ValidKind("Pod"), true},
		{objectmeta.ValidKind("P_d"), false},
		{objectmeta.ValidEmbeddedMetadata(map[string]any{"name": "a"}), true},
		{objectmeta.ValidEmbeddedMetadata(map[string]any{"labels": map[string]any{}}), false},
		{objectmeta.ValidEmbeddedMetadata(nil), false},
	} {
		require.Equal(t, c.want, c.got, i)
	}
}
