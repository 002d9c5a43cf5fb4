package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// TestCases runs the commands of docs/cases.md: definitions that projects had trouble with, and the answers next to
// them.
func TestCases(t *testing.T) {
	t.Chdir("../../../..")
	page := given.File(t, "docs/cases.md")
	files := given.Files(t, "docs/cases/*.yaml")
	rows := regexp.MustCompile("`go run \\./cmd/crdkit ((?:cost|upgrade|versions) .*(docs/cases/[a-z0-9-]+\\.yaml))` \\| \\[.*\\]\\((cases/[a-z0-9-]+\\.txt)\\)").
		FindAllStringSubmatch(string(page), -1)
	named := map[string]bool{}
	for _, c := range rows {
		named[c[2]] = true
		golden := "docs/" + c[3]
		var out bytes.Buffer
		require.Less(t, Main(strings.Fields(c[1]), strings.NewReader(""), &out, withoutProgress{&out}), 2, golden)
		if given.Update() {
			require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
		}
		require.Equal(t, string(given.File(t, golden)), out.String(), golden)
	}
	require.Len(t, named, len(files))
	require.Len(t, regexp.MustCompile(`(?m)^\|.*\.txt\)`).FindAllString(string(page), -1), len(rows))
}
