package crd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// WithDefaults sets the defaults that Parse sets, and does not modify the definition.
func TestWithDefaults(t *testing.T) {
	for _, text := range []string{
		headV1 + "spec: {names: {kind: Lamp}, versions: [{name: v1, storage: true}], conversion: {strategy: None}}",
		headV1beta1 + "spec: {names: {kind: Lamp}, version: v1, conversion: {strategy: Webhook}}",
	} {
		want := mustParse(t, text)
		made := *want
		conversion := *want.Spec.Conversion
		conversion.ConversionReviewVersions = nil
		made.Spec.Names.Singular, made.Spec.Names.ListKind = "", ""
		made.Spec.Conversion = &conversion
		made.Status.StoredVersions = nil
		before := made
		require.Equal(t, want, made.WithDefaults())
		require.Equal(t, before, made)
		require.Empty(t, conversion.ConversionReviewVersions)
	}
}
