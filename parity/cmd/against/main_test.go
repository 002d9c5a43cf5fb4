package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The last commit can be built beside the working tree, and both are measured.
func TestRun(t *testing.T) {
	if err := exec.Command("git", "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("not a git checkout")
	}
	t.Chdir("../..")
	var out strings.Builder
	require.NoError(t, run(&out, "HEAD", "-rounds", "1", "-each", "1ms", "-op", "PruneNothing"))
	require.Regexp(t, `\| PruneNothing \| [0-9.]+x \| [0-9.]+x \| [0-9.]+ \| [0-9.]+ \| [a-z-]+ \|\n$`, out.String())
	require.ErrorContains(t, run(&out, "no-such-commit"), "no-such-commit")
}
