package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/test/given"
)

// TestScripts runs the golden files: files, and in the part "script" commands, each in front of what it prints on
// both streams. A command line begins with "$ "; it may have words in single quotes, and end in "< FILE". Its exit code
// stands behind what it prints, unless it is 0. A name that ends in " (crlf)" has a file with the ends of lines of
// Windows.
func TestScripts(t *testing.T) {
	for _, file := range given.Files(t, "testdata/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			full, err := filepath.Abs(file)
			require.NoError(t, err)
			a := manifest.ParseArchive(string(given.File(t, file)))
			script := a.File("script")
			require.NotEmpty(t, script)
			t.Chdir(t.TempDir())
			for _, f := range a.Files {
				name, crlf := strings.CutSuffix(f.Name, " (crlf)")
				if crlf {
					f.Text = strings.ReplaceAll(f.Text, "\n", "\r\n")
				}
				if name != "script" {
					write(t, name, f.Text)
				}
			}
			got := ""
			for l := range strings.Lines(script.Text) {
				if line, ok := strings.CutPrefix(l, "$ "); ok {
					got += l + runLine(t, strings.TrimSpace(line))
				}
			}
			if given.Update() && got != script.Text {
				script.Text = got
				require.NoError(t, os.WriteFile(full, []byte(a.String()), 0o644))
				return
			}
			require.Equal(t, script.Text, got)
		})
	}
}

// write writes a file, and makes its directory.
func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

// scriptFile returns the text of a file of a script.
func scriptFile(t *testing.T, script, name string) string {
	t.Helper()
	f := manifest.ParseArchive(string(given.File(t, filepath.Join("testdata", script)))).File(name)
	require.NotNil(t, f)
	return f.Text
}

// enter enters a new directory, where crd.yaml has a definition.
func enter(t *testing.T, definition string) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "crd.yaml", definition)
}

var progressLine = regexp.MustCompile(`(?m)^crdkit: [0-9]+ (of [0-9]+ documents|objects?)\n`)

// withoutProgress drops what says how far a command is, which depends on the machine.
type withoutProgress struct{ to io.Writer }

func (w withoutProgress) Write(line []byte) (int, error) {
	if progressLine.Match(line) {
		return len(line), nil
	}
	return w.to.Write(line)
}

// runLine runs a command line, and returns what it prints.
func runLine(t *testing.T, line string) string {
	t.Helper()
	line, input, _ := strings.Cut(line, " < ")
	var args []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 { // in quotes
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	var stdin []byte
	if input != "" {
		stdin = given.File(t, input)
	}
	var out bytes.Buffer
	switch args[0] {
	case "crdkit":
		if code := Main(args[1:], bytes.NewReader(stdin), &out, withoutProgress{&out}); code != 0 {
			out.WriteString("exit code " + string(rune('0'+code)) + "\n")
		}
	case "cat":
		out.Write(given.File(t, args[1]))
	case "cp":
		require.NoError(t, os.WriteFile(args[2], given.File(t, args[1]), 0o644))
	case "git":
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip(err)
		}
		text, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args[1:]...)...).CombinedOutput()
		require.NoError(t, err, string(text))
	default:
		t.Fatalf("there is no command %s", args[0])
	}
	return out.String()
}
