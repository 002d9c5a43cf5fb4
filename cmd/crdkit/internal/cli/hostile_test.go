package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
)

// Files with very many findings take memory in proportion to their size: all faults in one line, a document for each
// fault, one list.
func TestManyFindings(t *testing.T) {
	crd := scriptFile(t, "validate.txtar", "crd.yaml")
	crd = strings.Replace(crd, "                maxItems: 10\n", "", 1)
	const faults = 4000
	const head = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w%d"},"spec":{"name":"x",`
	var line, documents, list strings.Builder
	fmt.Fprintf(&line, head+`"parts":[`, 0)
	list.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range faults {
		if i > 0 {
			line.WriteString(",")
		}
		fmt.Fprintf(&line, `{"id":%d}`, i)
		fmt.Fprintf(&documents, head+"\"high\":\"x\"}}\n---\n", i)
		fmt.Fprintf(&list, "- "+head+"\"high\":\"x\"}}\n", i)
	}
	line.WriteString("]}}\n")
	enter(t, crd)
	for name, text := range map[string]string{"line.json": line.String(), "documents.yaml": documents.String(), "list.yaml": list.String()} {
		t.Run(name, func(t *testing.T) {
			write(t, name, text)
			var out bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.Equal(t, 1, Main([]string{"validate", "-crd", "crd.yaml", "-o", "json", name}, nil, &out, &bytes.Buffer{}))
			runtime.ReadMemStats(&after)
			var got struct{ Summary report.Summary }
			require.NoError(t, json.Unmarshal(out.Bytes(), &got))
			require.GreaterOrEqual(t, got.Summary.Findings.Errors, faults)
			// A copy of the file for each finding would be faults times its size, more than a gigabyte.
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(96<<10*faults), "%d bytes for %d of input", after.TotalAlloc-before.TotalAlloc, len(text))
		})
	}
}

// The place of each finding is found without reading the comments above the object again.
func TestManyFindingsBelowComments(t *testing.T) {
	enter(t, scriptFile(t, "validate.txtar", "crd.yaml"))
	var text bytes.Buffer
	text.WriteString(strings.Repeat("# c\n", 500_000) + "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  name: x\n  parts:\n" + strings.Repeat("  - 1\n", 2000))
	for i := range 2000 {
		fmt.Fprintf(&text, "  u%d: 1\n", i)
	}
	write(t, "w.yaml", text.String())
	start := time.Now()
	require.Equal(t, 1, Main([]string{"validate", "-crd", "crd.yaml", "w.yaml"}, nil, io.Discard, io.Discard))
	require.Less(t, time.Since(start), 10*time.Second)
}

// What cannot be read has a clear message and exit code 2, does not stop the rest, and takes memory in proportion to
// what is read.
func TestHostileInput(t *testing.T) {
	enter(t, scriptFile(t, "audit.txtar", "gadgets.yaml"))
	bomb := "apiVersion: example.org/v1\nkind: Gadget\nmetadata: {name: a}\na0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	write(t, "bomb/a.yaml", bomb)
	random := rand.New(rand.NewPCG(1, 2))
	binary := make([]byte, 1<<20)
	for i := range binary {
		binary[i] = byte(random.Uint32())
	}
	write(t, "binary/a.yaml", string(binary))
	write(t, "zeros/a.yaml", strings.Repeat("\x00", 1<<20))
	write(t, "deep/a.yaml", "a: "+strings.Repeat("[", 1<<20))
	write(t, "deep/b.json", strings.Repeat(`{"a":`, 1<<18))
	write(t, "large/a.yaml", "")
	require.NoError(t, os.Truncate("large/a.yaml", 100<<20)) // without taking room on the disk
	want := map[string]string{
		"bomb": "bomb/a.yaml:1:1: error: yaml: document contains excessive aliasing\n", "binary": "binary/a.yaml:1:1: error: yaml: ",
		"zeros": "zeros/a.yaml:1:1: error: yaml: control characters are not allowed\n",
		"deep":  "deep/a.yaml:1:1: error: yaml: exceeded max depth of 10000\n", "large": "large/a.yaml: error: the file is larger than the limit of 64 MiB\n",
	}
	if err := os.MkdirAll("links/a/b", 0o755); err == nil && os.Symlink("..", "links/a/up") == nil {
		require.NoError(t, os.Symlink("../..", "links/a/b/top"))
		require.NoError(t, os.Symlink("self.yaml", "links/self.yaml"))
		want["links"] = "links/a/up: error: the link leads back to a directory around it\n"
	}
	write(t, "closed/a/a.yaml", "")
	require.NoError(t, os.Chmod("closed/a", 0))
	t.Cleanup(func() { _ = os.Chmod("closed/a", 0o700) })
	if _, err := os.ReadDir("closed/a"); err != nil { // nothing is closed to root
		want["closed"] = "closed/a: error: permission denied\n"
	}
	// The sizes of files in /proc are 0: one has gigabytes, and the other one waits for messages.
	if os.MkdirAll("pagemap", 0o755) == nil && os.Symlink("/proc/self/pagemap", "pagemap/x.yaml") == nil {
		if f, err := os.Open("pagemap/x.yaml"); err == nil {
			require.NoError(t, f.Close())
			want["pagemap"] = "pagemap/x.yaml: error: "
		}
	}
	if os.MkdirAll("kmsg", 0o755) == nil && os.Symlink("/proc/kmsg", "kmsg/x.yaml") == nil {
		if f, err := os.Open("kmsg/x.yaml"); err == nil {
			require.NoError(t, f.Close())
			want["kmsg"] = "kmsg/x.yaml: error: "
		}
	}
	if mkfifo, err := exec.LookPath("mkfifo"); err == nil && exec.Command(mkfifo, "pipe").Run() == nil {
		want["pipe"] = "pipe: error: it did not end within 500ms\n"
	}
	// Long enough for the rest, on a busy machine, too.
	endless := map[string]string{"pipe": "500ms", "kmsg": "500ms", "pagemap": "100ms"}
	for name, message := range want {
		for _, command := range []string{"validate", "check", "versions", "cost"} {
			var out bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			code := Main([]string{command, "-timeout", cmp.Or(endless[name], "1m"), "crd.yaml", name}, nil, &out, &bytes.Buffer{})
			runtime.ReadMemStats(&after)
			require.Equal(t, 2, code, "%s %s", command, name)
			require.Contains(t, out.String(), message, command)
			require.Contains(t, out.String(), "1 definition", "the rest is validated")
			// A file of the greatest size fills a buffer that doubles: together, the buffers have four times the size.
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(320<<20), "%s %s", command, name)
		}
	}
}

// Many files take memory in proportion to their sizes, and are all read.
func TestManyFiles(t *testing.T) {
	enter(t, scriptFile(t, "audit.txtar", "gadgets.yaml"))
	const files = 2000 // 100,000 take as much for each
	for i := range files {
		write(t, fmt.Sprintf("many/%d/%d.json", i%10, i), gadget(fmt.Sprint("g", i)))
	}
	for _, command := range []string{"validate", "audit"} {
		var out bytes.Buffer
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.Zero(t, Main([]string{command, "-crd", "crd.yaml", "many"}, nil, &out, &bytes.Buffer{}))
		runtime.ReadMemStats(&after)
		require.Contains(t, out.String(), "2000 objects")
		// Package audit has a buffer for each file.
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)/files, uint64(256<<10), command)
	}
}
