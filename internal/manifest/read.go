package manifest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// MaxFile is how many bytes of a file are read.
const MaxFile = 64 << 20

// ReadFile reads a file of at most [MaxFile] bytes, whatever its directory says of its size. A regular file that has no
// size is empty: those of /proc may have any number of bytes, or wait for some.
func ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() && info.Size() == 0 {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return read(f, name)
}

// ReadFS is [ReadFile] of a file system, where a file without a size may have content.
func ReadFS(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	return read(f, name)
}

// read reads and closes a file.
func read(f fs.File, name string) ([]byte, error) {
	defer f.Close()
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		data.Grow(int(min(info.Size(), MaxFile)) + bytes.MinRead)
	}
	_, err := data.ReadFrom(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case data.Len() > MaxFile:
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("the file is larger than the limit of 64 MiB")}
	}
	return data.Bytes(), nil
}
