package quantity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What 1.38 reads in another way, and what it does not.
func TestParseLong(t *testing.T) {
	for _, c := range []struct {
		in      string
		before  bool // it was an integer before
		integer bool
		equals  string // for Parse
	}{
		{"9223372036854775807", false, true, "9223372036854775807"},
		{"-9223372036854775808", false, true, "-9223372036854775808"},
		{"0001000000000000000000", false, true, "1e18"},
		{"9223372036854775.807k", false, true, "9223372036854775807"},
		{"922337203685477580.7e1", false, true, "9223372036854775807"},
		{"922337203685477580", true, true, "922337203685477580"},
		{"9223372036854775808", false, false, "9223372036854775808"},
		{"9000000000000000000.0", false, false, "9e18"},
		{"9007199254740991Ki", false, false, "9007199254740991Ki"},
		{"1000000000000000000000m", false, false, "1e18"},
		{"12345678901234567890123456789", false, false, "12345678901234567890123456789"},
		{"123456789012345678901234567890", false, false, "123456789012345678901234567890"},
		{"123456789012345678901234567891", false, false, "123456789012345678901234567900"},
		{"-123456789012345678901234567891", false, false, "-123456789012345678901234567900"},
		{strings.Repeat("9", 30), false, false, "1e30"},
		{"12345678901234567890123456.7891", false, false, "12345678901234567890123456.790"},
		{"000" + strings.Repeat("1", 29) + ".5", false, false, strings.Repeat("1", 28) + "2"},
	} {
		t.Run(c.in, func(t *testing.T) {
			require.Equal(t, c.before, parse(t, c.in).IsInteger())
			q, err := ParseLong(c.in)
			require.NoError(t, err)
			require.Equal(t, c.integer, q.IsInteger())
			require.True(t, q.Equal(parse(t, c.equals)))
		})
	}
	for _, in := range []string{"", "x", "Ei", ".e-20", "1x"} {
		_, want := Parse(in)
		_, err := ParseLong(in)
		require.Error(t, err)
		require.Equal(t, want, err)
	}
}
