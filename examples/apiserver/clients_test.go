package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var withClients = flag.String("clients", "", "install clients other than kubectl, and run them with the server: `javascript,python,helm` or some of them")

// helmProgram is the version that TestClients builds.
const helmProgram = "helm.sh/helm/v4/cmd/helm@v4.3.2"

// The client libraries for JavaScript and Python, and helm, find what they find in a cluster. Each has a server of its
// own. What cannot be installed fails: -clients asks for it. The first build of helm takes some minutes.
func TestClients(t *testing.T) {
	asked := strings.FieldsFunc(*withClients, func(r rune) bool { return r == ',' })
	with := func(client string, test func(t *testing.T)) {
		i := slices.Index(asked, client)
		t.Run(client, func(t *testing.T) {
			if i < 0 {
				t.Skip("not in -clients")
			}
			test(t)
		})
		if i >= 0 {
			asked = slices.Delete(asked, i, i+1)
		}
	}
	defer func() { require.Empty(t, asked, "unknown clients") }()
	with("javascript", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/clients/node")))
		lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
		require.NoError(t, err)
		require.NotContains(t, string(lock), `"resolved"`, "the lock names no registry")
		install(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		require.Equal(t, []string{"ok"}, start(t).sh(t, dir, "NODE_NO_WARNINGS=1 node objects.mjs"))
	})
	with("python", func(t *testing.T) {
		script, err := filepath.Abs("testdata/clients/python/objects.py")
		require.NoError(t, err)
		// Debian's interpreter has Debian's package python3-kubernetes; one in PATH may be another.
		require.Equal(t, []string{"ok"}, start(t).sh(t, t.TempDir(), "/usr/bin/python3 -W ignore "+script))
	})
	with("helm", func(t *testing.T) {
		needKubectl(t)
		bin := t.TempDir()
		t.Setenv("GOBIN", bin)
		install(t, bin, "go", "install", helmProgram)
		t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		runScript(t, "testdata/clients/helm/chart.txt")
	})
}

// install runs a program that installs a client.
func install(t *testing.T, dir string, program ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program[0], program[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s: %s", strings.Join(program, " "), out)
}
