package repo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

var (
	scriptCall = regexp.MustCompile(`(?:^|\s)(\.ci/[a-z-]+)`)
	pinned     = regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`)
)

// Workflows, forms and the action are valid YAML. Workflows have a time limit, may only read by default, pin actions to
// commits, and call scripts that exist.
func TestGitHubFiles(t *testing.T) {
	var files []string
	for _, pattern := range []string{".github/*.yml", ".github/*/*.yml", "action.yml"} {
		files = append(files, given.Files(t, filepath.Join(root, pattern))...)
	}
	workflows := 0
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			obj, err := unstructured.Decode(given.File(t, name))
			require.NoError(t, err)
			jobs, ok := obj["jobs"].(map[string]any)
			if !ok {
				return
			}
			workflows++
			require.Equal(t, map[string]any{"contents": "read"}, obj["permissions"])
			for _, job := range jobs {
				require.NotNil(t, job.(map[string]any)["timeout-minutes"])
				for _, step := range job.(map[string]any)["steps"].([]any) {
					step := step.(map[string]any)
					if uses, ok := step["uses"].(string); ok {
						require.Regexp(t, pinned, uses)
					}
					run, _ := step["run"].(string)
					for _, m := range scriptCall.FindAllStringSubmatch(run, -1) {
						info, err := os.Stat(filepath.Join(root, m[1]))
						require.NoError(t, err)
						require.NotZero(t, info.Mode()&0o100, "%s cannot be executed", m[1])
					}
				}
			}
		})
	}
	require.Equal(t, 2, workflows)
}

// Scripts do not hide failures.
func TestScriptsHideNoFailure(t *testing.T) {
	for _, name := range given.Files(t, filepath.Join(root, ".ci/*")) {
		text := string(given.File(t, name))
		require.NotContains(t, text, "|| true", name)
		if strings.HasPrefix(text, "#!") {
			require.Contains(t, text, "set -euo pipefail", name)
		}
	}
}
