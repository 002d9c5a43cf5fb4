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

// What does not end in time does not add up: neither files without a size nor git are waited for again.
func TestLate(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip(err)
	}
	tree(t, map[string]string{"a.yaml": "1"})
	require.NoError(t, exec.Command(mkfifo, "p", "q").Run())
	r := &Reader{Limits: Limits{File: 9, Total: 99, Files: 9, Wait: 10 * time.Millisecond}}
	const before = "not read: what was read before did not end in time"
	require.Equal(t, []string{"p: it did not end within 10ms", "q: " + before}, lines(r.Read("p", "q")))
	r.Limits.Wait = time.Minute
	require.Equal(t, []string{"a.yaml 1"}, lines(r.Read("a.yaml")))
	require.Equal(t, []string{"v1:a.yaml: " + before}, lines(r.Git("v1", "a.yaml")))
}
