package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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
	return r.Git(ref, at)
}

// Git returns the files that a commit has at the name of a file or a directory, as Read does. Their names are REF:NAME.
// There are none if the commit does not have the name. The repository is that of the current directory, whatever the
// name is: the files of a directory may look like a repository whose configuration names programs.
func (r *Reader) Git(ref, name string) []File {
	name = filepath.Clean(name)
	shown := func(file string) string { return ref + ":" + filepath.ToSlash(filepath.Join(name, file)) }
	if r.late != nil {
		return []File{{Name: shown(""), Err: r.late}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.Limits.Wait)
	defer cancel()
	defer func() {
		if ctx.Err() != nil {
			r.late = errLateBefore
		}
	}()
	at, commit, err := gitLocate(ctx, ref, name)
	if err != nil {
		return []File{{Name: shown(""), Err: err}}
	}
	files, ids, err := r.gitList(ctx, commit, at)
	if err != nil {
		return []File{{Name: shown(""), Err: err}}
	}
	for i, file := range files {
		files[i] = shown(file)
	}
	return r.gitBlobs(ctx, files, ids)
}

// objectID matches the names of objects of a repository.
var objectID = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// gitLocate returns the path in the repository for the name of a file, "." for all of it, and the id of a commit.
func gitLocate(ctx context.Context, ref, name string) (at, commit string, err error) {
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, ":\n\x00") {
		return "", "", errors.New("this is no name of a commit")
	}
	top, err := gitLine(ctx, "rev-parse", "--is-inside-work-tree", "--show-toplevel")
	inside, top, _ := strings.Cut(top, "\n")
	if inside == "false" { // a bare repository
		top, err = "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("git is run in the current directory, which must be in the repository: %w", err)
	}
	if at, err = pathInRepository(filepath.FromSlash(top), name); err != nil {
		return "", "", err
	}
	commit, err = gitLine(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil && !objectID.MatchString(commit) {
		err = fmt.Errorf("git rev-parse answers %q", commit)
	}
	if err != nil {
		return "", "", fmt.Errorf("git does not know the commit %s%s", ref, reason(err))
	}
	return at, commit, nil
}

// pathInRepository returns the path of a file below the top of the working tree or, without one, of the current
// directory. It has slashes. The file need not exist.
func pathInRepository(top, name string) (string, error) {
	outside := errors.New("it is not in the repository of the current directory: run crdkit in its repository")
	if top == "" {
		if !filepath.IsLocal(name) {
			return "", outside
		}
		return filepath.ToSlash(name), nil
	}
	top, err := realPath(top)
	if err != nil {
		return "", cause(err)
	}
	if name, err = realPath(name); err != nil {
		return "", cause(err)
	}
	at, err := filepath.Rel(top, name)
	if err != nil || !filepath.IsLocal(at) {
		return "", outside
	}
	for dir := name; dir != top; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return "", outside // but in one that is nested in it
		}
	}
	return filepath.ToSlash(at), nil
}

// realPath returns an absolute path without symbolic links. The end of the path need not exist.
func realPath(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	missing := ""
	for dir := name; ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, missing), nil
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return "", err
		}
		missing = filepath.Join(filepath.Base(dir), missing)
	}
}

// maxNames is how many bytes the names of the files of a commit may have: trees may share subtrees, so that a small
// repository has any number of files.
const maxNames = 64 << 20

// gitList returns the files of a commit at a path, relative to it, and the ids of their contents.
func (r *Reader) gitList(ctx context.Context, commit, at string) (files, ids []string, err error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", commit}
	if at != "." {
		args = append(args, "--", at)
	}
	size := 0
	err = git(ctx, nil, func(out io.Reader) error {
		entries := bufio.NewScanner(out)
		entries.Split(untilNUL)
		for entries.Scan() {
			head, name, _ := strings.Cut(entries.Text(), "\t")
			fields := strings.Fields(head) // mode, type and id
			if len(fields) != 3 || fields[1] != "blob" || fields[0] == "120000" || !objectID.MatchString(fields[2]) {
				continue
			}
			if name != at {
				if at != "." {
					name = strings.TrimPrefix(name, at+"/")
				}
				if !manifest.IsName(path.Base(name)) || hidden(name) {
					continue
				}
			} else {
				name = ""
			}
			switch size += len(name); {
			case len(files) >= r.Limits.Files:
				return fmt.Errorf("there are more files than the limit of %d: nothing is read", r.Limits.Files)
			case size > maxNames:
				return fmt.Errorf("the names of the files are longer than the limit of %s: nothing is read", bytesText(maxNames))
			}
			files, ids = append(files, name), append(ids, fields[2])
		}
		return entries.Err()
	}, args...)
	return files, ids, err
}

