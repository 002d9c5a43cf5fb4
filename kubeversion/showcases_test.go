package kubeversion_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/stretchr/testify/require"
)

// TestShowcases has definitions that projects had trouble with, written after their descriptions, and the answers beside them.
func TestShowcases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		d, err := crd.Parse(data)
		require.NoError(t, err, file)
		var b strings.Builder
		for _, v := range kubeversion.Range(d) {
			fmt.Fprintf(&b, "%s: %t\n", v.Version, v.Accepted())
			for _, e := range v.Errors {
				fmt.Fprintf(&b, "  %s %s\n", e.Type, e.Field)
			}
			for _, n := range v.Notes {
				fmt.Fprintf(&b, "  %s\n", n)
			}
		}
		b.WriteString(crdcheck.Costs(d).String())
		golden := strings.TrimSuffix(file, ".yaml") + ".txt"
		if flag.Lookup("update").Value.String() == "true" {
			require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), b.String(), file)
	}
}
