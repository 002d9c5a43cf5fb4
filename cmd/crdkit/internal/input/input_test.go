package input

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tree makes files in a new directory and enters it.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

// lines returns what was read, a line for each file.
func lines(files []File) (out []string) {
	for _, f := range files {
		line := f.Name + " " + string(f.Data)
		if f.Err != nil {
			line = f.Name + ": " + f.Err.Error()
		}
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

func TestRead(t *testing.T) {
	tree(t, map[string]string{"a.yaml": "1", "d/b.yml": "2", "d/e/c.json": "3", "d/.git/x.yaml": "4", "d/kustomization.yaml": "5", "d/notes.txt": "6", "empty/x": ""})
	r := &Reader{Stdin: strings.NewReader("in"), Limits: DefaultLimits}
	require.Equal(t, []string{
		"<stdin> in", "a.yaml 1", "d/b.yml 2", "d/e/c.json 3", "d/notes.txt 6",
		"none.yaml: no such file or directory", "empty: no .yaml, .yml or .json file in the directory", "x*.yaml: no file matches the pattern", "[: syntax error in pattern",
	}, lines(r.Read("-", "-", "a.*", "./a.yaml", "d", "d/notes.txt", "none.yaml", "empty", "x*.yaml", "[")))
}

func TestLinks(t *testing.T) {
	tree(t, map[string]string{"d/a.yaml": "1", "other/b.yaml": "2"})
	if err := os.Symlink("..", "d/loop"); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Symlink("self", "d/self"))
	require.NoError(t, os.Symlink("../other", "d/x"))
	require.NoError(t, os.Symlink("../other", "d/y"))
	require.NoError(t, os.Symlink("../other/b.yaml", "d/link.yaml"))
	r := &Reader{Limits: DefaultLimits}
	require.Equal(t, []string{
		"d/a.yaml 1", "d/link.yaml 2", "d/loop/d: the link leads back to a directory around it", "d/loop/other/b.yaml 2",
		"d/self: too many levels of symbolic links",
	}, lines(r.Read("d")))
}

func TestLimits(t *testing.T) {
	tree(t, map[string]string{"a.yaml": "12", "b.yaml": "1234", "c.yaml": "123", "d.yaml": "1"})
	read := func(l Limits, names ...string) []string {
		if l.Wait == 0 {
			l.Wait = time.Minute
		}
		return lines((&Reader{Stdin: strings.NewReader("123456"), Limits: l}).Read(names...))
	}
	require.Equal(t, []string{"a.yaml 12", "b.yaml: the file is larger than the limit of 3 bytes", "c.yaml 123", "d.yaml 1"},
		read(Limits{File: 3, Total: 9, Files: 9}, "."))
	require.Equal(t, []string{"a.yaml 12", "b.yaml: all files together are larger than the limit of 5 bytes: the rest is not read"},
		read(Limits{File: 9, Total: 5, Files: 9}, "."))
	require.Equal(t, []string{"a.yaml 12", "b.yaml: there are more files than the limit of 1: the rest is not read"},
		read(Limits{File: 9, Total: 9, Files: 1}, "."))
	require.Equal(t, []string{"<stdin>: the file is larger than the limit of 3 bytes"}, read(Limits{File: 3, Total: 9, Files: 1}, "-"))
	require.Equal(t, []string{"<stdin> 123456", "a.yaml: all files together are larger than the limit of 7 bytes: the rest is not read", "b.yaml: not read: a limit was reached before"},
		read(Limits{File: 9, Total: 7, Files: 9}, "-", "a.yaml", "b.yaml"))
	require.Equal(t, []string{"a.yaml 12", "b.yaml: there are more files than the limit of 1: the rest is not read"}, read(Limits{File: 9, Total: 9, Files: 1}, "?.yaml"))
	require.Equal(t, []string{"a.yaml 12", "b.yaml 1234"}, read(Limits{File: 4, Total: 6, Files: 2}, "a.yaml", "b.yaml"))
}

// A directory is none of the files of a pattern, and a broken link does not hide other files.
func TestPatterns(t *testing.T) {
	tree(t, map[string]string{"a.d/x.yaml": "1", "a.yaml": "2", "d/a.json": "3"})
	r := &Reader{Limits: DefaultLimits}
	require.Equal(t, []string{"a.yaml 2"}, lines(r.Read("a.*")))
	if err := os.Symlink("gone", "a.link"); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Symlink("gone", "d/b.yaml"))
	require.Equal(t, []string{"a.link: no such file or directory", "a.yaml 2", "d/a.json 3", "d/b.yaml: no such file or directory"}, lines(r.Read("a.*", "d")))
}

// A pipe is read to its end, within the limits.
func TestPipe(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip(err)
	}
	for text, want := range map[string]string{"1234": "pipe 1234", "12345": "pipe: the file is larger than the limit of 4 bytes"} {
		tree(t, nil)
		require.NoError(t, exec.Command(mkfifo, "pipe").Run())
		written := make(chan error, 1)
		go func() { written <- os.WriteFile("pipe", []byte(text), 0o600) }()
		r := &Reader{Limits: Limits{File: 4, Total: 9, Files: 9, Wait: time.Minute}}
		require.Equal(t, []string{want}, lines(r.Read("pipe")))
		require.NoError(t, <-written)
	}
}

