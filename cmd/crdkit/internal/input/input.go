package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/internal/manifest"
)

// Stdin is the name of standard input in arguments, and StdinName its name in reports.
const (
	Stdin     = "-"
	StdinName = "<stdin>"
)

// Limits bound what is read.
type Limits struct {
	File  int64         // bytes of one file
	Total int64         // bytes of all files of a Reader
	Files int           // files of a Reader
	Wait  time.Duration // for a file, standard input, a pipe and git
}

// DefaultLimits are those of the command.
var DefaultLimits = Limits{File: 64 << 20, Total: 1 << 30, Files: 250_000, Wait: time.Minute}

// A File is a file that was read, or an error.
type File struct {
	Name string // as reports have it, with slashes
	Data []byte
	Err  error
	// Found says that the file was not named: a directory, a pattern or a commit has it.
	Found bool
}

// A Reader reads files. Limits must be set: with the zero value, nothing can be read.
type Reader struct {
	Stdin  io.Reader
	Limits Limits
	Skip   []Pattern // of files in directories

	// What is in the directories that were read: the numbers of files that are not read, and the names of kustomizations.
	Skipped        int
	Templates      int
	Kustomizations []string

	ignores   []string // directories whose ignore files have been read
	bytes     int64
	files     int
	stdinRead bool
	full      bool  // a limit for all files has been reached and reported
	late      error // of files without a size, if one of them did not end in time
}

// Read returns the named files, each once, in the order of the names; the files of one name are sorted. A name is a
// file, a directory, a pattern of [filepath.Glob], "-" for standard input, or git://REF?path=PATH for the files of a
// commit at a path.
//
// A directory means the files in it and its subdirectories that end in .yaml, .yml or .json, except hidden files and
// kustomization files. Symbolic links are followed; a link to a parent directory is an error.
func (r *Reader) Read(names ...string) []File {
	var found []File
	seen := map[string]bool{}
	for _, name := range names {
		switch {
		case name == Stdin:
			if !r.stdinRead {
				r.stdinRead = true
				f := File{Name: StdinName}
				f.Data, f.Err = r.all(0, func() (io.ReadCloser, error) { return io.NopCloser(r.Stdin), nil })
				found = append(found, f)
			}
		case strings.HasPrefix(name, "https://"), strings.HasPrefix(name, "http://"):
			found = append(found, File{Name: name, Err: errURL})
		case strings.HasPrefix(name, gitPrefix):
			found = append(found, r.gitURL(name)...)
		default:
			r.named(name, func(file string, err error) bool {
				if key := filepath.Clean(file); err == nil && !seen[key] {
					seen[key] = true
					f, ok := r.file(file)
					f.Found = key != filepath.Clean(name)
					found = append(found, f)
					return ok
				}
				if err != nil {
					found = append(found, File{Name: filepath.ToSlash(file), Err: err})
				}
				return true
			})
		}
	}
	return found
}

// errURL is the error of a name on the network.
var errURL = errors.New("crdkit does not fetch anything: download it, or pipe it, as in curl -fsSL URL | crdkit check -")

