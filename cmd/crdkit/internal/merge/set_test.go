package merge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Keys of a fieldsV1 may be written in another way than by a server.
func TestCanonical(t *testing.T) {
	for key, want := range map[string]string{
		`k:{"b": 1.0, "a": "x"}`: `k:{"a":"x","b":1}`,
		`v:1.0`:                  `v:1`,
		`v:"a:b"`:                `v:"a:b"`,
		`f:1.0`:                  `f:1.0`,
		`k:{`:                    `k:{`,
		`.`:                      `.`,
	} {
		require.Equal(t, want, canonical(key))
	}
}
