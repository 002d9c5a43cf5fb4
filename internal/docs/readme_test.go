package docs_test

import (
	"os"
	"regexp"
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