// What never ends is left after a while.
func TestEndless(t *testing.T) {
	from, to := io.Pipe()
	defer to.Close()
	r := &Reader{Stdin: from, Limits: Limits{File: 9, Total: 9, Files: 9, Wait: time.Millisecond}}
	require.Equal(t, []string{"<stdin>: it did not end within 1ms"}, lines(r.Read("-")))
}

func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	tree(t, map[string]string{"crds/a.yaml": "1", "crds/sub/b.json": "22", "crds/x.txt": "", "crds/.h/c.yaml": "", "other.yaml": "3"})
	run := func(args ...string) {
		t.Helper()
		out, err := exec.Command("git", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	run("init", "-q")
	run("add", ".")
	run("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first")
	run("tag", "v1")
	require.NoError(t, os.Remove("crds/a.yaml"))
	r := &Reader{Limits: DefaultLimits}
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json 22"}, lines(r.Read("git://v1?path=crds")))
	require.Equal(t, []string{"v1:crds/a.yaml 1"}, lines(r.Read("git://v1?path=crds/a.yaml")))
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json 22"}, lines(r.Git("crds", "v1", "")))
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json 22", "v1:other.yaml 3"}, lines(r.Read("git://v1")))
	require.Empty(t, r.Read("git://v1?path=none"))
	require.Equal(t, []string{"--help:crds: this is no name of a commit"}, lines(r.Read("git://--help?path=crds")))
	require.Equal(t, []string{"git://v1?crds: the form is git://REF?path=PATH"}, lines(r.Read("git://v1?crds")))
	require.Contains(t, lines(r.Read("git://v2"))[0], "v2:.: git does not know the commit v2")
	require.Equal(t, []string{":.: this is no name of a commit", "a:b:.: this is no name of a commit"}, lines(append(r.Read("git://"), r.Read("git://a:b")...)))
	require.Contains(t, lines(r.Git("none", "v1", ""))[0], "v1:none: git does not know the commit v1: ")
	require.Equal(t, []string{"v1:crds/x.txt"}, lines(r.Git("crds", "v1", "x.txt")), "a file that is named is read whatever its name is")
	require.Equal(t, []string{"v1:crds/.h/c.yaml"}, lines(r.Read("git://v1?path=crds/.h/c.yaml")))
	small := &Reader{Limits: Limits{File: 1, Total: 9, Files: 9, Wait: time.Minute}}
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json: the file is larger than the limit of 1 bytes"}, lines(small.Read("git://v1?path=crds")))
}

// What git answers is checked, in case that it is another git.
func TestGitAnswers(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	tree(t, nil)
	// Links and modules are no files.
	const listing = `120000 blob 3\tlink.yaml\000160000 commit 4\tmodule.yaml\000100644 blob 1\ta.yaml\000100644 blob 2\tb.yaml\000`
	for answer, want := range map[string][]string{
		"id blob 1\na\nid blob 2\nbb\n":    {"r:a.yaml a", "r:b.yaml bb"},
		"id missing\n":                     {`r:a.yaml: git cat-file answers "id missing\n"`},
		"id blob many\n":                   {`r:a.yaml: strconv.ParseUint: parsing "many": invalid syntax`},
		"id blob -1\n":                     {`r:a.yaml: strconv.ParseUint: parsing "-1": invalid syntax`},
		"id blob 9\na":                     {"r:a.yaml: unexpected EOF", `r:b.yaml: git cat-file answers ""`},
		"id blob 1\na":                     {"r:a.yaml a", `r:b.yaml: git cat-file answers ""`},
		"id blob 1\na\n":                   {"r:a.yaml a", `r:b.yaml: git cat-file answers ""`},
		"id blob 99\n":                     {"r:a.yaml: the file is larger than the limit of 9 bytes", `r:b.yaml: git cat-file answers ""`},
		"id blob 0\n\nid blob 0\n\nmore\n": {"r:a.yaml", "r:b.yaml"},
	} {
		script := "#!" + shell + "\nif [ $3 = cat-file ]; then printf '" + answer + "'; elif [ $3 = ls-tree ]; then printf '" + listing + "'; fi\n"
		require.NoError(t, os.WriteFile("git", []byte(script), 0o755))
		dir, err := os.Getwd()
		require.NoError(t, err)
		t.Setenv("PATH", dir)
		r := &Reader{Limits: Limits{File: 9, Total: 99, Files: 9, Wait: time.Minute}}
		require.Equal(t, want, lines(r.Git(".", "r", "")), answer)
	}
	require.NoError(t, os.Remove("git"))
	r := &Reader{Limits: Limits{Wait: time.Minute}}
	require.Equal(t, []string{`r:.: git does not know the commit r: exec: "git": executable file not found in $PATH`}, lines(r.Git(".", "r", "")))
}

// A file of 64 MiB is read with the limits of the command, a larger one is not. The other limits are those of
// docs/command.md.
func TestDefaultLimits(t *testing.T) {
	require.Equal(t, Limits{File: 64 << 20, Total: 1 << 30, Files: 250_000, Wait: time.Minute}, DefaultLimits)
	tree(t, map[string]string{"a.yaml": "", "b.yaml": ""})
	require.NoError(t, os.Truncate("a.yaml", 64<<20))
	require.NoError(t, os.Truncate("b.yaml", 64<<20+1))
	files := (&Reader{Limits: DefaultLimits}).Read("a.yaml", "b.yaml")
	require.NoError(t, files[0].Err)
	require.Len(t, files[0].Data, 64<<20)
	require.EqualError(t, files[1].Err, "the file is larger than the limit of 64 MiB")
}
