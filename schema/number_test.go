package schema

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The figures of VAL-020 to VAL-023, also those that surprise.
func TestNumberChecks(t *testing.T) {
	ptr := func(f float64) *float64 { return &f }
	plain := func(typ string) JSONSchemaProps { return JSONSchemaProps{Type: typ} }
	formatted := func(typ, format string) JSONSchemaProps { return JSONSchemaProps{Type: typ, Format: format} }
	least := func(p JSONSchemaProps, f float64) JSONSchemaProps { p.Minimum = ptr(f); return p }
	most := func(p JSONSchemaProps, f float64) JSONSchemaProps { p.Maximum = ptr(f); return p }
	multiple := func(p JSONSchemaProps, f float64) JSONSchemaProps { p.MultipleOf = ptr(f); return p }
	open := func(p JSONSchemaProps) JSONSchemaProps { p.ExclusiveMinimum, p.ExclusiveMaximum = true, true; return p }
	intOrString := JSONSchemaProps{XIntOrString: true}

	for _, row := range []struct {
		name  string
		props JSONSchemaProps
		value any
		want  NumberFault
	}{
		// VAL-020: the range of the value.
		{"no range without a type", JSONSchemaProps{Format: "int32"}, int64(1) << 40, 0},
		{"int32 takes the greatest", formatted("integer", "int32"), int64(math.MaxInt32), 0},
		{"int32 takes the least", formatted("integer", "int32"), int64(math.MinInt32), 0},
		{"int32 refuses one more", formatted("integer", "int32"), int64(math.MaxInt32) + 1, ValueRange},
		{"int32 refuses one less", formatted("integer", "int32"), int64(math.MinInt32) - 1, ValueRange},
		{"int32 takes a whole float", formatted("integer", "int32"), 5.0, 0},
		{"int32 refuses a float beyond it", formatted("integer", "int32"), 2147483648.0, ValueRange},
		{"int64 takes all", formatted("integer", "int64"), int64(math.MinInt64), 0},
		{"integer refuses a fraction", plain("integer"), 1.5, ValueRange},
		{"integer refuses what is nearly whole", plain("integer"), 1.0000000001, ValueRange},
		{"integer takes minus zero", plain("integer"), math.Copysign(0, -1), 0},
		{"integer takes 1e18", plain("integer"), 1e18, 0},
		{"integer takes the last float before 2^63", plain("integer"), 9223372036854774784.0, 0},
		{"integer refuses 2^63", plain("integer"), 9223372036854775808.0, ValueRange},
		{"integer refuses -2^63 as a float: its text is -9223372036854776000", plain("integer"), -9223372036854775808.0, ValueRange},
		{"integer takes the float after -2^63", plain("integer"), -9223372036854774784.0, 0},
		{"float takes what float32 rounds", formatted("number", "float"), 0.1, 0},
		{"float takes what float32 rounds to 0", formatted("number", "float"), 5e-324, 0},
		{"float refuses what float32 cannot hold", formatted("number", "float"), 3.5e38, ValueRange},
		{"float takes half a step more than float32 holds: its text is a little less", formatted("number", "float"), 3.4028235677973366e38, 0},
		{"float refuses one step more", formatted("number", "float"), 3.402823567797337e38, ValueRange},
		{"float takes every integer", formatted("number", "float"), int64(math.MaxInt64), 0},
		{"double takes all", formatted("number", "double"), math.MaxFloat64, 0},
		{"int-or-string has no range", intOrString, 1.0000000001, 0},

		// VAL-020: the range of the bound. A bound out of it is compared all the same, as a float64.
		{"a fractional minimum refuses a greater integer", least(plain("integer"), 5.5), int64(7), MinimumRange},
		{"a fractional minimum refuses a smaller integer twice", least(plain("integer"), 5.5), int64(5), MinimumRange | BelowMinimum},
		{"a fractional maximum", most(plain("integer"), 5.5), int64(6), MaximumRange | AboveMaximum},
		{"a fractional minimum and a float", least(plain("integer"), 5.5), 7.0, MinimumRange},
		{"a maximum beyond int32", most(formatted("integer", "int32"), 2147483648), int64(1), MaximumRange},
		{"a maximum of 1e300", most(plain("integer"), 1e300), int64(1), MaximumRange},
		{"a maximum beyond float32", most(formatted("number", "float"), 3.5e38), 1.5, MaximumRange},
		{"a fractional factor is applied as it is", multiple(plain("integer"), 2.5), int64(5), FactorRange},
		{"a fractional factor that does not divide", multiple(plain("integer"), 2.5), int64(6), FactorRange | NotMultiple},
		{"a factor below 1 of an integer", multiple(plain("integer"), 0.5), int64(3), FactorRange},
		{"all at once", multiple(most(least(formatted("integer", "int32"), 5.5), -0.5), 2.5), int64(1),
			FactorRange | NotMultiple | MinimumRange | BelowMinimum | MaximumRange | AboveMaximum},

		// VAL-021: integers are compared with the bound without its fraction.
		{"minimum 5.5 takes 5", least(plain("number"), 5.5), int64(5), 0},
		{"minimum 5.5 refuses 4", least(plain("number"), 5.5), int64(4), BelowMinimum},
		{"minimum 5.5 refuses 5.25", least(plain("number"), 5.5), 5.25, BelowMinimum},
		{"maximum 10.5 takes 10", most(plain("number"), 10.5), int64(10), 0},
		{"maximum 10.5 refuses 11", most(plain("number"), 10.5), int64(11), AboveMaximum},
		{"maximum -0.5 takes 0: it is cut to 0", most(plain("number"), -0.5), int64(0), 0},
		{"maximum 1e300 refuses every integer: it is cut to the least", most(plain("number"), 1e300), int64(5), AboveMaximum},
		{"maximum 1e300 takes the least integer", most(plain("number"), 1e300), int64(math.MinInt64), 0},
		{"maximum 1e300 takes a float", most(plain("number"), 1e300), 5.5, 0},
		{"minimum 1e300 takes every integer", least(plain("number"), 1e300), int64(5), 0},
		{"minimum 2^53+1 is 2^53", least(plain("number"), 9007199254740993), int64(1) << 53, 0},
		{"int-or-string cuts bounds", most(intOrString, 10.5), int64(11), AboveMaximum},

		// VAL-022.
		{"maximum takes itself", most(plain("integer"), 5), int64(5), 0},
		{"exclusive maximum refuses itself", open(most(plain("integer"), 5)), int64(5), AboveMaximum},
		{"exclusive minimum refuses itself", open(least(plain("integer"), 5)), int64(5), BelowMinimum},
		{"exclusive bounds take what is between", open(most(least(plain("number"), 1), 5)), int64(3), 0},
		{"exclusive bounds take a float between", open(most(least(plain("number"), 1), 5)), 3.5, 0},
		{"exclusive bounds out of range take what is between", open(most(least(plain("integer"), 0.5), 5.5)), int64(3), MinimumRange | MaximumRange},
		{"exclusive maximum refuses itself as a float", open(most(plain("number"), 5)), 5.0, AboveMaximum},
		{"exclusive minimum refuses itself as a float", open(least(plain("number"), 5)), 5.0, BelowMinimum},
		{"exclusive maximum 5.5 refuses 5: it is cut", open(most(plain("number"), 5.5)), int64(5), AboveMaximum},
		{"exclusive alone does nothing", open(plain("number")), 5.0, 0},

		// VAL-023.
		{"2.5 acts as 2 on an integer", multiple(plain("number"), 2.5), int64(4), 0},
		{"2.5 is 2.5 on a float", multiple(plain("number"), 2.5), 4.0, NotMultiple},
		{"no integer passes 0.5", multiple(plain("number"), 0.5), int64(1), FactorNotPositive},
		{"a float passes 0.5", multiple(plain("number"), 0.5), 1.5, 0},
		{"0.3 is a multiple of 0.1: tiny errors pass", multiple(plain("number"), 0.1), 0.3, 0},
		{"0.35 is none", multiple(plain("number"), 0.1), 0.35, NotMultiple},
		{"a quotient of 2^53 is not whole", multiple(plain("number"), 1), 9007199254740992.0, NotMultiple},
		{"a quotient of 2^53-1 is", multiple(plain("number"), 1), 9007199254740991.0, 0},
		{"a large integer is exact", multiple(plain("number"), 3), int64(9223372036854775806), 0},
		{"a large integer that is off by one", multiple(plain("number"), 3), int64(9223372036854775807), NotMultiple},
		{"the least integer", multiple(plain("integer"), 2), int64(math.MinInt64), 0},
		{"zero", multiple(plain("integer"), 0), int64(4), FactorNotPositive},
		{"zero and a float", multiple(plain("number"), 0), 4.0, FactorNotPositive},
		{"negative", multiple(plain("integer"), -2), int64(4), FactorNotPositive},
		{"negative and a float", multiple(plain("number"), -2.5), 5.0, FactorNotPositive},
		{"1e300 is cut to the least integer", multiple(plain("number"), 1e300), int64(5), FactorNotPositive},
		{"0 is a multiple of all", multiple(plain("number"), 7), 0.0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := CompileLoose(&row.props)
			require.NoError(t, err)
			var got NumberFault
			if c := s.Root.Number; c != nil {
				switch v := row.value.(type) {
				case int64:
					got = c.Int(v)
				case float64:
					got = c.Float(v)
				}
			}
			require.Equal(t, fmt.Sprintf("%08b", row.want), fmt.Sprintf("%08b", got))
		})
	}
}

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
