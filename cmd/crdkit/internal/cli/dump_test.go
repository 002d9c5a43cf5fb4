package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func gadget(name string) string {
	return fmt.Sprintf(`{"apiVersion": "example.org/v1", "kind": "Gadget", "metadata": {"name": %q, "namespace": "default"}}`+"\n", name)
}

// auditedText runs audit with some names, and returns what it prints and its exit code.
func auditedText(stdin io.Reader, args ...string) (string, int) {
	var out bytes.Buffer
	code := Main(append([]string{"audit", "-crd", "crd.yaml"}, args...), stdin, &out, &out)
	return out.String(), code
}

// A dump is the same from a file, a directory, an archive, a compressed one, and standard input.
func TestDumps(t *testing.T) {
	enter(t, scriptFile(t, "audit.txtar", "gadgets.yaml"))
	var archive, zipped bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range []string{"a.ndjson", "b.json", "notes.txt"} {
		text := gadget(name)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "d/" + name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX}))
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
		write(t, filepath.Join("d", name), text)
	}
	require.NoError(t, w.Close())
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(archive.Bytes())
	require.NoError(t, err)
	require.NoError(t, z.Close())
	write(t, "d.tar", archive.String())
	write(t, "d.tgz", zipped.String())
	write(t, "d.ndjson", gadget("a")+gadget("b"))
	for _, c := range []struct {
		name  string
		stdin []byte
	}{{"d", nil}, {"d.tar", nil}, {"d.tgz", nil}, {"d.ndjson", nil}, {"-", archive.Bytes()}, {"-", zipped.Bytes()}, {"-", []byte(gadget("a") + gadget("b"))}} {
		out, code := auditedText(bytes.NewReader(c.stdin), c.name)
		require.Equal(t, "gadgets.example.org: 2 objects, 2 clean, 0 changed, 0 broken\n1 definition, 2 objects\n", progressLine.ReplaceAllString(out, ""), c.name)
		require.Zero(t, code)
	}
	out, code := auditedText(bytes.NewReader(zipped.Bytes()[:len(zipped.Bytes())/2]), "-")
	require.Contains(t, out, "<stdin>: error: ")
	require.Equal(t, 2, code)
}

// endless is a stream that never ends. It sends its text again and again, or nothing at all.
type endless struct {
	text  string
	pause time.Duration
}

func (e endless) Read(p []byte) (int, error) {
	time.Sleep(e.pause)
	return copy(p, e.text), nil
}

// A stream may take as long as it likes while objects come, and no longer than the time limit if none do.
func TestEndlessDumps(t *testing.T) {
	enter(t, scriptFile(t, "audit.txtar", "gadgets.yaml"))
	for _, c := range []struct {
		stdin io.Reader
		want  string
	}{
		{endless{"", 24 * time.Hour}, "<stdin>: error: no object came within 1m0s\n"},
		{endless{"\n", time.Second}, "<stdin>: error: no object came within 1m0s\n"},
		{endless{"\x00", time.Second}, "no object came within 1m0s\n"},
		{endless{"[[[[", time.Second}, "no object came within 1m0s\n"},
		{endless{"--- 5\n", time.Second}, "no object came within 1m0s\n"},
		{io.MultiReader(endlessFor(gadget("a"), 100, 50*time.Second), endless{" ", time.Second}), "100 objects, 100 clean"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			out, code := auditedText(c.stdin, "-")
			require.Contains(t, out, c.want)
			require.Equal(t, 2, code)
			if !strings.HasPrefix(c.want, "100") {
				require.Less(t, time.Since(start), 2*time.Minute)
			}
			require.Contains(t, out, "crdkit: ", "progress")
			time.Sleep(48 * time.Hour) // until the read that was left behind ends
		})
	}
}

// endlessFor returns a text some times, with pauses.
func endlessFor(text string, times int, pause time.Duration) io.Reader {
	var all []io.Reader
	for range times {
		all = append(all, io.LimitReader(endless{text, pause}, int64(len(text))))
	}
	return io.MultiReader(all...)
}

// A lot of what cannot be read is counted, but not all of it is listed, and does not stop the rest.
func TestDamagedDump(t *testing.T) {
	enter(t, scriptFile(t, "audit.txtar", "gadgets.yaml"))
	out, code := auditedText(strings.NewReader(strings.Repeat("{x\n", 20_000)+gadget("a")), "-")
	require.Equal(t, 2, code)
	require.Contains(t, out, "and 10000 more\n")
	require.Contains(t, out, "1 object, 1 clean")
	require.Contains(t, out, "20000 inputs that cannot be read")
}
