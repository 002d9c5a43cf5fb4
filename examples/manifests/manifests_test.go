package manifests

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

// read returns the value at a path in a file for CI.
func read(t *testing.T, file string, path ...any) any {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	obj, err := unstructured.Decode(data)
	require.NoError(t, err)
	var v any = obj
	for _, key := range path {
		switch key := key.(type) {
		case string:
			v = v.(map[string]any)[key]
		case int:
			v = v.([]any)[key]
		}
	}
	require.NotNil(t, v, "%s: %v", file, path)
	return v
}

// The commands in the files accept the sample, and refuse it once it has an error.
func TestCommands(t *testing.T) {
	command := filepath.Join(t.TempDir(), "crdkit")
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	built, err := exec.Command("go", "build", "-o", command, "../../cmd/crdkit").CombinedOutput()
	require.NoError(t, err, "%s", built)

	step := read(t, "github.yaml", "jobs", "crdkit", "steps", 1)
	require.Equal(t, "crdkit/crdkit@v0.1.0", step.(map[string]any)["uses"])
	github := append([]string{"validate", "-o", "github"}, strings.Fields(step.(map[string]any)["with"].(map[string]any)["args"].(string))...)

	precommit := []string{"validate"}
	hook := read(t, "pre-commit.yaml", "repos", 0, "hooks", 1).(map[string]any)
	require.Equal(t, "crdkit-validate", hook["id"])
	for _, arg := range hook["args"].([]any) {
		precommit = append(precommit, arg.(string))
	}
	precommit = append(precommit, "config/samples/nightly.yaml") // a changed file below files

	line, _, found := strings.Cut(read(t, "gitlab.yaml", "crdkit", "script", 1).(string), " >")
	require.True(t, found)
	gitlab := strings.Fields(strings.TrimPrefix(line, "crdkit "))

	sample, err := os.ReadFile("config/samples/nightly.yaml")
	require.NoError(t, err)
	broken := t.TempDir()
	require.NoError(t, os.CopyFS(broken, os.DirFS(".")))
	misspelled := strings.Replace(string(sample), "schedule:", "shedule:", 1)
	require.NoError(t, os.WriteFile(filepath.Join(broken, "config/samples/nightly.yaml"), []byte(misspelled), 0o644))

	for name, args := range map[string][]string{"github": github, "pre-commit": precommit, "gitlab": gitlab, "definitions": {"check", "config/crd/bases"}} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(command, args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			if name == "definitions" {
				return
			}
			cmd := exec.Command(command, args...)
			cmd.Dir = broken
			out, err = cmd.CombinedOutput()
			var failed *exec.ExitError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, 1, failed.ExitCode(), "%s", out)
			require.Contains(t, string(out), "spec.schedule: Required value")
			require.Contains(t, string(out), "shedule")
		})
	}
}
