package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file runs the scripts in testdata: the commands of a user of the server, and their output.
//
// A script is text, followed by files, which begin with lines such as `-- crd.yaml --` and exist when the script
// starts. A line that starts with `$ ` is a command for sh. The lines after it, up to the next command, a blank line or
// a comment (`#`), are its standard output and standard error. If a command fails, the last line is `[exit 1]`. Runs of
// blanks in the output count as one, and the words in the table words stand for text that differs from run to run. A
// command without expected output must print nothing.

var fill = flag.Bool("fill", false, "write what commands print into the scripts, where they say `...`")

// words stand for text that differs from run to run.
var words = strings.NewReplacer(
	`\{AGE\}`, `[0-9][0-9smhd]*`,
	`\{IP\}`, `10\.0\.0\.[0-9]+`,
	`\{TIME\}`, `[0-9-]{10}T[0-9:]{8}Z`,
	`\{UID\}`, `[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
	`\{N\}`, `[0-9]+`,
	`\{ANY\}`, `.*`,
)

// A step is a command and its output.
type step struct {
	command string
	want    []string
	at      int // the line of the command
}

// parseScript returns the commands and the files of a script.
func parseScript(text string) (steps []step, files map[string]string) {
	files = map[string]string{}
	header := regexp.MustCompile(`^-- (\S+) --$`)
	name, inStep := "", false
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch m := header.FindStringSubmatch(line); {
		case m != nil:
			name = m[1]
		case name != "":
			files[name] += line + "\n"
		case strings.HasPrefix(line, "$ "):
			steps, inStep = append(steps, step{command: line[2:], at: i}), true
		case line == "" || strings.HasPrefix(line, "#"):
			inStep = false
		case inStep:
			last := &steps[len(steps)-1]
			last.want = append(last.want, line)
		}
	}
	return steps, files
}

// runScripts runs the scripts that match a pattern, each with its own server.
func runScripts(t *testing.T, pattern string) {
	needKubectl(t)
	scripts, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txt"), func(t *testing.T) { runScript(t, script) })
	}
}

func runScript(t *testing.T, script string) {
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	steps, files := parseScript(string(text))
	require.NotEmpty(t, steps)
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o700))
	}
	s := start(t)
	filled := map[int][]string{}
	for _, step := range steps {
		got := s.sh(t, dir, step.command)
		if *fill && len(step.want) == 1 && step.want[0] == "..." {
			filled[step.at] = got
			continue
		}
		require.Regexp(t, expression(step.want), strings.Join(squeeze(got), "\n"), "%s:%d: %s", script, step.at+1, step.command)
	}
	if len(filled) > 0 {
		var out []string
		for i, line := range strings.Split(string(text), "\n") {
			if printed, has := filled[i-1]; has {
				for _, line := range printed {
					if strings.TrimSpace(line) != "" {
						out = append(out, generalize(line))
					}
				}
				continue
			}
			out = append(out, line)
		}
		require.NoError(t, os.WriteFile(script, []byte(strings.Join(out, "\n")), 0o600))
	}
}

// generalize replaces text that differs from run to run by words.
func generalize(line string) string {
	for _, w := range []struct{ like, word string }{
		{`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "{UID}"},
		{`[0-9-]{10}T[0-9:]{8}Z`, "{TIME}"},
		{`\b[0-9]+s\b`, "{AGE}"},
		{`(resourceVersion: "|Resource Version: +)[0-9]+`, "$1{N}"},
	} {
		line = regexp.MustCompile(w.like).ReplaceAllString(line, w.word)
	}
	return line
}

// expression returns a regular expression for the expected output.
func expression(want []string) string {
	return "^" + words.Replace(regexp.QuoteMeta(strings.Join(squeeze(want), "\n"))) + "$"
}

// squeeze replaces runs of blanks by one blank, and drops trailing blanks and empty lines.
func squeeze(lines []string) (out []string) {
	for _, line := range lines {
		if fields := strings.Fields(line); len(fields) > 0 {
			indent := len(line) - len(strings.TrimLeft(line, " \t"))
			out = append(out, line[:indent]+strings.Join(fields, " "))
		}
	}
	return out
}

// sh runs a command with the server's kubeconfig, and returns the lines of its output.
func (s *instance) sh(t *testing.T, dir, command string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Dir, c.Env, c.WaitDelay = dir, s.env(), time.Second
	out, err := c.CombinedOutput()
	lines := strings.Split(strings.TrimSuffix(string(bytes.ReplaceAll(out, []byte(s.kubectlWarning()), nil)), "\n"), "\n")
	if len(out) == 0 {
		lines = nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		lines = append(lines, "[exit "+strings.TrimPrefix(exit.String(), "exit status ")+"]")
	} else {
		require.NoError(t, err, command)
	}
	return lines
}
