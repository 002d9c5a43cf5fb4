package cli

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/given"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A script is a golden file: files, behind lines "-- NAME --", and in the part "script" commands, each in front of what it prints on both
// streams. A command line begins with "$ "; it may have words in single quotes, and end in "< FILE". Its exit code stands behind what it prints, unless it is 0. A name that ends
// in " (crlf)" has a file with the ends of lines of Windows.
type script struct {
	comment string
	names   []string
	files   map[string]string
}

func parseScript(text string) *script {
	s := &script{files: map[string]string{}}
	name := ""
	for l := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(l, "-- "); ok && strings.HasSuffix(strings.TrimSpace(head), " --") {
			name = strings.TrimSuffix(strings.TrimSpace(head), " --")
			s.names = append(s.names, name)
			s.files[name] = ""
			continue
		}
		if name == "" {
			s.comment += l
		} else {
			s.files[name] += l
		}
	}
	return s
}

func (s *script) String() string {
	var b strings.Builder
	b.WriteString(s.comment)
	for _, name := range s.names {
		b.WriteString("-- " + name + " --\n" + s.files[name])
	}
	return b.String()
}

func TestScripts(t *testing.T) {
	for _, file := range given.Files(t, "testdata/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			text := given.File(t, file)
			full, err := filepath.Abs(file)
			require.NoError(t, err)
			s := parseScript(string(text))
			want := s.files["script"]
			require.NotEmpty(t, want)
			t.Chdir(t.TempDir())
			for _, name := range s.names {
				body := s.files[name]
				plain, crlf := strings.CutSuffix(name, " (crlf)")
				if crlf {
					body = strings.ReplaceAll(body, "\n", "\r\n")
				}
				if plain == "script" {
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(plain), 0o755))
				require.NoError(t, os.WriteFile(plain, []byte(body), 0o644))
			}
			got := ""
			for l := range strings.Lines(want) {
				if line, ok := strings.CutPrefix(l, "$ "); ok {
					got += l + runLine(t, strings.TrimSpace(line))
				}
			}
			if *update && got != want {
				s.files["script"] = got
				require.NoError(t, os.WriteFile(full, []byte(s.String()), 0o644))
				return
			}
			require.Equal(t, want, got)
		})
	}
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