// untilNUL is a [bufio.SplitFunc] for texts that end in a zero byte each.
func untilNUL(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}

// hidden reports whether a file or a directory around it has a name that begins with a dot.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// gitBlobs reads the files with the given object ids.
func (r *Reader) gitBlobs(ctx context.Context, files, ids []string) (found []File) {
	if len(ids) == 0 {
		return nil
	}
	var failed *File // the last one, if it has an error of git
	err := git(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		from := bufio.NewReader(out)
		for _, name := range files {
			found = append(found, File{Name: name, Found: true})
			f := &found[len(found)-1]
			head, err := from.ReadSlice('\n')
			fields := strings.Fields(string(head)) // id, type and size
			switch {
			case err == nil && len(fields) == 2 && fields[1] == "missing":
				f.Err = errors.New("the clone does not have this file, and crdkit does not fetch: clone without --filter")
				continue
			case err != nil || len(fields) != 3:
				failed, f.Err = f, fmt.Errorf("git cat-file answers %q", head)
				return f.Err
			}
			size, err := strconv.ParseUint(fields[2], 10, 63)
			if err != nil {
				failed, f.Err = f, err
				return err
			}
			if f.Err = r.admit(int64(size)); f.Err == nil {
				f.Data = make([]byte, size)
				_, f.Err = io.ReadFull(from, f.Data)
				size = 0
			}
			if r.full {
				return errFull
			}
			// Skip the rest and a line break. If they are missing, so is the next answer.
			_, _ = io.CopyN(io.Discard, from, int64(size)+1)
		}
		return nil
	}, "cat-file", "--batch")
	switch {
	case failed != nil:
		failed.Err = err // with what git says
	case len(found) == 0:
		return []File{{Name: files[0], Err: err}} // git cannot be started
	}
	return found
}

// reason returns the error of git, unless that is only its exit code.
func reason(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return ""
	}
	return ": " + err.Error()
}

// gitOptions are the options before each command of git. Nothing that a repository or its configuration names is run,
// and nothing is fetched. Git also refuses a bare repository that it finds itself: its files may be those of a commit.
var gitOptions = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs", "-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "credential.helper=",
}

// gitVariables are the variables for git that are kept. They say where the repository and the user's configuration are,
// which is up to who runs the command.
var gitVariables = regexp.MustCompile(`^GIT_(DIR|WORK_TREE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|CEILING_DIRECTORIES` +
	`|DISCOVERY_ACROSS_FILESYSTEM|CONFIG_GLOBAL|CONFIG_COUNT|CONFIG_KEY_[0-9]+|CONFIG_VALUE_[0-9]+)=`)

// gitEnvironment returns the environment of git. GIT_ALLOW_PROTOCOL is needed in addition to protocol.allow: a
// configuration may allow a protocol by its name.
func gitEnvironment() []string {
	kept := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") && !gitVariables.MatchString(v) })
	return append(kept, "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0")
}

var errLate = errors.New("git did not end in time")

// git runs git, always in the current directory. read gets what it prints, and need not read all of it.
func git(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", slices.Concat(gitOptions, args)...)
	var stderr prefix
	cmd.Env, cmd.Stdin, cmd.Stderr, cmd.WaitDelay = gitEnvironment(), stdin, &stderr, time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		cmd.Cancel = func() error {
			_ = out.Close() // a child of git may keep it open
			return cmd.Process.Kill()
		}
		err = cmd.Start()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errLate
	case err != nil:
		return err
	}
	err = read(out)
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if err != nil || late {
		cancel()
	}
	_, _ = io.Copy(io.Discard, out)
	exit := cmd.Wait()
	text := strings.TrimSpace(string(stderr))
	switch {
	case late:
		return errLate
	case exit != nil && text != "":
		return errors.New(text)
	case err != nil:
		return err
	}
	return exit
}

// gitLine returns what git prints, without the line break at the end.
func gitLine(ctx context.Context, args ...string) (line string, err error) {
	err = git(ctx, nil, func(out io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(out, maxPrefix))
		line = strings.TrimSuffix(string(text), "\n")
		return err
	}, args...)
	return line, err
}

// maxPrefix is how many bytes of a text of git are kept.
const maxPrefix = 64 << 10

// A prefix is a writer that keeps the beginning.
type prefix []byte

// Write implements [io.Writer].
func (p *prefix) Write(text []byte) (int, error) {
	*p = append(*p, text[:min(len(text), maxPrefix-len(*p))]...)
	return len(text), nil
}
