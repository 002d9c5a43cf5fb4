//go:build !race

// The race detector makes sync.Pool forget.

package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

var kept any // on the heap

// Words that were in the text before cost no memory: an object takes that of its maps.
func TestAllocations(t *testing.T) {
	text := []byte(`{"kind":"Lamp","spec":{"image":"lamp:1","kind":"bright"}}`)
	maps := testing.AllocsPerRun(100, func() {
		spec, obj := make(map[string]any), make(map[string]any)
		spec["image"], spec["kind"] = "lamp:1", "bright"
		obj["kind"], obj["spec"] = "Lamp", spec
		kept = obj
	})
	require.Equal(t, maps, testing.AllocsPerRun(100, func() {
		s := jsonscan.New(text)
		kept = s.Value()
		s.Release()
	}))
}
