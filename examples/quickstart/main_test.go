package main

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite what the program prints")

// The program prints the results for both objects and succeeds. docs/first-steps.md shows the same output.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	if *update {
		require.NoError(t, os.WriteFile("testdata/output.txt", out.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())
}

// The program is short, since it is the first one that users read.
func TestShort(t *testing.T) {
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	require.Less(t, bytes.Count(source, []byte("\n")), 100)
}