// named calls visit with the files that a name means, and with errors, until it returns false.
func (r *Reader) named(name string, visit func(file string, err error) bool) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		for _, dir := range []string{".", name} {
			if err := r.ignored(dir); err != nil && !visit(filepath.Join(dir, IgnoreFile), err) {
				return
			}
		}
		w := walker{r: r, visit: visit, visited: map[string]bool{}}
		if w.directory(name, nil); w.files == 0 && !w.failed {
			visit(name, errors.New("no .yaml, .yml or .json file in the directory"))
		}
		return
	case err == nil || !strings.ContainsAny(name, `*?[\`):
		visit(name, cause(err))
		return
	}
	files, err := filepath.Glob(name)
	if err == nil && len(files) == 0 {
		err = errors.New("no file matches the pattern")
	}
	if err != nil {
		visit(name, err)
		return
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			continue
		}
		if !visit(file, nil) {
			return
		}
	}
}

// A walker finds the manifests in a directory.
type walker struct {
	r       *Reader
	visit   func(file string, err error) bool
	visited map[string]bool // real names of directories
	files   int
	failed  bool
	stopped bool
}

func (w *walker) fail(name string, err error) {
	w.failed = true
	w.stopped = w.stopped || !w.visit(name, cause(err))
}

// directory visits the files in a directory. parents are the real names of its parents.
func (w *walker) directory(name string, parents []string) {
	target, err := filepath.EvalSymlinks(name)
	if err == nil {
		target, err = filepath.Abs(target)
	}
	if err != nil {
		w.fail(name, err)
		return
	}
	if slices.Contains(parents, target) {
		w.fail(name, errors.New("the link leads back to a directory around it"))
		return
	}
	if w.visited[target] {
		return
	}
	w.visited[target] = true
	parents = append(slices.Clip(parents), target)
	entries, err := os.ReadDir(name)
	if err != nil {
		w.fail(name, err)
	}
	for _, e := range entries {
		if w.stopped {
			return
		}
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(name, e.Name())
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := os.Stat(path)
			if err != nil {
				w.fail(path, err)
				continue
			}
			mode = info.Mode().Type()
		}
		switch {
		case mode.IsDir():
			w.directory(path, parents)
		case isKustomization(e.Name()):
			w.r.Kustomizations = append(w.r.Kustomizations, path)
		case mode.IsRegular() && manifest.IsName(e.Name()):
			w.files++
			if w.r.skips(path) {
				continue
			}
			if isTemplate(path) {
				w.r.Templates++
				continue
			}
			w.stopped = w.stopped || !w.visit(path, nil)
		}
	}
}

// isKustomization reports whether kustomize builds the directory of a file with that name.
func isKustomization(name string) bool {
	return name == "kustomization.yaml" || name == "kustomization.yml" || name == "Kustomization"
}

// file reads a file. It reports false if no more files may be read.
func (r *Reader) file(name string) (File, bool) {
	f := File{Name: filepath.ToSlash(name)}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		f.Err = cause(err)
	case info.Mode().IsRegular() && info.Size() > 0:
		if f.Err = r.fits(info.Size()); f.Err == nil {
			f.Data, f.Err = r.open(name, info.Size())
		}
	default: // a pipe, a device, or a file such as those of /proc, whose sizes are unknown
		if f.Err = r.late; f.Err == nil {
			f.Data, f.Err = r.open(name, 0)
		}
	}
	return f, !r.full
}

// open reads a file of an expected size.
func (r *Reader) open(name string, size int64) ([]byte, error) {
	return r.all(size, func() (io.ReadCloser, error) { return os.Open(name) })
}

// errLateBefore is the error of what is not read because something else did not end in time.
var errLateBefore = errors.New("not read: what was read before did not end in time")

// all reads a file or a stream of an expected size, within the limits. It does so in a goroutine, which is left running
// if it does not end in time.
func (r *Reader) all(size int64, open func() (io.ReadCloser, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	limit := r.Limits.File
	var late atomic.Bool
	go func() {
		from, err := open()
		if err != nil {
			done <- result{err: err}
			return
		}
		defer from.Close()
		var data bytes.Buffer
		data.Grow(int(min(size, limit)) + bytes.MinRead) // ReadFrom needs no more room for a file that has not changed
		_, err = data.ReadFrom(io.LimitReader(&stoppable{from, &late}, limit+1))
		done <- result{data.Bytes(), err}
	}()
	timer := time.NewTimer(r.Limits.Wait)
	defer timer.Stop()
	select {
	case read := <-done:
		if read.err == nil {
			read.err = r.admit(int64(len(read.data)))
		}
		if read.err != nil {
			return nil, cause(read.err)
		}
		return read.data, nil
	case <-timer.C:
		late.Store(true)
		// Files that never end must not add up. Regular files are still read, unless one of them was late.
		r.late = errLateBefore
		r.full = r.full || size > 0
		return nil, fmt.Errorf("it did not end within %v", r.Limits.Wait)
	}
}

// fits returns the limit that a file of the given size exceeds, as an error.
func (r *Reader) fits(size int64) error {
	switch {
	case r.full:
		return errFull
	case size > r.Limits.File:
		return fmt.Errorf("the file is larger than the limit of %s", bytesText(r.Limits.File))
	case r.bytes+size > r.Limits.Total:
		r.full = true
		return fmt.Errorf("all files together are larger than the limit of %s: the rest is not read", bytesText(r.Limits.Total))
	case r.files == r.Limits.Files:
		r.full = true
		return fmt.Errorf("there are more files than the limit of %d: the rest is not read", r.Limits.Files)
	}
	return nil
}

// A stoppable is a reader that ends when nobody waits for it any more.
type stoppable struct {
	from io.Reader
	stop *atomic.Bool
}

// Read implements [io.Reader].
func (s *stoppable) Read(p []byte) (int, error) {
	if s.stop.Load() {
		return 0, errLateBefore
	}
	return s.from.Read(p[:min(len(p), streamBuffer)])
}

// admit counts a file of the given size. The error says which limit it exceeds.
func (r *Reader) admit(size int64) error {
	err := r.fits(size)
	if err == nil {
		r.bytes += size
		r.files++
	}
	return err
}

var errFull = errors.New("not read: a limit was reached before")

// cause returns an error without the name of the file, which reports print anyway.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func bytesText(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
