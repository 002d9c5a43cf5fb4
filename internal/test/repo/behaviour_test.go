package repo

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const list = "docs/internals/behaviour.md"

// skipped has the directories that are not searched: the parity module is checked by itself, module controllerruntime
// has no behaviour of its own, and those of this package are made up.
var skipped = map[string]bool{"parity": true, "controllerruntime": true, "docs": true, "internal/test/repo": true}

// notFamilies are the beginnings of what only looks like an id: SHA-256.
var notFamilies = map[string]bool{"SHA": true, "AES": true}

var (
	idPattern      = regexp.MustCompile(`\b[A-Z]{2}[A-Z0-9][A-Z]?-[0-9]{3}\b`)
	headingPattern = regexp.MustCompile(`^## ([A-Z]{2}[A-Z0-9][A-Z]?): \S`)
	rowPattern     = regexp.MustCompile("^\\| ([A-Z]{2}[A-Z0-9][A-Z]?-[0-9]{3}) \\|(.*)\\| `([^`]*)` \\|$")
)

// familyOf returns what an id begins with: PRU for PRU-006.
func familyOf(id string) string { return id[:len(id)-len("-001")] }

// Citations have the files that cite an id, sorted, by id.
type citations struct{ code, tests map[string][]string }

// search finds the citations in Go files and in the golden cases of tests, *.txtar, which also cite the ids in their
// names.
func search(tree fs.FS) (citations, error) {
	found := citations{code: map[string][]string{}, tests: map[string][]string{}}
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		golden := strings.HasSuffix(path, ".txtar")
		switch {
		case d.IsDir() && (skipped[path] || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir(), !golden && !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		where, ids := found.code, idPattern.FindAllString(string(text), -1)
		if golden || strings.HasSuffix(path, "_test.go") {
			where = found.tests
		}
		if golden {
			ids = append(ids, idPattern.FindAllString(d.Name(), -1)...)
		}
		for _, id := range ids {
			if !notFamilies[familyOf(id)] && !slices.Contains(where[id], path) {
				where[id] = append(where[id], path)
			}
		}
		return nil
	})
	return found, err
}

// A row is a line of the list.
type row struct {
	line           int
	id, text, test string
}

// read returns the rows of a list, and what is wrong with their form: each is in the table of its family, where the ids
// are sorted, and has a description.
func read(text string) (rows []row, problems []string) {
	family, last := "", ""
	headings := map[string]bool{}
	for i, s := range strings.Split(text, "\n") {
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("%s:%d: ", list, i+1)+fmt.Sprintf(format, args...))
		}
		if strings.HasPrefix(s, "## ") {
			family, last = "", ""
			if m := headingPattern.FindStringSubmatch(s); m == nil {
				problem("no heading of a family: %s", s)
			} else if family = m[1]; headings[family] {
				problem("a second heading of %s", family)
			}
			headings[family] = true
			continue
		}
		if !strings.HasPrefix(s, "|") || s == "| Id | Behaviour | Test |" || s == "|---|---|---|" {
			continue
		}
		m := rowPattern.FindStringSubmatch(s)
		if m == nil {
			problem("no row of an id, a behaviour and a test: %s", s)
			continue
		}
		r := row{line: i + 1, id: m[1], text: strings.TrimSpace(m[2]), test: m[3]}
		switch {
		case familyOf(r.id) != family:
			problem("%s is not below the heading of its family", r.id)
		case r.id == last:
			problem("%s is listed twice", r.id)
		case r.id < last:
			problem("%s comes after %s", r.id, last)
		}
		if r.text == "" {
			problem("%s has no description", r.id)
		}
		if strings.Contains(r.text, "|") {
			problem("the description of %s has a |, which ends a cell", r.id)
		}
		last = r.id
		rows = append(rows, r)
	}
	return rows, problems
}

