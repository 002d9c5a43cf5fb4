package quantity

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, s string) Quantity {
	t.Helper()
	q, err := Parse(s)
	require.NoError(t, err, "Parse(%.50q)", s)
	return q
}

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     string // the number, or the variable of the error
	}{
		{"CLI-020: zero", "0", "0"},
		{"CLI-020: nothing", "", "form"},
		{"CLI-020: a sign is zero", "-", "0"},
		{"CLI-020: the other one too", "+", "0"},
		{"CLI-020: zeros", "00", "0"},
		{"CLI-020: a point is zero", ".", "0"},
		{"CLI-020: nothing before the point", ".5", "0.5"},
		{"CLI-020: nothing behind the point", "5.", "5"},
		{"CLI-020: a suffix alone is zero", "k", "0"},
		{"CLI-020: and an exponent", "e3", "0"},
		{"CLI-020: but not where the decimal form is needed", "Ei", "numeric"},
		{"CLI-020: nor there", ".e-20", "numeric"},
		{"CLI-020: a zero is enough", "0Ei", "0"},
		{"CLI-020: leading zeros", "-0012.50", "-12.5"},
		{"CLI-020: n", "3n", "0.000000003"},
		{"CLI-020: u", "3u", "0.000003"},
		{"CLI-020: m", "3m", "0.003"},
		{"CLI-020: k", "3k", "3000"},
		{"CLI-020: M", "3M", "3000000"},
		{"CLI-020: G", "3G", "3000000000"},
		{"CLI-020: T", "3T", "3000000000000"},
		{"CLI-020: P", "3P", "3000000000000000"},
		{"CLI-020: E", "3E", "3000000000000000000"},
		{"CLI-020: Ki", "3Ki", "3072"},
		{"CLI-020: Mi", "3Mi", "3145728"},
		{"CLI-020: Gi", "3Gi", "3221225472"},
		{"CLI-020: Ti", "3Ti", "3298534883328"},
		{"CLI-020: Pi", "3Pi", "3377699720527872"},
		{"CLI-020: Ei", "3Ei", "3458764513820540928"},
		{"CLI-020: an exponent", "1.5e3", "1500"},
		{"CLI-020: with signs", "-1E-3", "-0.001"},
		{"CLI-020: with a plus", "1e+3", "1000"},
		{"CLI-020: an exponent without a number", "1e", "suffix"},
		{"CLI-020: an exponent with a sign only", "1e-", "suffix"},
		{"CLI-020: an exponent beyond 64 bits", "1e9223372036854775808", "suffix"},
		{"CLI-020: K is none", "1K", "suffix"},
		{"CLI-020: nor is ki", "1ki", "suffix"},
		{"CLI-020: two signs", "--1", "suffix"},
		{"CLI-020: digits behind a suffix", "1n1", "suffix"},
		{"CLI-020: two suffixes", "1mm", "suffix"},
		{"CLI-020: something behind the suffix", "1m1m", "form"},
		{"CLI-020: a blank in front", " 1", "form"},
		{"CLI-020: a blank behind", "1 ", "form"},
		{"CLI-020: two points", "1.2.3", "form"},
		{"CLI-020: an unknown letter", "1x", "form"},
		{"CLI-020: not ASCII", "1µ", "form"},

		{"CLI-021: rounded away from zero", "0.0000000001", "0.000000001"},
		{"CLI-021: negative ones too", "-1.0000000001", "-1.000000001"},
		{"CLI-021: with a carry over all digits", "999999999999999999999.9999999999", "1000000000000000000000"},
		{"CLI-021: with a carry into a new block", "999999999999999999.9999999999", "1000000000000000000"},
		{"CLI-021: with a carry within a block", "9999999999999999999.0000000019", "9999999999999999999.000000002"},
		{"CLI-021: what is exact stays", "12345678901234567890.123456789", "12345678901234567890.123456789"},
		{"CLI-021: whatever stands behind, if it is zero", "12345678901234567890.1234567890000", "12345678901234567890.123456789"},
		{"CLI-021: binary ones are cut", "8Ei", "9223372036854775807"},
		{"CLI-021: on both sides", "-1000000Ei", "-9223372036854775807"},
		{"CLI-021: after rounding", "7.99999999999999999999999999999Ei", "9223372036854775807"},
		{"CLI-021: not before", "0.999999999999999999999Ei", "1152921504606846975.998847079"},
		{"CLI-021: decimal ones are not", "9223372036854775808", "9223372036854775808"},

		{"CLI-025: exponents keep 32 bits", "7e4294967297", "70"},
		{"CLI-025: so this one is negative", "1e2147483648", "0.000000001"},
		{"CLI-025: as this one", "-1e-2147483648", "-0.000000001"},
		{"CLI-025: and no digits behind the point make it larger", "0.1e-2147483648", "0.000000001"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q, err := Parse(tc.in)
			require.Equal(t, err == nil, Valid(tc.in))
			if fail := map[string]error{"form": errForm, "suffix": errSuffix, "numeric": errNumeric}[tc.want]; fail != nil {
				require.Equal(t, fail, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, rat(tc.want).RatString(), exact(q).RatString())
		})
	}
}

