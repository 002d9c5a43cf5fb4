package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every mutation makes a test fail.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("it links another test")
	}
	var out bytes.Buffer
	survived, err := run(&out)
	require.NoError(t, err)
	t.Log("\n" + out.String())
	require.Zero(t, survived)
}

func TestApply(t *testing.T) {
	text, err := os.ReadFile("../config/crd/example.com_databases.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(mutations), 10)
	for _, m := range mutations {
		mutated, err := m.apply(string(text))
		require.NoError(t, err)
		require.NotEqual(t, string(text), mutated, m.name)
	}
	_, err = mutation{"x", "no such text", ""}.apply(string(text))
	require.ErrorContains(t, err, `x: the definition has no "no such text"`)
}

func TestFailures(t *testing.T) {
	require.Equal(t, []string{"one replica at least", "a/b c"}, failures([]byte("--- FAIL: TestDatabases (0.01s)\n    --- FAIL: TestDatabases/one_replica_at_least (0.00s)\n    --- FAIL: TestDatabases/a/b_c (0s)\n")))
	require.Equal(t, []string{"TestDatabases"}, failures([]byte("--- FAIL: TestDatabases (0.01s)\nFAIL\n")))
	require.Empty(t, failures([]byte("ok\n--- PASS: TestDatabases/a\n")))
}
