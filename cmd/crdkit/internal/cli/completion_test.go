package cli

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func completion(t *testing.T, shell string) string {
	t.Helper()
	var out bytes.Buffer
	require.Zero(t, Main([]string{"completion", shell}, nil, &out, io.Discard))
	return out.String()
}

// Every command, every flag and every word of a flag is in each script.
func TestCompletions(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := completion(t, shell)
		for _, c := range commands() {
			require.Contains(t, script, c.name, shell)
			c.flags().VisitAll(func(f *flag.Flag) {
				name := "-" + f.Name
				if shell == "fish" {
					name = "'__fish_seen_subcommand_from " + c.name + "' -o " + f.Name + " "
				}
				require.Contains(t, script, name, shell)
				if v, ok := f.Value.(*enumValue); ok {
					require.Contains(t, script, strings.Join(v.words, " "), shell)
				}
			})
		}
	}
}

// Bash completes commands, flags of the command, words that a flag takes, and otherwise files.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("manifest.yaml", nil, 0o600))
	for line, want := range map[string]string{
		"crdkit ver":                        "versions version",
		"crdkit validate -old":              "-old -old-git",
		"crdkit versions a.yaml -min 1.3":   "1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37",
		"crdkit validate a.yaml -o ":        "text json sarif github junit",
		"crdkit validate -o j":              "json junit",
		"crdkit check -o sa":                "sarif",
		"crdkit validate ma":                "manifest.yaml",
		"crdkit validate -crd man":          "manifest.yaml",
		"crdkit nothing -":                  "",
		"crdkit completion -":               "",
		"kubectl-crdkit validate -o github": "github",
	} {
		words := strings.Split(line, " ")
		script := completion(t, "bash") + "COMP_WORDS=(" + "'" + strings.Join(words, "' '") + "'" + ") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" +
			"complete -p " + words[0] + " >/dev/null || exit 1\n_crdkit\necho \"${COMPREPLY[*]}\"\n"
		got, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, got)
		require.Equal(t, want, strings.TrimSpace(string(got)), line)
	}
}
