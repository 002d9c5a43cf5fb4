package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/position"
	"github.com/crdkit/crdkit/unstructured"
)

// dumpHelp is what the usage texts say of dumps.
const dumpHelp = `DUMP has objects as kubectl get -A -o json prints them, or NDJSON, or YAML: a file, a directory with those below
it, a tar archive that may be compressed with gzip, or - for standard input. It is read as a stream, so its size
does not matter.`

// dump returns the objects of a dump as JSON, each with its number from 1. What cannot be read is in the report. A text is that of the next object
// after the next step.
func (e *env) dump(name string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		shown, n := dumpName(name), 0
		e.report.Summary.Files++
		for body, err := range e.dumped(name) {
			n++
			if err != nil {
				e.unreadable(shown, err)
			} else if !yield(n, body) {
				return
			}
		}
	}
}

// dumpName returns the name of a dump as reports have it.
func dumpName(name string) string {
	if name == input.Stdin {
		return input.StdinName
	}
	return filepath.ToSlash(name)
}

// dumped returns the objects of a dump, and errors for what cannot be read.
func (e *env) dumped(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if info, err := os.Stat(name); name != input.Stdin && err == nil && info.IsDir() {
			audit.Dir(os.DirFS(name))(yield)
			return
		}
		stream := e.reader.Stream(name)
		defer stream.Close()
		from := bufio.NewReaderSize(stream, 64<<10)
		head, err := from.Peek(1)
		if err == nil && head[0] != '{' && head[0] != '[' { // which come slowly, maybe
			head, err = from.Peek(tarMagic + len("ustar"))
		}
		objects := audit.Objects(from)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			yield(nil, err)
			return
		case len(head) == 0:
			yield(nil, errors.New("there is nothing in it"))
			return
		case bytes.HasPrefix(head, []byte("\x1f\x8b")) || len(head) > tarMagic && bytes.Equal(head[tarMagic:], []byte("ustar")):
			objects = audit.Tar(from)
		}
		for body, err := range objects {
			if !yield(body, err) {
				return
			}
			if err == nil {
				stream.Alive()
			}
		}
	}
}

// tarMagic is where the header of a tar archive says what it is.
const tarMagic = 257

// unreadable adds that a file, or a part of it, cannot be read.
func (e *env) unreadable(file string, err error) {
	e.report.Summary.Unreadable++
	e.report.Add(unreadable(file, position.Position{}, err.Error()))
}

// maxHeld is how many bytes of objects are held in memory at once.
const maxHeld = 256 << 20

// held returns the objects of dumps. What cannot be read is in the report.
func (e *env) held(dumps []string) (objects []map[string]any) {
	size := 0
	for _, name := range dumps {
		for n, body := range e.dump(name) {
			if size += len(body); size > maxHeld {
				e.unreadable(dumpName(name), fmt.Errorf("the objects are larger than the limit of %d MiB: the rest is not read", maxHeld>>20))
				return objects
			}
			obj, err := unstructured.DecodeJSON(body)
			if err != nil {
				e.unreadable(dumpName(name), fmt.Errorf("object %d: %w", n, err))
				continue
			}
			objects = append(objects, obj)
		}
	}
	return objects
}

// undefined counts an object of a kind without a definition.
func (e *env) undefined(apiVersion, kind string) {
	if isBuiltIn(apiVersion) {
		e.report.Summary.BuiltIn++
		return
	}
	if e.report.Summary.Undefined == nil {
		e.report.Summary.Undefined = map[string]int{}
	}
	e.report.Summary.Undefined[kind+"."+groupOf(apiVersion)]++
}
