package eval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireConversion checks what some inputs are converted to, and that the others are refused with that message.
func requireConversion[From string | float64 | int64 | uint64, To any](t *testing.T, convert func(From) (To, error), want map[From]To, message string, refused ...From) {
	t.Helper()
	for in, out := range want {
		got, err := convert(in)
		require.NoError(t, err, "%v", in)
		require.Equal(t, out, got, "%v", in)
	}
	for _, in := range refused {
		_, err := convert(in)
		require.EqualError(t, err, message, "%v", in)
	}
}

// CLI-072, CMS-022.
func TestConvertText(t *testing.T) {
	requireConversion(t, textToInt, map[string]int64{"5": 5, "+5": 5, "-5": -5, "007": 7, "-9223372036854775808": math.MinInt64},
		"type conversion error from 'string' to 'int'", "", " 5", "5.0", "0x5", "1_0", "9223372036854775808", "-")
	requireConversion(t, textToUint, map[string]uint64{"5": 5, "18446744073709551615": math.MaxUint64},
		"type conversion error from 'string' to 'uint'", "", "+5", "-5", "18446744073709551616")
	requireConversion(t, textToDouble,
		map[string]float64{"1.5": 1.5, "inf": math.Inf(1), "-Infinity": math.Inf(-1), "0x1p4": 16, "1e-400": 0, ".5": 0.5, "1_0": 10},
		"type conversion error from 'string' to 'double'", "", "1e400", "1,5")
	requireConversion(t, textToBool, map[string]bool{
		"true": true, "TRUE": true, "True": true, "t": true, "T": true, "1": true,
		"false": false, "FALSE": false, "False": false, "f": false, "F": false, "0": false,
	}, "type conversion error from 'string' to 'bool'", "", "tRue", "yes", "01")
}

// CMS-022.
func TestBytesToText(t *testing.T) {
	s, err := bytesToText([]byte("é"))
	require.NoError(t, err)
	require.Equal(t, "é", s)
	_, err = bytesToText([]byte{'a', 0xff})
	require.EqualError(t, err, "invalid UTF-8 in bytes, cannot convert to string")
}

// CLI-072, CMS-022.
func TestConvertNumbers(t *testing.T) {
	two63, two64 := math.Ldexp(1, 63), math.Ldexp(1, 64)
	requireConversion(t, doubleToInt,
		map[float64]int64{2.9: 2, -2.9: -2, 0: 0, math.Nextafter(two63, 0): 1<<63 - 1024, math.Nextafter(-two63, 0): -1<<63 + 1024},
		"integer overflow", two63, -two63, 1e300, math.NaN(), math.Inf(1), math.Inf(-1))
	requireConversion(t, doubleToUint, map[float64]uint64{2.9: 2, math.Copysign(0, -1): 0, math.Nextafter(two64, 0): 1<<64 - 2048},
		"unsigned integer overflow", two64, -0.5, -1, math.NaN(), math.Inf(1), math.Inf(-1))
	requireConversion(t, intToUint, map[int64]uint64{math.MaxInt64: math.MaxInt64}, "unsigned integer overflow", -1)
	requireConversion(t, uintToInt, map[uint64]int64{math.MaxInt64: math.MaxInt64}, "integer overflow", math.MaxInt64+1)
}

// CLI-072.
func TestDoubleToText(t *testing.T) {
	for x, want := range map[float64]string{
		2.5: "2.5", 3: "3", 999999: "999999", 1e6: "1e+06", 1e8: "1e+08", 123456789: "1.23456789e+08", 1e21: "1e+21", 0.0001: "0.0001", 0.00001: "1e-05",
		math.Inf(1): "+Inf", math.Inf(-1): "-Inf",
	} {
		require.Equal(t, want, doubleToText(x))
	}
	require.Equal(t, "NaN", doubleToText(math.NaN()))
}

// The number in a text prints as a text for the same number.
func FuzzTextToDouble(f *testing.F) {
	for _, s := range []string{"1.5", "-0", "0x1p-1074", "1e308", "NaN", "1_0", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := textToDouble(s)
		if err != nil {
			require.Equal(t, errTextToDouble, err)
			return
		}
		again, err := textToDouble(doubleToText(x))
		require.NoError(t, err)
		require.True(t, x == again || math.IsNaN(x) && math.IsNaN(again))
		if n, err := doubleToInt(x); err == nil {
			require.Equal(t, math.Trunc(x), float64(n))
		}
	})
}
