package plan

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// floats returns floats of all sizes, and those around the limits.
func floats(r *rand.Rand) []float64 {
	fs := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 1, 1e15, 1e16, 1e300, -1e300, math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32}
	for _, limit := range []float64{1 << 31, 1 << 53, 1 << 62, 1 << 63, math.MaxFloat32, 3.4028235677973366e38} {
		for _, f := range []float64{limit, -limit} {
			fs = append(fs, f, math.Nextafter(f, 0), math.Nextafter(f, 2*f), f+1, f-1, f+0.5, f-0.5)
		}
	}
	for range 20000 {
		f := math.Float64frombits(r.Uint64())
		fs = append(fs, f, math.Trunc(f), float64(r.Int64()), float64(r.Int64N(1<<54)), math.Ldexp(r.Float64(), r.IntN(70)), float64(r.IntN(1000))*(1+1e-9*(r.Float64()*4-2)))
	}
	return fs
}

// VAL-020 says it of the number's decimal text.
func TestRangeHoldsWhatItsTextDoes(t *testing.T) {
	parses := map[Range]func(text string) error{
		RangeInt32: func(text string) error { _, err := strconv.ParseInt(text, 10, 32); return err },
		RangeInt64: func(text string) error { _, err := strconv.ParseInt(text, 10, 64); return err },
		RangeInt:   func(text string) error { _, err := strconv.ParseInt(text, 10, 64); return err },
		RangeFloat: func(text string) error { _, err := strconv.ParseFloat(text, 32); return err },
		RangeAny:   func(string) error { return nil },
	}
	for _, f := range floats(rand.New(rand.NewPCG(1, 1))) {
		if f-f != 0 {
			continue // no JSON number
		}
		text := strconv.FormatFloat(f, 'f', -1, 64)
		for r, parse := range parses {
			if want := parse(text) == nil; want != r.holds(f) {
				require.Equal(t, want, r.holds(f), "%v as range %d", f, r)
			}
		}
	}
}

// VAL-011, word for word.
func TestFloatKind(t *testing.T) {
	whole := func(f float64) bool {
		if math.IsNaN(f) || math.IsInf(f, 0) || f < -(1<<53-1) || f > 1<<53-1 {
			return false
		}
		r := math.Round(f)
		return f == r || r != 0 && math.Abs(f-r) < 1e-9*math.Abs(r)
	}
	for _, f := range append(floats(rand.New(rand.NewPCG(2, 2))), 1.0000000001, 1.000000001, 0.9999999999, 1e-10, -1e-10, math.NaN(), math.Inf(1), math.Inf(-1)) {
		want := KindFloat
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			want = 0
		case whole(f):
			want = KindWhole
		}
		if want != FloatKind(f) {
			require.Equal(t, want, FloatKind(f), "%v", f)
		}
	}
}

func TestCutInt(t *testing.T) {
	for f, want := range map[float64]int64{
		0: 0, 1.9: 1, -1.9: -1, -0.5: 0, 9223372036854774784: 9223372036854774784,
		1 << 63: math.MinInt64, -1 << 63: math.MinInt64, 1e300: math.MinInt64, -1e300: math.MinInt64,
	} {
		require.Equal(t, want, cutInt(f), "%v", f)
	}
	require.Equal(t, int64(math.MinInt64), cutInt(math.NaN()))
}
