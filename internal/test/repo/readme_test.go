package repo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// The definition and the test of README.md are those of docs/first-steps.md, which .ci/newcomer does step by step.
func TestReadmeIsFirstSteps(t *testing.T) {
	readme := given.File(t, "../../../README.md")
	steps := given.File(t, "../../../docs/first-steps.md")
	blocks := regexp.MustCompile("(?s)```(?:yaml|go)\n(apiVersion|package widgets).*?```").FindAllString(string(readme), -1)
	require.Len(t, blocks, 3, "the third is the test with a server")
	for _, block := range blocks[:2] {
		require.Contains(t, string(steps), block)
	}
}

// The first code block of README.md is two commands for a fresh clone. .ci/run runs both.
func TestReadmeBeginsWithTwoCommands(t *testing.T) {
	readme := string(given.File(t, "../../../README.md"))
	before, _, found := strings.Cut(readme, "\n```")
	require.True(t, found)
	block := regexp.MustCompile(`(?m)(?:^    .*\n)+`).FindString(before)
	require.Equal(t, "    go run ./examples/quickstart\n    go test ./...\n", block)
	ci := string(given.File(t, "../../../.ci/run"))
	require.Contains(t, ci, "go run ./examples/quickstart")
	require.Contains(t, ci, "go test ./...")
}

// CONTRIBUTING.md has a map of internal/, with each directory in it, in tool and in test once.
func TestContributingMapsInternal(t *testing.T) {
	text := given.File(t, "../../../CONTRIBUTING.md")
	_, list, _ := strings.Cut(string(text), "The packages in `internal/`")
	list, _, _ = strings.Cut(list, "Rules for all packages")
	for _, dir := range []string{"", "tool", "test"} {
		packages, err := os.ReadDir(filepath.Join("../..", dir))
		require.NoError(t, err)
		for _, p := range packages {
			require.Equal(t, 1, strings.Count(list, "`"+p.Name()+"`"), "%s/%s", dir, p.Name())
		}
	}
}
