package repo_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

const root = "../../.."

var namedTest = regexp.MustCompile("`([a-z0-9/]+)\\.(Test[A-Za-z0-9]+)(?:/([^`|]+))?`")

// Each row of a table of differences names tests, and each test that parity.md names is there, with its case.
func TestParityNamesTests(t *testing.T) {
	text := given.File(t, filepath.Join(root, "docs/internals/parity.md"))
	_, differences, found := strings.Cut(string(text), "## Deliberate differences")
	require.True(t, found)
	rows := 0
	for _, line := range strings.Split(differences, "\n") {
		if strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| Here |") || !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		require.Equal(t, 4, strings.Count(line, "|"), "three cells: %s", line)
		require.Regexp(t, namedTest, line)
	}
	require.Greater(t, rows, 50)
	for _, name := range namedTest.FindAllStringSubmatch(string(text), -1) {
		t.Run(name[0], func(t *testing.T) { requireTest(t, name[1], name[2], name[3]) })
	}
}

// requireTest looks for a test in a directory, and for the beginning of the name of a case in the same file. Go writes
// blanks as _.
func requireTest(t *testing.T, dir, test, row string) {
	t.Helper()
	for _, file := range given.Files(t, filepath.Join(root, dir, "*_test.go")) {
		_, body, found := strings.Cut(string(given.File(t, file)), "\nfunc "+test+"(t *testing.T) {\n")
		if !found {
			continue
		}
		body, _, _ = strings.Cut(body, "\n}\n")
		if row != "" {
			require.Contains(t, strings.ReplaceAll(body, " ", "_"), `"`+strings.ReplaceAll(row, " ", "_"))
		}
		return
	}
	require.Fail(t, "no such test", "%s.%s", dir, test)
}