// check returns all that is wrong between the list and the rest of a tree.
func check(tree fs.FS) (problems []string, err error) {
	text, err := fs.ReadFile(tree, list)
	if err != nil {
		return nil, err
	}
	cited, err := search(tree)
	if err != nil {
		return nil, err
	}
	rows, problems := read(string(text))
	listed := map[string]bool{}
	for _, r := range rows {
		listed[r.id] = true
		problem := func(text string) { problems = append(problems, fmt.Sprintf("%s:%d: %s", list, r.line, text)) }
		if len(cited.tests[r.id]) == 0 {
			problem("no test cites " + r.id)
		}
		if _, err := fs.Stat(tree, r.test); err != nil {
			problem(r.test + " does not exist")
		} else if !slices.Contains(cited.tests[r.id], r.test) {
			problem(r.test + " is no test that cites " + r.id)
		}
	}
	all := maps.Clone(cited.code)
	maps.Copy(all, cited.tests)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if !listed[id] {
			problems = append(problems, fmt.Sprintf("%s is not in %s, but %s cites it", id, list, all[id][0]))
		}
	}
	return problems, nil
}

func TestList(t *testing.T) {
	root := os.DirFS("../../..")
	problems, err := check(root)
	require.NoError(t, err)
	require.Empty(t, problems, "\n"+strings.Join(problems, "\n"))

	// Nor is nothing checked at all.
	text, err := fs.ReadFile(root, list)
	require.NoError(t, err)
	rows, _ := read(string(text))
	require.NotEmpty(t, rows)
	cited, err := search(root)
	require.NoError(t, err)
	require.NotEmpty(t, cited.code)
}

