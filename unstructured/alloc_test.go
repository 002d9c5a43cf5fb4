//go:build !race

// The race detector makes sync.Pool forget.

package unstructured_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

var kept map[string]any // on the heap

// Keys that were in the text before cost no memory, and neither does a value that comes again: an object takes that of
// its maps, and of each of its strings once.
func TestAllocations(t *testing.T) {
	text := []byte(`{"kind":"Lamp","spec":{"image":"Lamp","kind":"Lamp"}}`)
	maps := testing.AllocsPerRun(100, func() {
		spec, obj := make(map[string]any), make(map[string]any)
		spec["image"], spec["kind"] = "Lamp", "Lamp"
		obj["kind"], obj["spec"] = "Lamp", spec
		kept = obj
	})
	const lamp = 2 // the bytes of the string, and the string as a value
	require.Equal(t, maps+lamp, testing.AllocsPerRun(100, func() {
		kept, _ = unstructured.DecodeJSON(text)
	}))
}
