package crdtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("crdtest.update", false, "let crdtest.RunFiles and Set.RequireCosts write the answers into their files, instead of comparing them")

// updateEnv is the environment variable that replaces the flag: `go test ./... -crdtest.update` fails in packages
// without crdtest.
const updateEnv = "CRDTEST_UPDATE"

// updating reports whether files are to be written.
func updating() bool {
	if *update {
		return true
	}
	value := os.Getenv(updateEnv)
	on, err := strconv.ParseBool(value)
	return on || err != nil && value != ""
}

// The members of a golden file.
const (
	objectFile = "object.yaml"
	oldFile    = "old.yaml"
	oldCRDFile = "oldcrd.yaml"
	pathFile   = "subresource.txt"
	wantFile   = "want.yaml"
	storedFile = "stored.yaml"
	errorsFile = "errors.txt"
)

// casesOfFiles are the files of a directory that [RunFiles] runs.
const casesOfFiles = "*.txtar"

// RunFiles runs a case from each file, as a subtest with the file's name. Names are files, patterns of [filepath.Glob],
// and directories, in which it runs *.txtar. A name that matches no file fails the test. A file is a txtar archive: a
// comment for readers, then members, each after a line with its name:
//
//	The color has a default.
//	-- object.yaml --
//	spec: {size: 3}
//	-- want.yaml --
//	spec: {size: 3, color: red}
//
// The members are:
//
//   - object.yaml is the object that is sent; with old.yaml, it replaces that one, which was stored under the
//     definition in oldcrd.yaml if there is one;
//   - want.yaml is a part of the object in the answer, as [Case.Want];
//   - stored.yaml is a part of what is stored, in the storage version, as [Case.Stored];
//   - errors.txt has the errors of the answer, a line each, in any order: the type, the path, a colon and the detail.
//     Without this file there must be none.
//
// With the flag -crdtest.update, RunFiles rewrites want.yaml and errors.txt if they do not match the answer: with the
// errors of a refused object, or the whole object of an accepted one. It rewrites stored.yaml if the file is there. The environment variable
// CRDTEST_UPDATE=1 does the same for several packages:
//
//	CRDTEST_UPDATE=1 go test ./...
//
// [Set.WriteSamples] writes an initial set of such files.
func RunFiles(t *testing.T, s *Set, names ...string) {
	t.Helper()
	for _, file := range matching(t, names, casesOfFiles) {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			t.Helper()
			data, err := manifest.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := manifest.ParseArchive(string(data))
			failure, err := s.tryFile(t.Context(), a, updating())
			s.notes.logUnconverted(t)
			switch {
			case err != nil:
				t.Fatalf("%s: %v", filepath.ToSlash(file), err)
			case failure != "":
				t.Errorf("%s:%s", filepath.ToSlash(file), failure)
			case updating() && a.String() != string(data):
				if err := os.WriteFile(file, []byte(a.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// tryFile runs the case of a file. With update, it changes what the file expects instead of failing.
func (s *Set) tryFile(ctx context.Context, a *manifest.Archive, update bool) (string, error) {
	c := &Case{}
	line := 1
	var wantErrors []string
	for _, f := range a.Files {
		switch f.Name {
		case objectFile:
			c.Object, line = f.Text, f.Line
		case oldFile:
			c.Old = f.Text
		case oldCRDFile:
			c.OldCRD = []byte(f.Text)
		case pathFile:
			c.Subresource = strings.TrimSpace(f.Text)
		case wantFile:
			if hasContent([]byte(f.Text)) {
				c.Want = f.Text
			}
		case storedFile:
			if hasContent([]byte(f.Text)) {
				c.Stored = f.Text
			}
		case errorsFile:
			for text := range strings.Lines(f.Text) {
				if text = strings.TrimSpace(text); text != "" {
					wantErrors = append(wantErrors, text)
				}
			}
		default:
			return "", fmt.Errorf("line %d: %s is not one of %s", f.Line-1, f.Name,
				strings.Join([]string{objectFile, oldFile, oldCRDFile, pathFile, wantFile, storedFile, errorsFile}, ", "))
		}
	}
	if c.Object == nil {
		return "", fmt.Errorf("there is no %s", objectFile)
	}
	q, err := s.request(ctx, c)
	if err != nil {
		return "", err
	}
	want, err := c.want()
	if err != nil {
		return "", err
	}
	answer := q.ask(ctx)
	s.notes.add(answer)
	var got []string
	for _, e := range answer.errs {
		if !e.RulesSkipped() {
			got = append(got, errorLine(e))
		}
	}
	if update {
		rewrite(a, answer, want, wantErrors, got)
		return "", nil
	}
	return answer.differsFrom(ctx, line, want, wantErrors, got), nil
}

// differsFrom is differs for errors given as lines.
func (a *answer) differsFrom(ctx context.Context, line int, want wanted, wantErrors, got []string) string {
	want.lenient = true
	lines := lineDiff(wantErrors, got)
	if len(lines) > 0 {
		return fmt.Sprintf("%d: %s: errors differ (-want +got)\n    %s\n    object after defaulting and pruning:\n%s", line, a.operation(),
			strings.Join(lines, "\n    "), yamltext.Print(a.Object, "      ", a.marks()))
	}
	for _, e := range a.errs { // the error lines already match here
		want.errs = append(want.errs, Match{Type: e.Type, Path: e.Field, Detail: e.Detail})
	}
	if text := a.differs(want); text != "" {
		return fmt.Sprintf("%d: %s", line, text)
	}
	return ""
}

// rewrite writes an answer into a file, unless the file already matches it.
func rewrite(a *manifest.Archive, got *answer, want wanted, wantErrors, lines []string) {
	if len(lineDiff(wantErrors, lines)) > 0 {
		text := ""
		for _, line := range slices.Sorted(slices.Values(lines)) {
			text += line + "\n"
		}
		a.Set(errorsFile, text)
	}
	switch {
	case len(lines) > 0 || got.Unconverted:
		a.Set(wantFile, "")
		if a.File(storedFile) != nil {
			a.Set(storedFile, "")
		}
	default:
		if want.object.object == nil || len(want.object.differs(got, got.Object, false)) > 0 {
			answered, _ := jsonval.Stored(got.Object)
			a.Set(wantFile, yamltext.Encode(answered))
		}
		if a.File(storedFile) != nil && (want.stored.object == nil || len(want.stored.differs(got, got.Stored, false)) > 0) {
			stored, _ := jsonval.Stored(got.Stored)
			a.Set(storedFile, yamltext.Encode(stored))
		}
	}
	a.Files = slices.DeleteFunc(a.Files, func(f manifest.File) bool {
		return f.Text == "" && (f.Name == wantFile || f.Name == storedFile || f.Name == errorsFile)
	})
}

// matching returns the files that names match: patterns, or directories with files that match the pattern below. The
// test fails for each name without a file.
func matching(t *testing.T, names []string, below string) (all []string) {
	t.Helper()
	for _, pattern := range names {
		if info, err := os.Stat(pattern); err == nil && info.IsDir() {
			pattern = filepath.Join(pattern, below)
		}
		files, err := filepath.Glob(pattern)
		if err == nil && len(files) == 0 {
			err = errors.New("no file matches")
			if below == casesOfFiles {
				err = errors.New("no file matches: Set.WriteSamples makes the first ones, with CRDTEST_UPDATE=1")
			}
		}
		if err != nil {
			t.Errorf("crdtest: %s: %v", pattern, err)
		}
		all = append(all, files...)
	}
	return all
}
