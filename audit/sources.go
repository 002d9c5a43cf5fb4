package audit

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
)

// Tar returns the objects of the files in a tar archive, which may be compressed with gzip: those of [Objects] of each
// file whose name ends with .json, .ndjson, .jsonl, .yaml or .yml, in the archive's order. Errors begin with the name
// of the file. An archive without any file is an error, unless it is empty.
func Tar(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReader(r)
		var archive io.Reader = in
		magic, _ := in.Peek(2)
		if string(magic) == "\x1f\x8b" {
			unpacked, err := gzip.NewReader(in)
			if err != nil {
				yield(nil, err)
				return
			}
			archive = unpacked
		}
		files := tar.NewReader(archive)
		for any := len(magic) == 0; ; any = true {
			header, err := files.Next()
			if errors.Is(err, io.EOF) && any {
				return
			}
			if errors.Is(err, io.EOF) { // for example, all bytes are zero
				err = errors.New("the archive has no files")
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if header.Typeflag == tar.TypeReg && hasObjects(header.Name) && !inFile(header.Name, files, yield) {
				return
			}
		}
	}
}

// Dir returns the objects of the files in a file system, such as os.DirFS of a directory: those of [Objects] of each
// file whose name ends with .json, .ndjson, .jsonl, .yaml or .yml, by their paths in byte order of the names. Errors
// begin with the path of the file.
func Dir(files fs.FS) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			var file fs.File
			if err == nil {
				if !entry.Type().IsRegular() || !hasObjects(name) {
					return nil
				}
				file, err = files.Open(name)
			}
			if err != nil {
				if !yield(nil, fmt.Errorf("%s: %w", name, err)) {
					return fs.SkipAll
				}
				return nil
			}
			defer file.Close()
			if !inFile(name, file, yield) {
				return fs.SkipAll
			}
			return nil
		})
	}
}

func hasObjects(name string) bool {
	return slices.Contains([]string{".json", ".ndjson", ".jsonl", ".yaml", ".yml"}, path.Ext(name))
}

// inFile yields the objects of one file, and reports whether more are wanted.
func inFile(name string, r io.Reader, yield func([]byte, error) bool) bool {
	for body, err := range Objects(r) {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if !yield(body, err) {
			return false
		}
	}
	return true
}
