package apply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/refusal"
)

func TestShortened(t *testing.T) {
	const more = " ... more is not listed"
	text := strings.Repeat("a", refusal.DefaultBytes-1)
	require.Equal(t, text+"b", shortened(text+"b"))
	require.Equal(t, text+"b"+more, shortened(text+"bc"))
	require.Equal(t, text+more, shortened(text+"ä"), "no character is cut")
	require.Equal(t, text[1:]+"ä", shortened(text[1:]+"ä"))
}
