package compat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
)

// A change is compared as by a server of the version.
func TestKubernetes(t *testing.T) {
	changes := func(version, old, new string) []string {
		t.Helper()
		return lines(compared(t, definition(t, old), definition(t, new), &compat.Options{Kubernetes: version}))
	}
	plain, format := object("a: {type: integer}"), object("a: {type: integer, format: int32}")
	require.Equal(t, []string{"breaks: v1 format spec.a"}, changes("", plain, format))
	require.Equal(t, []string{"breaks: v1 format spec.a"}, changes("1.36", plain, format))
	require.Empty(t, changes("1.35", plain, format), "the format is not enforced")
	require.Equal(t, []string{"loosens: v1 format spec.a"}, changes("1.36", format, plain))

	// A server refuses the update of the definition.
	list, rule := `{type: array, maxItems: 9, items: {type: string, maxLength: 9}}`, `x-kubernetes-validations: [{rule: "self.includes('a')"}]`
	withRule := object("a: " + list[:len(list)-1] + ", " + rule + "}")
	refused := func(version string) (n int) {
		for _, line := range changes(version, object("a: "+list), withRule) {
			if len(line) > 14 && line[:15] == "breaks: update " {
				n++
			}
		}
		return n
	}
	require.NotZero(t, refused("1.37"))
	require.NotZero(t, refused(""))
	require.Zero(t, refused("1.38"))

	_, err := compat.Compare(t.Context(), definition(t, plain), definition(t, format), &compat.Options{Kubernetes: "1.29"})
	require.ErrorContains(t, err, `unknown version "1.29" of Kubernetes`)
	_, err = compat.Versions(t.Context(), definition(t, plain), &compat.Options{Kubernetes: "1.29"})
	require.ErrorContains(t, err, `unknown version "1.29" of Kubernetes`)
}
