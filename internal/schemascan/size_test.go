package schemascan

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/schema"
)

// The runtime keeps eight bytes of the 32 KiB for itself.
func TestMostMade(t *testing.T) {
	if strconv.IntSize != 64 {
		t.Skip("made to measure where pointers have eight bytes")
	}
	one := int(reflect.TypeFor[schema.JSONSchemaProps]().Size())
	require.LessOrEqual(t, maxBatch*one, 32<<10-8)
	require.Greater(t, (maxBatch+1)*one, 32<<10-8)
}
