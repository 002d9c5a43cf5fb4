package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is a part of the argument, or the argument, is not copied.
func TestNoAllocs(t *testing.T) {
	s := "some ASCII, aé世🙂, and more of it"
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_, _ = CharAt(s, 13)
		_, _ = Substring(s, 13)
		_, _ = SubstringTo(s, 13, 20)
		_, _ = IndexOfFrom(s, "of", 3)
		_, _ = LastIndexOfFrom(s, "of", 30)
		_, _ = Replace(s, "not there", "x")
		_ = IndexOf(s, "世")
		_ = LastIndexOf(s, "世")
		_ = Trim(s)
		_ = LowerASCII("lower 世")
		_ = UpperASCII("UPPER 世")
		_ = Len(s)
	}))
}
