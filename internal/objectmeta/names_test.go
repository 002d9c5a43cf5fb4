package objectmeta_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// Names are valid where metadata with them is.
func TestNames(t *testing.T) {
	for _, n := range []objectmeta.Summary{
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
			require.Equal(t, validUpdate(meta, meta, namespaced), n.ValidUpdate(namespaced), n)
		}
	}
}
