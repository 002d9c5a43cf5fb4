package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/internal/test/given"
)

// The test program is the command, too: a process that is called crdkit.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "crdkit") && os.Getenv("CRDKIT_TEST") == "command" {
		main()
		return
	}
	os.Exit(m.Run())
}

// install puts the command into a directory, and returns the environment in which a shell finds it.
func install(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell and symbolic links")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "crdkit")))
	return append(os.Environ(), "CRDKIT_TEST=command", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func load(t *testing.T, name string, into any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal(given.File(t, filepath.Join("../..", name)), into))
}

// Reports go to standard output, and errors in the arguments to standard error.
func TestStreams(t *testing.T) {
	env := install(t)
	run := func(args ...string) (stdout, stderr string, code int) {
		self, err := os.Executable()
		require.NoError(t, err)
		var out, errs strings.Builder
		cmd := exec.Command(self, args...)
		cmd.Args[0] = "crdkit"
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = strings.NewReader("{}"), &out, &errs, exampleDir, env
		_ = cmd.Run()
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	stdout, stderr, code := run("validate", "-crd", "crd.yaml", "-")
	require.Equal(t, "<stdin>:1:1: error: the document has no kind: it is no object\n1 error, 1 input that cannot be read\n", stdout)
	require.Empty(t, stderr)
	require.Equal(t, 2, code)
	stdout, stderr, code = run("validate")
	require.Empty(t, stdout)
	require.Contains(t, stderr, "which manifests?")
	require.Equal(t, 2, code)
}

const exampleDir = "../../examples/quickstart"

// The steps of the GitHub Action build the command from the action's own files, and run it as the inputs say.
func TestAction(t *testing.T) {
	for _, program := range []string{"bash", "go"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS == "windows" {
			t.Skip("needs a shell and Go")
		}
	}
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Runs struct {
			Using string
			Steps []struct {
				Uses, Shell, Run string
				Env              map[string]string
			}
		}
	}
	load(t, "action.yml", &action)
	require.Equal(t, "composite", action.Runs.Using)
	top, err := filepath.Abs("../..")
	require.NoError(t, err)
	temporary := t.TempDir()
	inputs := map[string]string{}
	run := func(dir string, given map[string]string) (string, int) {
		t.Helper()
		for name, in := range action.Inputs {
			inputs[name] = in.Default
		}
		for name, value := range given {
			require.Contains(t, action.Inputs, name)
			inputs[name] = value
		}
		step := action.Runs.Steps[len(action.Runs.Steps)-1]
		if given == nil {
			step = action.Runs.Steps[len(action.Runs.Steps)-2]
		}
		require.Equal(t, "bash", step.Shell)
		require.NotContains(t, step.Run, "${{", "values of a workflow are not parts of a script")
		cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+top, "RUNNER_TEMP="+temporary, "GOOS=plan9", "GOFLAGS=-mod=vendor")
		for name, value := range step.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			require.Contains(t, inputs, input)
			cmd.Env = append(cmd.Env, name+"="+inputs[input])
		}
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, step := range action.Runs.Steps {
		if step.Uses != "" {
			require.Regexp(t, `^[\w-]+/[\w-]+@[0-9a-f]{40}$`, step.Uses, "actions of others are those of a commit")
		}
	}

	// What the checked out repository has in it does not matter for the build.
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.work": "broken", "go.mod": "broken", "crd.yaml": string(given.File(t, exampleDir+"/crd.yaml")), "-h.yaml": string(given.File(t, exampleDir+"/broken.yaml")),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	out, code := run(dir, nil)
	require.Equal(t, 0, code, out)
	require.Empty(t, out)

	out, code = run(exampleDir, map[string]string{"args": "-crd crd.yaml broken.yaml"})
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "::error file=broken.yaml,line=6,col=13,title=Backup.example.com broken::spec.schedule: Invalid value")
	out, code = run(exampleDir, map[string]string{"command": "check", "args": "crd.yaml", "format": "text"})
	require.Equal(t, 0, code, out)
	file := filepath.Join(t.TempDir(), "out.sarif")
	out, code = run(exampleDir, map[string]string{"args": "crd.yaml $(touch x) ;", "format": "sarif", "output": file})
	require.Equal(t, 2, code, out)
	require.NoFileExists(t, filepath.Join(exampleDir, "x"), "arguments are not run")
	require.FileExists(t, file)
	// The shell does not expand patterns: the name of a file would be a flag.
	out, code = run(dir, map[string]string{"args": "-crd crd.yaml -*.yaml ?h.yaml\n*h.yaml\n"})
	require.Contains(t, out, "flag provided but not defined: -*.yaml")
	require.Equal(t, 2, code, out)
	out, code = run(dir, map[string]string{"args": "-crd crd.yaml\n?h.yaml\n -- -*.yaml"})
	require.Contains(t, out, "::error file=-h.yaml,line=6,col=13,title=Backup.example.com broken::spec.schedule: Invalid value")
	require.Equal(t, 1, code, out)
}

// The hooks run on the files that pre-commit hands them.
func TestHooks(t *testing.T) {
	env := install(t)
	var hooks []struct {
		ID, Entry, Language string
		Args                []string
	}
	load(t, ".pre-commit-hooks.yaml", &hooks)
	require.Len(t, hooks, 2)
	for _, h := range hooks {
		require.Equal(t, "golang", h.Language)
		require.Equal(t, []string{"--"}, h.Args, "a file may have the name of a flag")
		words := strings.Fields(h.Entry)
		args, want := append(append(words[1:], h.Args...), "crd.yaml"), 0
		if h.ID == "crdkit-validate" {
			args, want = append(words[1:], "-crd", "crd.yaml", "--", "nightly.yaml", "broken.yaml"), 1
		}
		path := ""
		for _, v := range env {
			if dir, ok := strings.CutPrefix(v, "PATH="); ok {
				path, _, _ = strings.Cut(dir, string(os.PathListSeparator))
			}
		}
		cmd := exec.Command(filepath.Join(path, words[0]), args...)
		cmd.Dir, cmd.Env = exampleDir, env
		out, _ := cmd.CombinedOutput()
		require.Equal(t, want, cmd.ProcessState.ExitCode(), "%s: %s", h.ID, out)
	}
}
