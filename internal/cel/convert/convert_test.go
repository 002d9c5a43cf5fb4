package convert

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// CLI-072, CMS-022.
func TestFromText(t *testing.T) {
	for s, want := range map[string]int64{"5": 5, "+5": 5, "-5": -5, "007": 7, "-9223372036854775808": math.MinInt64} {
		got, err := TextToInt(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for _, s := range []string{"", " 5", "5.0", "0x5", "1_0", "9223372036854775808", "-"} {
		_, err := TextToInt(s)
		require.EqualError(t, err, "type conversion error from 'string' to 'int'", s)
	}
	for s, want := range map[string]uint64{"5": 5, "18446744073709551615": math.MaxUint64} {
		got, err := TextToUint(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for _, s := range []string{"", "+5", "-5", "18446744073709551616"} {
		_, err := TextToUint(s)
		require.EqualError(t, err, "type conversion error from 'string' to 'uint'", s)
	}
	for s, want := range map[string]float64{"1.5": 1.5, "inf": math.Inf(1), "-Infinity": math.Inf(-1), "0x1p4": 16, "1e-400": 0, ".5": 0.5, "1_0": 10} {
		got, err := TextToDouble(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for _, s := range []string{"", "1e400", "1,5"} {
		_, err := TextToDouble(s)
		require.EqualError(t, err, "type conversion error from 'string' to 'double'", s)
	}
	for _, s := range []string{"true", "TRUE", "True", "t", "T", "1"} {
		got, err := TextToBool(s)
		require.NoError(t, err, s)
		require.True(t, got, s)
	}
	for _, s := range []string{"false", "FALSE", "False", "f", "F", "0"} {
		got, err := TextToBool(s)
		require.NoError(t, err, s)
		require.False(t, got, s)
	}
	for _, s := range []string{"", "tRue", "yes", "01"} {
		_, err := TextToBool(s)
		require.EqualError(t, err, "type conversion error from 'string' to 'bool'", s)
	}
}

// CMS-022.
func TestBytesToText(t *testing.T) {
	s, err := BytesToText([]byte("é"))
	require.NoError(t, err)
	require.Equal(t, "é", s)
	_, err = BytesToText([]byte{'a', 0xff})
	require.EqualError(t, err, "invalid UTF-8 in bytes, cannot convert to string")
}

// CLI-072, CMS-022.
func TestNumbers(t *testing.T) {
	two63, two64 := math.Ldexp(1, 63), math.Ldexp(1, 64)
	for x, want := range map[float64]int64{2.9: 2, -2.9: -2, 0: 0, math.Nextafter(two63, 0): 1<<63 - 1024, math.Nextafter(-two63, 0): -1<<63 + 1024} {
		got, err := DoubleToInt(x)
		require.NoError(t, err, "%g", x)
		require.Equal(t, want, got, "%g", x)
	}
	for _, x := range []float64{two63, -two63, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := DoubleToInt(x)
		require.EqualError(t, err, "integer overflow", "%g", x)
	}
	for x, want := range map[float64]uint64{2.9: 2, math.Copysign(0, -1): 0, math.Nextafter(two64, 0): 1<<64 - 2048} {
		got, err := DoubleToUint(x)
		require.NoError(t, err, "%g", x)
		require.Equal(t, want, got, "%g", x)
	}
	for _, x := range []float64{two64, -0.5, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := DoubleToUint(x)
		require.EqualError(t, err, "unsigned integer overflow", "%g", x)
	}

	u, err := IntToUint(math.MaxInt64)
	require.NoError(t, err)
	require.Equal(t, uint64(math.MaxInt64), u)
	_, err = IntToUint(-1)
	require.EqualError(t, err, "unsigned integer overflow")
	i, err := UintToInt(math.MaxInt64)
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), i)
	_, err = UintToInt(math.MaxInt64 + 1)
	require.EqualError(t, err, "integer overflow")
}

// CLI-072.
func TestToText(t *testing.T) {
	for x, want := range map[float64]string{
		2.5: "2.5", 3: "3", 999999: "999999", 1e6: "1e+06", 1e8: "1e+08", 123456789: "1.23456789e+08", 1e21: "1e+21", 0.0001: "0.0001", 0.00001: "1e-05",
		math.Inf(1): "+Inf", math.Inf(-1): "-Inf",
	} {
		require.Equal(t, want, DoubleToText(x))
	}
	require.Equal(t, "NaN", DoubleToText(math.NaN()))
}

// The number in a text prints as a text for the same number.
func FuzzTextToDouble(f *testing.F) {
	for _, s := range []string{"1.5", "-0", "0x1p-1074", "1e308", "NaN", "1_0", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := TextToDouble(s)
		if err != nil {
			require.Equal(t, errTextToDouble, err)
			return
		}
		again, err := TextToDouble(DoubleToText(x))
		require.NoError(t, err)
		require.True(t, x == again || math.IsNaN(x) && math.IsNaN(again))
		if n, err := DoubleToInt(x); err == nil {
			require.Equal(t, math.Trunc(x), float64(n))
		}
	})
}
