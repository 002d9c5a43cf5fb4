package kubeversion

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/since"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/kubeversion.md")

// page returns docs/kubeversion.md, made from the table of facts.
func page() string {
	var b strings.Builder
	b.WriteString("# What came with which Kubernetes\n\n" +
		"This page is written by `go test ./kubeversion -update` from the table that package kubeversion checks definitions by.\n" +
		"A function counts from the first minor version whose *new* rules may call it. The facts are about the newest patch release of a minor\n" +
		"version, with the gates that are on by default. Patch releases that differ (1.28.0, 1.28.1, 1.29.0, 1.34.0) are not modelled, and of 1.25 to\n" +
		"1.27 not all that changed later.\n")
	for _, area := range []struct {
		area  since.Area
		title string
	}{
		{since.Function, "Rules"}, {since.Field, "Fields of a definition"}, {since.Estimate, "Estimated costs"}, {since.Object, "Custom objects"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| Since | What | |\n|---|---|---|\n", area.title)
		for m := since.Oldest; m <= since.Newest+1; m++ {
			for _, f := range since.Of(area.area) {
				if f.Minor() != m {
					continue
				}
				until := ""
				if f.Until() != 0 {
					until = ", until " + f.Until().String()
				}
				fmt.Fprintf(&b, "| %s%s | %s | %s |\n", m, until, f.Name(), f.Text())
			}
		}
	}
	return b.String()
}

func TestDocs(t *testing.T) {
	const path = "../docs/kubeversion.md"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page()), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, page(), string(have), "write it with go test ./kubeversion -update")
}
