package manifest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/manifest"
)

// Documents share the file, which has the text of each at its line and column.
func TestSplitShares(t *testing.T) {
	file := []byte("a: 1\n---\nb: 2\n--- c\n---\n{\"d\": 1}\n{\"e\": \n 1} {}\n")
	documents := manifest.Split(file)
	require.Len(t, documents, 6)
	for _, d := range documents {
		lines := bytes.SplitAfter(file, []byte("\n"))
		require.True(t, bytes.HasPrefix(d.Text, lines[d.Line-1][d.Column-1:][:1]), "%d:%d %q", d.Line, d.Column, d.Text)
	}
	require.False(t, documents[2].JSON)
	require.True(t, documents[3].JSON)
}

// JSON with something behind it, or broken, is one document.
func TestNotJSON(t *testing.T) {
	for _, text := range []string{"{a: 1}", "{\"a\": 1} x", "{\"a\": 1", "[{\"a\": 1}]", "{\"a\": 1}\nb: 1"} {
		documents := manifest.Split([]byte(text))
		require.Len(t, documents, 1, text)
		require.False(t, documents[0].JSON, text)
	}
}

func TestAdvance(t *testing.T) {
	line, column := manifest.Advance(3, 4, []byte("é"))
	require.Equal(t, [2]int{3, 5}, [2]int{line, column})
	line, column = manifest.Advance(3, 4, []byte("é\r\n\nüb"))
	require.Equal(t, [2]int{5, 3}, [2]int{line, column})
}
