//go:build !race

// The race detector makes sync.Pool forget.

package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// Words that were in the text before cost no memory, but for the lists and maps.
func TestAllocations(t *testing.T) {
	text := []byte(`{"kind":"Lamp","spec":{"image":"lamp:1","kind":"bright"}}`)
	require.Equal(t, 4.0, testing.AllocsPerRun(100, func() { // two maps: a header and a table each
		s := jsonscan.New(text)
		s.Value()
		s.Release()
	}))
}