// TestCheck breaks a small tree that is in order, in one way at a time.
func TestCheck(t *testing.T) {
	const good = `# Behaviour

An id, such as XXX-001, outside of a table is none of the list's.

## AAA: letters

| Id | Behaviour | Test |
|---|---|---|
| AAA-001 | The first letter comes first. | ` + "`a/a_test.go`" + ` |
| AAA-003 | The third letter comes last. | ` + "`a/testdata/AAA-003-last.txtar`" + ` |

## BBB: numbers

| Id | Behaviour | Test |
|---|---|---|
| BBB-002 | Two is even. | ` + "`a/a_test.go`" + ` |
`
	for _, c := range []struct {
		name     string
		old, new string            // what is replaced in the list
		files    map[string]string // besides those of the tree, or instead
		gone     string            // a file that is not there
		want     []string
	}{
		{name: "in order"},
		{name: "code cites what is not listed", files: map[string]string{"b/b.go": "// AAA-002, SHA-256"},
			want: []string{"AAA-002 is not in docs/internals/behaviour.md, but b/b.go cites it"}},
		{name: "a test cites what is not listed", files: map[string]string{"b/b_test.go": `{"AAA-002: a case"}`},
			want: []string{"AAA-002 is not in docs/internals/behaviour.md, but b/b_test.go cites it"}},
		{name: "a golden case cites what is not listed, in its name", files: map[string]string{"b/CCC-001-x.txtar": "-- object --"},
			want: []string{"CCC-001 is not in docs/internals/behaviour.md, but b/CCC-001-x.txtar cites it"}},
		{name: "a golden case cites what is not listed, inside", files: map[string]string{"b/x.txtar": "# CCC-001"},
			want: []string{"CCC-001 is not in docs/internals/behaviour.md, but b/x.txtar cites it"}},
		{name: "a family of four letters", files: map[string]string{"b/b.go": "// DDDD-001"},
			want: []string{"DDDD-001 is not in docs/internals/behaviour.md, but b/b.go cites it"}},
		{name: "what is not searched", files: map[string]string{"parity/p.go": "// AAA-002", "docs/x.go": "// AAA-002", ".git/x.go": "// AAA-002",
			"internal/test/repo/x.go": "// AAA-002", "b/b.md": "AAA-002", "b/b.go": "// XXAAA-002 AAA-0022 AAA-02 aaa-002"}},
		{name: "no test cites a listed id", files: map[string]string{"a/a_test.go": "// AAA-001"}, want: []string{
			"docs/internals/behaviour.md:16: no test cites BBB-002",
			"docs/internals/behaviour.md:16: a/a_test.go is no test that cites BBB-002"}},
		{name: "only code cites a listed id", files: map[string]string{"a/a_test.go": "// AAA-001", "b/b.go": "// BBB-002"}, want: []string{
			"docs/internals/behaviour.md:16: no test cites BBB-002",
			"docs/internals/behaviour.md:16: a/a_test.go is no test that cites BBB-002"}},
		{name: "the file of a line is gone", gone: "a/testdata/AAA-003-last.txtar", files: map[string]string{"b/b_test.go": "// AAA-003"},
			want: []string{"docs/internals/behaviour.md:10: a/testdata/AAA-003-last.txtar does not exist"}},
		{name: "the file of a line does not cite the id", old: "`a/testdata/AAA-003-last.txtar`", new: "`a/a_test.go`",
			want: []string{"docs/internals/behaviour.md:10: a/a_test.go is no test that cites AAA-003"}},
		{name: "the file of a line is no test", old: "first. | `a/a_test.go`", new: "first. | `a/a.go`",
			want: []string{"docs/internals/behaviour.md:9: a/a.go is no test that cites AAA-001"}},
		{name: "a line without a file", old: "`a/testdata/AAA-003-last.txtar`", new: "``",
			want: []string{"docs/internals/behaviour.md:10:  does not exist"}},
		{name: "the file of a line is elsewhere", old: "`a/testdata/AAA-003-last.txtar`", new: "`../a/testdata/AAA-003-last.txtar`",
			want: []string{"docs/internals/behaviour.md:10: ../a/testdata/AAA-003-last.txtar does not exist"}},
		{name: "not sorted", old: "| AAA-001 | The first", new: "| AAA-003 | The third letter. | `a/testdata/AAA-003-last.txtar` |\n| AAA-001 | The first",
			want: []string{"docs/internals/behaviour.md:10: AAA-001 comes after AAA-003"}},
		{name: "twice", old: "| AAA-003", new: "| AAA-001 | Again. | `a/a_test.go` |\n| AAA-003",
			want: []string{"docs/internals/behaviour.md:10: AAA-001 is listed twice"}},
		{name: "in another family", old: "## BBB", new: "## CCC", want: []string{"docs/internals/behaviour.md:16: BBB-002 is not below the heading of its family"}},
		{name: "a family twice", old: "## BBB: numbers", new: "## AAA: numbers", want: []string{
			"docs/internals/behaviour.md:12: a second heading of AAA",
			"docs/internals/behaviour.md:16: BBB-002 is not below the heading of its family"}},
		{name: "a heading without a subject", old: "## BBB: numbers", new: "## BBB", want: []string{
			"docs/internals/behaviour.md:12: no heading of a family: ## BBB",
			"docs/internals/behaviour.md:16: BBB-002 is not below the heading of its family"}},
		{name: "no description", old: "Two is even.", new: " ", want: []string{"docs/internals/behaviour.md:16: BBB-002 has no description"}},
		{name: "four cells", old: "Two is even.", new: "Two | even.", want: []string{"docs/internals/behaviour.md:16: the description of BBB-002 has a |, which ends a cell"}},
		{name: "no row", old: "| Two is even. | `a/a_test.go` |", new: "| Two is even. |", want: []string{
			"docs/internals/behaviour.md:16: no row of an id, a behaviour and a test: | BBB-002 | Two is even. |",
			"BBB-002 is not in docs/internals/behaviour.md, but a/a_test.go cites it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{
				"a/a.go":                        "// AAA-001 and AAA-003, each twice: AAA-001, AAA-003.",
				"a/a_test.go":                   "// AAA-001, BBB-002.",
				"a/testdata/AAA-003-last.txtar": "-- object --",
				list:                            strings.Replace(good, c.old, c.new, 1),
			}
			require.Contains(t, good, c.old)
			maps.Copy(files, c.files)
			tree := fstest.MapFS{}
			for name, text := range files {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			delete(tree, c.gone)
			problems, err := check(tree)
			require.NoError(t, err)
			require.Equal(t, c.want, problems)
		})
	}
	_, err := check(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist, "a tree without the list")
}
