package objectmeta_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// Names are valid where metadata with them is.
func TestNames(t *testing.T) {
	for _, n := range []objectmeta.Names{
		{Name: "a", Namespace: "n"}, {Name: "a"}, {Name: "A_", Namespace: "n"}, {Name: "a/b", Namespace: "n"}, {Namespace: "n"}, {Name: "a", Namespace: "N"},
		{GenerateName: "b-", Namespace: "n"}, {GenerateName: "_-", Namespace: "n"}, {Name: "a", GenerateName: "b-"}, {},
	} {
		meta := map[string]any{}
		for key, text := range map[string]string{"name": n.Name, "generateName": n.GenerateName, "namespace": n.Namespace} {
			if text != "" {
				meta[key] = text
			}
		}
		for _, namespaced := range []bool{true, false} {
			require.Equal(t, objectmeta.ValidCreate(meta, namespaced), n.ValidCreate(namespaced), n)
			require.Equal(t, objectmeta.ValidUpdate(meta, meta, namespaced), n.ValidUpdate(namespaced), n)
		}
	}
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
		{objectmeta.CanonicalTime("2020-01-01T00:00:00Z"), true},
		{objectmeta.CanonicalTime("2020-01-01T00:00:00+00:00"), false},
	} {
		require.Equal(t, c.want, c.got, i)
	}
}
