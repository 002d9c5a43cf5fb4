package quantity

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var grammar = regexp.MustCompile(`^[+-]?([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$`)

var suffixes = map[string]*big.Rat{
	"": pow10(0), "n": pow10(-9), "u": pow10(-6), "m": pow10(-3), "k": pow10(3), "M": pow10(6), "G": pow10(9), "T": pow10(12),
	"P": pow10(15), "E": pow10(18), "Ki": pow2(10), "Mi": pow2(20), "Gi": pow2(30), "Ti": pow2(40), "Pi": pow2(50), "Ei": pow2(60),
}

func pow2(n uint) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), n)) }

// slowParse is Parse by CLI-020 and CLI-021 with numbers of any size. Its exponents must be small.
func slowParse(s string) (value *big.Rat, err error) {
	m := grammar.FindStringSubmatch(s)
	if s == "" || m == nil {
		return nil, errForm
	}
	whole, frac, suffix := m[1], m[2], m[3]
	factor, ok := suffixes[suffix]
	if !ok {
		exp, err := strconv.ParseInt(strings.TrimLeft(suffix[:1], "eE")+suffix[1:], 10, 64)
		if suffix[0] != 'e' && suffix[0] != 'E' || err != nil {
			return nil, errSuffix
		}
		factor = pow10(exp)
	}
	value = new(big.Rat).Mul(rat("0"+whole+"."+frac+"0"), factor)
	// What is fast is exact and has no more than nine places; all else is rounded.
	nano := new(big.Rat).Mul(value, pow10(9))
	if !nano.IsInt() {
		up := new(big.Int).Quo(nano.Num(), nano.Denom())
		value = new(big.Rat).Mul(new(big.Rat).SetInt(up.Add(up, big.NewInt(1))), pow10(-9))
	}
	if largest := rat("9223372036854775807"); strings.HasSuffix(suffix, "i") && value.Cmp(largest) > 0 {
		value = largest
	}
	if s[0] == '-' {
		value.Neg(value)
	}
	return value, nil
}

// hugeExponent tells the texts that slowParse must not see.
var hugeExponent = regexp.MustCompile(`[eE][-+]?0*[1-9][0-9]{3,}$`)

// FuzzParse holds Parse against slowParse.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "0", "-", ".", "5.Ki", "1.5Gi", "-100m", "1e3", "1E-20", ".e-20", "Ei", "8Ei", "7.99999999999999999999Ei", "1K", "1n1", "--1",
		"0.0000000001", "-999999999999999999999.9999999999", "123456789012345678901234567890e50", "1e2147483648", "1 ", "1e999",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s)
		require.Equal(t, err == nil, Valid(s))
		if err == nil {
			require.Zero(t, q.Compare(q.Decimal()))
			require.Zero(t, q.Sub(q).Sign())
			require.Equal(t, q.Sign(), q.Add(q).Sign())
			if n, err := q.Int64(); err == nil {
				require.True(t, q.Equal(New(n)))
			}
			q.Float()
		}
		if hugeExponent.MatchString(s) || len(s) > 1000 {
			return
		}
		want, wantErr := slowParse(s)
		if err == errNumeric {
			// Whether there must be a digit depends on the form, which slowParse does not know.
			require.NotRegexp(t, `^[+-]?[0-9.]*[0-9]`, s)
			return
		}
		require.Equal(t, wantErr, err)
		if err == nil {
			require.Equal(t, want.RatString(), exact(q).RatString())
		}
	})
}

// FuzzArithmetic holds sums and comparisons of three quantities against numbers of any size.
func FuzzArithmetic(f *testing.F) {
	f.Add("1", "2", "3")
	f.Add("1e900", "-1e-9", "9999999999999999999999e300")
	f.Add("9223372036854775807", "1", "-1e18")
	f.Add("1Ei", "-1Ei", "1n")
	f.Add("1e700", "-1e699", "1e50")
	f.Fuzz(func(t *testing.T, s1, s2, s3 string) {
		for _, s := range []string{s1, s2, s3} {
			if !Valid(s) || hugeExponent.MatchString(s) || len(s) > 500 {
				return
			}
		}
		a, b, c := parse(t, s1), parse(t, s2), parse(t, s3)
		x, y, z := exact(a), exact(b), exact(c)
		require.Equal(t, x.Cmp(y), a.Compare(b))
		sum := new(big.Rat).Add(x, y)
		require.Equal(t, sum.RatString(), exact(a.Add(b)).RatString())
		require.Equal(t, sum.Cmp(z), a.Add(b).Compare(c))
		all := new(big.Rat).Sub(sum, z)
		require.Equal(t, all.RatString(), exact(a.Add(b).Sub(c)).RatString())
		require.Equal(t, all.Sign(), a.Add(b).Sub(c).Sign())
	})
}
