package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/manifest"
)

const gitPrefix = "git://"

// gitURL reads git://REF?path=PATH: the files at PATH in the commit REF of the repository that the current directory is
// in.
func (r *Reader) gitURL(name string) []File {
	ref, query, _ := strings.Cut(strings.TrimPrefix(name, gitPrefix), "?")
	at, ok := "", query == ""
	if !ok {
		at, ok = strings.CutPrefix(query, "path=")
	}
	if !ok {
		return []File{{Name: name, Err: errors.New("the form is git://REF?path=PATH")}}
	}
	return r.Git(".", ref, at)
}

// Git returns the files that a commit has at a path below a directory of a repository, as Read does for a directory.
// Their names are REF:PATH. There are none if the commit does not have the path.
func (r *Reader) Git(dir, ref, at string) []File {
	failed := func(err error) []File {
		return []File{{Name: ref + ":" + filepath.ToSlash(filepath.Join(dir, at)), Err: err}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.Limits.Wait)
	defer cancel()
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, ":\n\x00") {
		return failed(errors.New("this is no name of a commit"))
	}
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return failed(fmt.Errorf("git does not know the commit %s%s", ref, reason(err)))
	}
	args := []string{"ls-tree", "-r", "-z", strings.TrimSpace(string(commit))}
	if at != "" {
		args = append(args, "--", ":(literal)"+filepath.ToSlash(at))
	}
	listing, err := git(ctx, dir, args...)
	if err != nil {
		return failed(err)
	}
	var names, ids []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listing), "\x00"), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(head) // mode, type and id
		if len(fields) != 3 || fields[1] != "blob" || fields[0] == "120000" {
			continue
		}
		if name != at && (!manifest.IsName(path.Base(name)) || hidden(name)) {
			continue
		}
		names, ids = append(names, name), append(ids, fields[2])
	}
	return r.blobs(ctx, dir, ref, names, ids)
}

// hidden reports whether a file or a directory around it has a name that begins with a dot.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// blobs reads the files with the given object ids.
func (r *Reader) blobs(ctx context.Context, dir, ref string, names, ids []string) (found []File) {
	if len(ids) == 0 {
		return nil
	}
	cmd := command(ctx, dir, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return []File{{Name: ref, Err: err}}
	}
	defer func() { _ = cmd.Wait() }() // all of its output has been read, or the context ends it
	from := bufio.NewReader(pipe)
	for _, name := range names {
		f := File{Name: ref + ":" + filepath.ToSlash(filepath.Join(dir, name))}
		head, err := from.ReadString('\n')
		fields := strings.Fields(head) // id, type and size
		if err != nil || len(fields) != 3 {
			f.Err = fmt.Errorf("git cat-file answers %q", head)
			return append(found, f)
		}
		size, err := strconv.ParseUint(fields[2], 10, 63)
		if err != nil {
			f.Err = err
			return append(found, f)
		}
		if f.Err = r.admit(int64(size)); f.Err == nil {
			f.Data = make([]byte, size)
			_, f.Err = io.ReadFull(from, f.Data)
			size = 0
		}
		found = append(found, f)
		// Skip the rest and a line break. If they are missing, so is the next answer.
		_, _ = io.CopyN(io.Discard, from, int64(size)+1)
	}
	return found
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := command(ctx, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out, err
}

// reason returns the error of git, unless that is only its exit code.
func reason(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return ""
	}
	return ": " + err.Error()
}

func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
}
