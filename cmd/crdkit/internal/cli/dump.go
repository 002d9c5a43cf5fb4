package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/unstructured"
)

// dumpHelp is the usage text about dumps.
const dumpHelp = `DUMP has objects as kubectl get -A -o json prints them, or NDJSON, or YAML: a file, a directory with those below
it, a tar archive that may be compressed with gzip, or - for standard input. It is read as a stream, so its size
does not matter.`

// readDump returns the objects of a dump as JSON, each with its number from 1. What cannot be read is reported. The
// text of an object is valid until the next one.
func (e *env) readDump(name string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		shown, n := dumpName(name), 0
		e.report.Summary.Files++
		for body, err := range e.dumpObjects(name) {
			n++
			if err != nil {
				e.addUnreadable(shown, err)
			} else if !yield(n, body) {
				return
			}
		}
	}
}

// dumpName returns the name of a dump in reports.
func dumpName(name string) string {
	if name == input.Stdin {
		return input.StdinName
	}
	return filepath.ToSlash(name)
}

// dumpObjects returns the objects of a dump, and errors for what cannot be read.
func (e *env) dumpObjects(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if name != input.Stdin && isDirectory(name) {
			dir := e.reader.Dir(name)
			for body, err := range audit.Dir(dir) {
				if !yield(body, err) {
					return
				}
				dir.Alive()
			}
			return
		}
		stream := e.reader.Stream(name)
		defer stream.Close()
		from := bufio.NewReaderSize(stream, 64<<10)
		head, err := from.Peek(1)
		if err == nil && head[0] != '{' && head[0] != '[' { // JSON may come slowly: do not wait for more of it
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

// tarMagic is the offset of the magic bytes in a tar archive.
const tarMagic = 257

// addUnreadable reports that a file, or a part of it, cannot be read.
func (e *env) addUnreadable(file string, err error) {
	e.report.Summary.Unreadable++
	e.report.Add(unreadableFinding(file, err))
}

// maxObjectBytes is the size of the objects of dumps that readObjects keeps in memory.
const maxObjectBytes = 256 << 20

// readObjects returns the objects of dumps. What cannot be read is reported.
func (e *env) readObjects(dumps []string) (objects []map[string]any) {
	size := 0
	for _, name := range dumps {
		for n, body := range e.readDump(name) {
			if size += len(body); size > maxObjectBytes {
				e.addUnreadable(dumpName(name), fmt.Errorf("the objects are larger than the limit of %d MiB: the rest is not read", maxObjectBytes>>20))
				return objects
			}
			obj, err := unstructured.DecodeJSON(body)
			if err != nil {
				e.addUnreadable(dumpName(name), fmt.Errorf("object %d: %w", n, err))
				continue
			}
			objects = append(objects, obj)
		}
	}
	return objects
}