func TestErrorTexts(t *testing.T) {
	// CLI-020, CLI-022.
	for in, want := range map[string]string{
		"":   "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
		"1K": "unable to parse quantity's suffix",
		"Ei": "unable to parse numeric part of quantity",
	} {
		_, err := Parse(in)
		require.EqualError(t, err, want)
	}
	_, err := parse(t, "1.0").Int64()
	require.EqualError(t, err, "cannot convert value to integer")
}

func TestInteger(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     int64
		ok       bool
	}{
		{"CLI-022: a number", "1", 1, true},
		{"CLI-022: with a suffix", "-1k", -1000, true},
		{"CLI-022: with an exponent", "12e6", 12_000_000, true},
		{"CLI-022: with a binary suffix", "1Ti", 1 << 40, true},
		{"CLI-022: a point behind it", "5.Ki", 5 << 10, true},
		{"CLI-022: 1E", "1E", 1_000_000_000_000_000_000, true},
		{"CLI-022: a point", ".", 0, true},
		{"CLI-022: 18 digits", "999999999999999999", 999_999_999_999_999_999, true},
		{"CLI-022: a zero behind the point", "1.0", 0, false},
		{"CLI-022: thousandths", "1000m", 0, false},
		{"CLI-022: zero thousandths", "0m", 0, false},
		{"CLI-022: 1Pi", "1Pi", 0, false},
		{"CLI-022: 1Ei", "1Ei", 0, false},
		{"CLI-022: too large", "10E", 0, false},
		{"CLI-022: 19 digits", "9223372036854775807", 0, false},
		{"CLI-025: zero, however many times ten", "0e2147483647", 0, true},
		{"CLI-025: a large exponent", "1e2147483647", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := parse(t, tc.in)
			require.Equal(t, tc.ok, q.IsInteger())
			n, err := q.Int64()
			require.Equal(t, tc.ok, err == nil)
			require.Equal(t, tc.want, n)
		})
	}
}

func TestFloat(t *testing.T) {
	for _, tc := range []struct {
		name string
		q    Quantity
		want float64
	}{
		{"CLI-023: a number", New(-3), -3},
		{"CLI-023: half", parse(t, "500m"), 0.5},
		{"CLI-023: rounded twice", parse(t, "100000000000000000000m"), 1.0000000000000002e+17},
		{"CLI-023: a cut one is not divided", parse(t, "8Ei"), 9.223372036854775807e18},
		{"CLI-023: infinite", parse(t, "1e9999"), math.Inf(1)},
		{"CLI-023: negative and infinite", parse(t, "-12345678901234567890e9999"), math.Inf(-1)},
		{"CLI-023: infinite on the way only", parse(t, "1234567890123456789e290"), math.Inf(1)},
		{"CLI-023: the largest that is not", parse(t, "1234567890123456789e281"), 1.234567890123456789e299},
		{"CLI-023: zero times infinity", parse(t, "0e400"), math.NaN()},
		{"CLI-023: zero times nothing", parse(t, "0e-400"), 0},
		{"CLI-025: a sum of far numbers", parse(t, "-1e2000000000").Add(New(1)), math.Inf(-1)},
		{"CLI-023: a sum of so many places that it is infinite", New(1).Add(parse(t, "0e-400")).Add(parse(t, "0.1m")), math.NaN()},
		{"CLI-023: the decimal form of a large exponent", parse(t, "1e300").Decimal(), 1e300},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.q.Float(); math.IsNaN(tc.want) {
				require.True(t, math.IsNaN(got), "%v", got)
			} else {
				require.Equal(t, tc.want, got)
			}
		})
	}
}

