package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The definition and the test of README.md are those of docs/first-steps.md, which .ci/newcomer does step by step.
func TestReadmeIsFirstSteps(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	steps, err := os.ReadFile("../../docs/first-steps.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(?:yaml|go)\n(apiVersion|package widgets).*?```").FindAllString(string(readme), -1)
	require.Len(t, blocks, 2)
	for _, block := range blocks {
		require.Contains(t, string(steps), block)
	}
}

// CONTRIBUTING.md has a map of internal/, with each package once.
func TestContributingMapsInternal(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(text), "The packages in `internal/`")
	list, _, _ = strings.Cut(list, "Rules for all packages")
	packages, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, p := range packages {
		require.Equal(t, 1, strings.Count(list, "`"+p.Name()+"`"), p.Name())
	}
}
