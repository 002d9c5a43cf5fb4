package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Stream returns a file, a pipe, or standard input ("-") as a stream. Of the [Limits], only Wait applies: see
// [Stream.Alive].
func (r *Reader) Stream(name string) *Stream {
	s := &Stream{wait: r.Limits.Wait, open: func() (io.ReadCloser, error) { return os.Open(name) }}
	if name == Stdin {
		s.open = func() (io.ReadCloser, error) { return io.NopCloser(r.Stdin), nil }
		if r.stdinRead {
			s.err = errors.New("it was read before")
		}
		r.stdinRead = true
	}
	s.Alive()
	return s
}

// streamBuffer is the size of one read from a stream.
const streamBuffer = 256 << 10

// A Stream is read in goroutines. If a read times out, its goroutine is left running.
type Stream struct {
	wait  time.Duration
	alive time.Time
	open  func() (io.ReadCloser, error)

	from   io.ReadCloser
	buffer []byte
	left   []byte // of what was read
	err    error
}

// Alive must be called when something useful has been read. If it is not called for [Limits.Wait], the stream ends with
// an error.
func (s *Stream) Alive() { s.alive = time.Now() }

// A readResult is the result of one read.
type readResult struct {
	from io.ReadCloser
	n    int
	err  error
}

// Read implements [io.Reader].
func (s *Stream) Read(p []byte) (int, error) {
	if len(s.left) == 0 && s.err == nil {
		s.fill()
	}
	if len(s.left) == 0 {
		return 0, s.err
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// fill reads once, and opens the stream before the first time.
func (s *Stream) fill() {
	if s.buffer == nil {
		s.buffer = make([]byte, streamBuffer)
	}
	done := make(chan readResult, 1)
	go func(from io.ReadCloser) {
		if from == nil {
			var err error
			if from, err = s.open(); err != nil {
				done <- readResult{err: cause(err)}
				return
			}
		}
		n, err := from.Read(s.buffer)
		done <- readResult{from, n, cause(err)}
	}(s.from)
	timer := time.NewTimer(s.wait - time.Since(s.alive))
	defer timer.Stop()
	select {
	case o := <-done:
		s.from, s.left, s.err = o.from, s.buffer[:o.n], o.err
		if time.Since(s.alive) < s.wait {
			return
		}
	case <-timer.C:
		s.from = nil // the goroutine still reads or opens it
	}
	s.left, s.err = nil, fmt.Errorf("no object came within %v", s.wait)
}

// Close implements [io.Closer].
func (s *Stream) Close() error {
	if s.from == nil {
		return nil
	}
	return s.from.Close()
}

// Dir returns a directory as a file system whose files are read one after another, as a [Stream] each.
func (r *Reader) Dir(name string) *Dir {
	return &Dir{FS: os.DirFS(name), last: &Stream{wait: r.Limits.Wait}}
}

// A Dir is a file system for streams.
type Dir struct {
	fs.FS
	last *Stream
}

// Alive calls [Stream.Alive] of the file that was opened last.
func (d *Dir) Alive() { d.last.Alive() }

// Open implements [fs.FS].
func (d *Dir) Open(name string) (fs.File, error) {
	f, err := d.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return f, err
	}
	next := &Stream{wait: d.last.wait, from: f}
	if d.last.from != nil { // no goroutine is left that reads into the buffer
		next.buffer = d.last.buffer
	}
	d.last = next
	next.Alive()
	return &dirFile{f, next}, nil
}

// A dirFile is a file that is read as a stream.
type dirFile struct {
	fs.File
	stream *Stream
}

// Read implements [io.Reader].
func (f *dirFile) Read(p []byte) (int, error) { return f.stream.Read(p) }

// Close implements [io.Closer].
func (f *dirFile) Close() error { return f.stream.Close() }
