package openapi

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// PV3-050: strings are those of encoding/json, with and without its escapes for HTML, with characters at all positions.
func TestStrings(t *testing.T) {
	slow := func(s string, html bool) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		require.NoError(t, enc.Encode(s))
		return strings.TrimSuffix(b.String(), "\n")
	}
	for c := range 256 {
		for at := range 18 {
			s := strings.Repeat("a", at) + string([]byte{byte(c)}) + strings.Repeat("b", 17-at)
			require.Equal(t, slow(s, true), string(formatV3.appendString(nil, s)), "%q", s)
			require.Equal(t, slow(s, false), string(formatV2.appendString(nil, s)), "%q", s)
		}
	}
	for _, s := range []string{"", "é", "日本語日本語", "😀", "a\u2028b\u2029", "\xf0\x28\x8c\x28", strings.Repeat("~ }", 20) + "\n"} {
		require.Equal(t, slow(s, true), string(formatV3.appendString(nil, s)))
	}
	require.Equal(t, "\"\u2028\"", string(formatV2.appendString(nil, "\u2028")))
}

// PV3-050: numbers are those of encoding/json.
func TestFloats(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e6, 1e20, 1e21, 1e22, -1e21, 1e-6, 1e-7, 1.5e-9, 1e-10, 123456789.125, 5e-324, math.MaxFloat64, 1 << 53} {
		got, err := formatV3.appendValue(nil, x, 0)
		require.NoError(t, err)
		require.Equal(t, string(given.JSON(t, x)), string(got))
	}
}