func TestAddSub(t *testing.T) {
	for _, tc := range []struct {
		name      string
		got       Quantity
		want      string
		isDecimal bool
	}{
		{"CLI-024: fast and fast", parse(t, "1").Add(parse(t, "100m")), "1.1", false},
		{"CLI-024: with an int", parse(t, "50k").Sub(New(20000)), "30000", false},
		{"CLI-024: nothing added keeps the form", parse(t, "1e400").Add(New(0)).Sub(parse(t, "1e400")), "0", false},
		{"CLI-024: the largest int", New(math.MaxInt64 - 1).Add(New(1)), "9223372036854775807", false},
		{"CLI-024: and beyond", New(math.MaxInt64).Add(New(1)), "9223372036854775808", true},
		{"CLI-024: the least int", New(math.MinInt64 + 1).Sub(New(1)), "-9223372036854775808", false},
		{"CLI-024: and beyond it", New(math.MinInt64).Sub(New(1)), "-9223372036854775809", true},
		{"CLI-024: too far apart for an int64", parse(t, "1n").Add(parse(t, "10G")), "10000000000.000000001", true},
		{"CLI-024: decimal and fast", parse(t, "1Pi").Sub(New(1)), "1125899906842623", true},
		{"CLI-024: no way back to the fast form", parse(t, "1Pi").Sub(parse(t, "1Pi")), "0", true},
		{"CLI-024: a sign that changes", parse(t, "1Pi").Sub(parse(t, "3Pi")), "-2251799813685248", true},
		{"CLI-024: the negative of the least int is itself", New(1).Sub(New(math.MinInt64)), "-9223372036854775807", false},
		{"CLI-024: in decimal form it is not", New(-1).Sub(New(math.MinInt64)), "9223372036854775807", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, rat(tc.want).RatString(), exact(tc.got).RatString())
			require.Equal(t, tc.isDecimal, tc.got.IsDecimal())
		})
	}
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       int
	}{
		{"CLI-024: one", "1000m", "1", 0},
		{"CLI-024: one with zeros", "1.000000000000000000000", "1", 0},
		{"CLI-024: zeros", "-0", "0e-400", 0},
		{"CLI-024: binary and decimal", "1Ki", "1k", 1},
		{"CLI-024: a small difference of large ones", "9223372036854775808", "9223372036854775807.999999999", 1},
		{"CLI-024: signs", "-1e400", "1n", -1},
		{"CLI-024: negative ones", "-1e400", "-1", -1},
		{"CLI-025: exponents alike", "1e2147483647", "10e2147483646", 0},
		{"CLI-025: exponents that differ", "1e2147483646", "1e2147483647", -1},
		{"CLI-025: beyond 32 bits together", "1e2147483647", "1n", 1},
		{"CLI-025: zero is below", "0e2147483647", "1n", -1},
		{"CLI-025: decimals", "12345678901234567890e2147483000", "12345678901234567891e2147483000", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := parse(t, tc.a), parse(t, tc.b)
			require.Equal(t, tc.want, a.Compare(b))
			require.Equal(t, -tc.want, b.Compare(a))
			require.Equal(t, tc.want == 0, a.Equal(b))
			require.Equal(t, tc.want, a.Decimal().Compare(b), "decimal and fast")
			require.Equal(t, tc.want, a.Sub(b).Sign(), "the difference's sign")
		})
	}
}

// TestFarSums adds and takes away numbers that lie far apart, and expects none of them to be lost (CLI-025).
func TestFarSums(t *testing.T) {
	parts := []string{"3e2147483647", "-7e2000000000", "1e1000", "-1e999", "5", "1n", "-12345678901234567890e500", "1e1000000"}
	r := rand.New(rand.NewSource(1))
	for range 200 {
		sum := New(0)
		order := r.Perm(len(parts))
		for _, i := range order {
			sum = sum.Add(parse(t, parts[i]))
		}
		require.Equal(t, 1, sum.Sign())
		require.Equal(t, 1, sum.Compare(parse(t, "2e2147483647")))
		require.Equal(t, -1, sum.Compare(parse(t, "3e2147483647")))
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order[1:] {
			sum = sum.Sub(parse(t, parts[i]))
		}
		require.Zero(t, sum.Compare(parse(t, parts[order[0]])))
	}
}

// TestBounds gives what is hard to a server, and must take no time here (CLI-025).
func TestBounds(t *testing.T) {
	digits := strings.Repeat("9876543210", 1<<20/10)
	texts := []string{
		"1e2147483647", "-1e2147483647", "1e2147483648", "1e-2147483648", "0e2147483647", "0e-2147483647", "123456789012345678901e2147483647",
		"12345678901.0000000001e-2147483648", "1e9223372036854775807",
		digits, "-" + digits, digits + "e2147483647", digits + "e-2147483648", "." + digits + "Ei", digits + "Ki", "0." + digits,
		strings.Repeat("0", 1<<20), "1e" + strings.Repeat("0", 1<<20) + "5", strings.Repeat("e", 1<<20), "1" + strings.Repeat("0", 1<<20),
	}
	start := time.Now()
	var all []Quantity
	for _, s := range texts {
		q, err := Parse(s)
		require.Equal(t, err == nil, Valid(s))
		if err == nil {
			all = append(all, q)
		}
	}
	require.Len(t, all, len(texts)-1)
	for _, a := range all {
		for _, b := range all {
			sum := a.Add(b)
			require.Equal(t, a.Compare(b), a.Sub(b).Sign())
			require.Zero(t, sum.Sub(b).Compare(a))
			sum.Float()
			sum.IsInteger()
		}
	}
	require.Less(t, time.Since(start), 30*time.Second)
}

// rat returns the value of a plain decimal number.
func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// exact returns the value of q, which must not have a large exponent.
func exact(q Quantity) *big.Rat {
	if !q.IsDecimal() {
		return new(big.Rat).Mul(rat(fmt.Sprint(q.value)), pow10(q.scale))
	}
	sum := new(big.Rat)
	for _, t := range q.dec.terms {
		for i, limb := range t.limbs {
			v := new(big.Rat).Mul(rat(fmt.Sprint(limb)), pow10(18*(t.low+int64(i))))
			if t.neg {
				v.Neg(v)
			}
			sum.Add(sum, v)
		}
	}
	return sum
}

func pow10(n int64) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(n, -n)), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}
