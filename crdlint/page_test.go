package crdlint

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/test/given"
)

const pageFile = "../docs/lints.md"

// page returns docs/lints.md: a section for each lint, with the first definition that has it and the first one that has
// not, both from testdata.
func page(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# What a server accepts and people regret\n\n" +
		"This page is written by `go test ./crdlint -update`. Each example is a test of package crdlint: what\n" +
		"the lint says is below it, with requests that show it.\n\n" +
		"`crdkit check` prints these findings below a server's errors, as warnings or notes. The flag `-lint off` leaves out all\n" +
		"of them, `-lint error` makes the warnings errors, and `-lint-ignore NAME` leaves out one lint. The annotation\n`" + IgnoreAnnotation +
		"` of a definition, and a comment `# crdkit:lint-ignore NAME` in its file, leave out lints by\ntheir names. " +
		"In tests, `crds.Lint(t, names...)` fails for the warnings.\n\n" +
		"| Lint | Severity | What it finds |\n|---|---|---|\n")
	for _, lint := range Lints() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", lint.Name, lint.Name, lint.Severity, lint.Title)
	}
	b.WriteString("\n" + string(given.File(t, recordedFile)))
	for _, lint := range Lints() {
		fmt.Fprintf(&b, "\n## %s\n\nA %s: %s. %s\n", lint.Name, lint.Severity, lint.Title, wrapped(lint.Why))
		if lint.Name == boundsOfSize.Name {
			b.WriteString("\nA finding begins at 80 % of what annotations may have. It says what part of the size descriptions take.\n")
			continue
		}
		file := manifest.ParseArchive(string(given.File(t, "testdata/"+lint.Name+".txtar")))
		bad, want, good := file.File("bad-1.yaml"), file.File("want-bad-1"), file.File("good-1.yaml")
		fmt.Fprintf(&b, "\nWrong:\n\n```yaml\n%s```\n\n```text\n%s```\n\nRight:\n\n```yaml\n%s```\n", versionsOf(bad.Text), want.Text, versionsOf(good.Text))
	}
	return b.String()
}

// versionsOf returns a definition from its versions on: what precedes them is the same in all. It returns the whole text
// if the names matter.
func versionsOf(text string) string {
	if strings.Contains(text, "shortNames") {
		return text
	}
	return text[strings.Index(text, "  versions:"):]
}

// wrapped returns a text in lines of at most 120 columns, the first of which has something in front.
func wrapped(text string) string {
	var b strings.Builder
	column := 60
	for _, word := range strings.Fields(text) {
		if column+len(word) >= 115 {
			b.WriteString("\n")
			column = 0
		} else if b.Len() > 0 {
			b.WriteString(" ")
		}
		b.WriteString(word)
		column += len(word) + 1
	}
	return b.String()
}

// docs/lints.md is up to date.
func TestPage(t *testing.T) {
	got := page(t)
	if given.Update() {
		require.NoError(t, os.WriteFile(pageFile, []byte(got), 0o644))
	}
	require.Equal(t, strings.ReplaceAll(string(given.File(t, pageFile)), "\r\n", "\n"), got)
}
