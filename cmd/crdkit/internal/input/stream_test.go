package input

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStream(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 3*streamBuffer/16)
	tree(t, map[string]string{"large": string(large), "empty": ""})
	r := &Reader{Stdin: iotest.OneByteReader(bytes.NewReader([]byte("in"))), Limits: DefaultLimits}
	for name, want := range map[string]string{"large": string(large), "empty": "", "-": "in"} {
		s := r.Stream(name)
		got, err := io.ReadAll(iotest.HalfReader(s))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		n, err := s.Read(make([]byte, 1))
		require.Zero(t, n)
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, s.Close())
	}
	for name, want := range map[string]string{"-": "it was read before", "none": "no such file or directory", ".": "is a directory"} {
		s := r.Stream(name)
		_, err := s.Read(make([]byte, 1))
		require.EqualError(t, err, want)
		require.NoError(t, s.Close())
	}
	require.Equal(t, []File{}, append([]File{}, r.Read("-")...), "standard input has been read")
}

// An error comes after what was read before it.
func TestStreamError(t *testing.T) {
	failed := &os.PathError{Op: "read", Path: "x", Err: errors.New("the disk is broken")}
	s := (&Reader{Stdin: io.MultiReader(bytes.NewReader([]byte("in")), iotest.ErrReader(failed)), Limits: DefaultLimits}).Stream(Stdin)
	got, err := io.ReadAll(s)
	require.Equal(t, "in", string(got))
	require.EqualError(t, err, "the disk is broken")
}

// A slow reader has a line every so often.
type slow struct{ pause time.Duration }

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return copy(p, "x"), nil
}

// A stream ends if nothing comes for too long, or if nothing of use does.
func TestStreamWait(t *testing.T) {
	limits := Limits{Wait: time.Minute}
	synctest.Test(t, func(t *testing.T) {
		s := (&Reader{Stdin: slow{time.Hour}, Limits: limits}).Stream(Stdin)
		start := time.Now()
		_, err := io.ReadAll(s)
		require.EqualError(t, err, "no object came within 1m0s")
		require.Equal(t, time.Minute, time.Since(start))
		require.NoError(t, s.Close())
		time.Sleep(2 * time.Hour) // until the read that was left behind ends
	})
	synctest.Test(t, func(t *testing.T) {
		s := (&Reader{Stdin: slow{time.Second}, Limits: limits}).Stream(Stdin)
		got, err := io.ReadAll(s)
		require.EqualError(t, err, "no object came within 1m0s")
		require.Len(t, got, 59)
	})
	synctest.Test(t, func(t *testing.T) {
		s := (&Reader{Stdin: slow{59 * time.Second}, Limits: limits}).Stream(Stdin)
		for range 10 {
			s.Alive()
			n, err := s.Read(make([]byte, 9))
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
	})
}
