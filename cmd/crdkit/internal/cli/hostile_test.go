package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
)

// Files with very many findings take memory in proportion to their size: all faults in one line, a document for each fault, one list.
func TestManyFindings(t *testing.T) {
	crd := parseScript(string(readFile(t, "testdata/validate.txtar"))).files["crd.yaml"]
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
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("crd.yaml", []byte(crd), 0o644))
	for name, text := range map[string]string{"line.json": line.String(), "documents.yaml": documents.String(), "list.yaml": list.String()} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
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
