package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

var (
	docBlock = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```\n")
	docFile  = regexp.MustCompile("(?m)^`([A-Za-z0-9_./-]+)`(?:, .*)?:\n\n\\z")
)

// The transcripts of docs/command.md are what the command prints. A block behind a line "`NAME`:", or "`NAME`, which
// ...:", is that file.
func TestDocs(t *testing.T) {
	name, err := filepath.Abs("../../../../docs/command.md")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(given.File(t, name)), "\r\n", "\n")
	t.Chdir(t.TempDir())
	var got strings.Builder
	end, commands := 0, 0
	for _, m := range docBlock.FindAllStringSubmatchIndex(text, -1) {
		before, kind, body := text[end:m[0]], text[m[2]:m[3]], text[m[4]:m[5]]
		if file := docFile.FindStringSubmatch(text[:m[0]]); file != nil {
			write(t, file[1], body)
		}
		if kind == "console" {
			printed := ""
			for l := range strings.Lines(body) {
				if line, ok := strings.CutPrefix(l, "$ "); ok {
					out := regexp.MustCompile(`(?m)^exit code \d\n`).ReplaceAllString(runLine(t, strings.TrimSpace(line)), "")
					printed += l + out
					commands++
				}
			}
			body = printed
		}
		got.WriteString(before + "```" + kind + "\n" + body + "```\n")
		end = m[1]
	}
	got.WriteString(text[end:])
	require.NotZero(t, commands)
	if given.Update() {
		require.NoError(t, os.WriteFile(name, []byte(got.String()), 0o644))
		return
	}
	require.Equal(t, text, got.String())
}

// The page on coming from other tools has each flag of kubeconform v0.7.0 and of kubectl-validate v0.0.4.
func TestOtherToolsFlags(t *testing.T) {
	page := string(given.File(t, "../../../../docs/command.md"))
	_, page, found := strings.Cut(page, "## Coming from")
	require.True(t, found)
	page, _, _ = strings.Cut(page, "\n## ")
	for _, name := range strings.Fields(`-cache -debug -exit-on-error -ignore-filename-pattern -ignore-missing-schemas -insecure-skip-tls-verify
		-kubernetes-version -n -output -reject -schema-location -skip -strict -summary -v -verbose
		--version --local-schemas --local-crds --schema-patches --output`) {
		require.Regexp(t, `(?m)^[^|]*\| [^|]*(kubeconform|kubectl validate)[^|]*`+name+`\b`, page, name)
	}
}
