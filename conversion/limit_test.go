package conversion_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/refusal"
)

// The text of a refusal is limited, however long the webhook's text is.
func TestLongRefusals(t *testing.T) {
	d, err := conversion.Compile(&crd.CustomResourceDefinition{Spec: crd.Spec{
		Group: "example.com", Names: crd.Names{Kind: "Thing", ListKind: "ThingList"},
		Versions: []crd.Version{{Name: "v1", Served: true, Storage: true}, {Name: "v2", Served: true}},
	}})
	require.NoError(t, err)
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}}
	for _, text := range []string{strings.Repeat("x", refusal.DefaultBytes+100), strings.Repeat("ä", refusal.DefaultBytes)} {
		_, refused := d.Convert(t.Context(), failing(text), obj, "example.com/v2")
		require.NotNil(t, refused)
		require.LessOrEqual(t, len(refused.Error()), refusal.DefaultBytes+100)
		require.Regexp(t, `failed: [xä]+\.\.\. \(\d+ more bytes\)$`, refused.Error())
	}
}
