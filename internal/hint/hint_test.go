package hint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	words := []string{"replicas", "revision", strings.Repeat("a", 64), strings.Repeat("b", 65)}
	for word, want := range map[string]string{
		"replica":                     "replicas",
		"Replicas":                    "replicas",
		"rpelicas":                    "replicas",
		"replicas":                    "", // not misspelt
		"revisoin":                    "revision",
		"replacement":                 "",
		strings.Repeat("a", 63):       strings.Repeat("a", 64),
		strings.Repeat("a", 63) + "c": strings.Repeat("a", 64),
		strings.Repeat("a", 65):       "", // too long to be compared
		strings.Repeat("b", 64):       "",
	} {
		require.Equal(t, want, Nearest(word, words), word)
	}
}
