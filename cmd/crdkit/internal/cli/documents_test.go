package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// The JSON of a document is not kept if aliases make it much longer than the document, and made again when it is
// needed.
func TestLongJSON(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for text, kept := range map[string]bool{
		"{apiVersion: v1, kind: A, a: &a " + long + ", b: *a}":                           true,
		"{apiVersion: v1, kind: A, a: &a " + long + ", b: [*a, *a, *a, *a, *a, *a, *a]}": false,
	} {
		s := &source{part: yamltext.Split([]byte(text))[0]}
		documents, errs := s.documents()
		require.Empty(t, errs)
		require.Len(t, documents, 1)
		require.Equal(t, kept, documents[0].body != nil)
		require.Equal(t, strings.Count(text, "*a")+1, strings.Count(string(documents[0].json()), long))
	}
}

// A comparison may take more effort if it has objects to compare.
func TestCompatEffort(t *testing.T) {
	require.Equal(t, 30_000, compatEffort(0))
	require.Equal(t, 30_040, compatEffort(2))
}

// The positions of a very large document are not looked up: that would take too much memory.
func TestLargeDocument(t *testing.T) {
	for size, located := range map[int]bool{16 << 20: true, 16<<20 + 1: false} {
		text := `{"a":"` + strings.Repeat("x", size-len(`{"a":""}`)) + `"}`
		s := &source{part: yamltext.Part{Text: []byte(text), JSON: true}}
		require.Equal(t, located, s.locate() != nil, "%d", size)
	}
}
