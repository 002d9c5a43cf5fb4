package requests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A scenario depends on its seed and its number only, and all areas are generated.
func TestGenerate(t *testing.T) {
	areas := map[string]int{}
	for number := range uint64(400) {
		s := Generate(1, number)
		require.Equal(t, fmt.Sprintf("1/%d", number), s.Name)
		require.Equal(t, s, Generate(1, number))
		for _, r := range s.Requests {
			areas[r.Area]++
		}
	}
	for _, area := range []string{"definition", "definition update", "create", "update", "status", "patch", "apply", "read", "scale"} {
		require.Greater(t, areas[area], 20, area)
	}
	require.NotEqual(t, Generate(1, 0).Requests, Generate(2, 0).Requests)
}
