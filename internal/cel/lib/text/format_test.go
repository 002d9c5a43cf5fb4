package text

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
)

// verbs prints which clauses a format has.
func verbs(dst []byte, c Clause, arg int) ([]byte, error) {
	dst = append(dst, '<')
	dst = strconv.AppendInt(dst, int64(arg), 10)
	dst = append(dst, c.Verb)
	if c.Precision >= 0 {
		dst = strconv.AppendInt(dst, int64(c.Precision), 10)
	}
	return append(dst, '>'), nil
}

// CLI-003, CLI-004.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		format string
		args   int
		want   string
		err    string
	}{
		{"", 0, "", ""},
		{"plain é世", 0, "plain é世", ""},
		{"%s", 1, "<0s>", ""},
		{"a%sb%dc", 2, "a<0s>b<1d>c", ""},
		{"%%", 0, "%", ""},
		{"100%%%s%%%%", 1, "100%<0s>%%", ""},
		{"%.2f%.0e%.007x", 3, "<0f2><1e0><2x7>", ""},
		{"%b%x%X%o", 4, "<0b><1x><2X><3o>", ""},
		{"%s", 2, "<0s>", ""},
		{"%s%s", 1, "", "index 1 out of range"},
		{"%s", 0, "", "index 0 out of range"},
		{"a%", 1, "", "unexpected end of string"},
		{"a%", 0, "", "index 0 out of range"},
		{"%%%", 1, "", "unexpected end of string"},
		{"%z", 1, "", `could not parse formatting clause: unrecognized formatting clause "z"`},
		{"%z", 0, "", "index 0 out of range"},
		{"% d", 1, "", `could not parse formatting clause: unrecognized formatting clause " "`},
		{"%é", 1, "", `could not parse formatting clause: unrecognized formatting clause "Ã"`},
		{"%.2%", 1, "", `could not parse formatting clause: unrecognized formatting clause "%"`},
		{"%.", 1, "", "could not parse formatting clause: error while parsing precision: could not find end of precision specifier"},
		{"%.12", 1, "", "could not parse formatting clause: error while parsing precision: could not find end of precision specifier"},
		{"%.d", 1, "", "could not parse formatting clause: error while parsing precision: error while converting precision to integer: " +
			`strconv.Atoi: parsing "": invalid syntax`},
		{"%.99999999999999999999f", 1, "", "could not parse formatting clause: error while parsing precision: error while converting " +
			`precision to integer: strconv.Atoi: parsing "99999999999999999999": value out of range`},
	} {
		got, err := ParseFormat(c.format).Append([]byte("kept "), c.args, verbs)
		if c.err != "" {
			require.EqualError(t, err, c.err, "%q with %d", c.format, c.args)
			continue
		}
		require.NoError(t, err, "%q with %d", c.format, c.args)
		require.Equal(t, "kept "+c.want, string(got), "%q with %d", c.format, c.args)
	}
}

// CLI-004: errors of arguments precede an error in a later part of the text.
func TestAppendArgumentError(t *testing.T) {
	calls := 0
	_, err := ParseFormat("%s%d%z").Append(nil, 3, func(dst []byte, c Clause, arg int) ([]byte, error) {
		if calls++; arg == 1 {
			return dst, VerbError(c.Verb, "string")
		}
		return dst, nil
	})
	require.EqualError(t, err, "error during formatting: decimal clause can only be used on integers, was given string")
	require.Equal(t, 2, calls)
}

func TestAppendTooLarge(t *testing.T) {
	large := make([]byte, MaxSize/2)
	grow := func(dst []byte, c Clause, arg int) ([]byte, error) { return append(dst, large...), nil }
	dst, err := ParseFormat("%s%s").Append([]byte("kept"), 2, grow)
	require.NoError(t, err, "what was there before does not count")
	require.Len(t, dst, MaxSize+4)
	_, err = ParseFormat("%s%s.").Append(nil, 2, grow)
	require.Equal(t, ErrTooLarge, err)
	calls := 0
	_, err = ParseFormat("%s%s%s%s%s%s").Append(nil, 6, func(dst []byte, c Clause, arg int) ([]byte, error) {
		calls++
		return grow(dst, c, arg)
	})
	require.Equal(t, ErrTooLarge, err)
	require.Equal(t, 3, calls, "it stops where it is too large")
	_, err = ParseFormat("%s").Append(nil, 1, func(dst []byte, _ Clause, _ int) ([]byte, error) { return dst, ErrTooLarge })
	require.Equal(t, ErrTooLarge, err)
}

// CEN-053: the end of the text is noticed before a missing argument, unlike at run time.
func TestCheckFormat(t *testing.T) {
	for _, c := range []struct {
		format string
		args   int
		want   string
	}{
		{"%s %d", 2, ""},
		{"%%", 0, ""},
		{"%s", 3, "too many arguments supplied to string.format (expected 1, got 3)"},
		{"", 1, "too many arguments supplied to string.format (expected 0, got 1)"},
		{"%s %s", 1, "index 1 out of range"},
		{"%", 0, "unexpected end of string"},
		{"%s%", 1, "unexpected end of string"},
		{"%q", 0, "index 0 out of range"},
		{"%q", 1, `could not parse formatting clause: unrecognized formatting clause "q"`},
		{"%s%q", 3, `could not parse formatting clause: unrecognized formatting clause "q"`},
		{"%s%f", 2, "error during formatting: fixed-point clause can only be used on doubles, was given int"},
		{"%f%q", 2, "error during formatting: fixed-point clause can only be used on doubles, was given int"},
	} {
		err := ParseFormat(c.format).Check(c.args, func(c Clause, arg int) error {
			if c.Verb == 'f' {
				return VerbError('f', "int")
			}
			return nil
		})
		if c.want == "" {
			require.NoError(t, err, "%q with %d", c.format, c.args)
		} else {
			require.EqualError(t, err, c.want, "%q with %d", c.format, c.args)
		}
	}
}

// CLI-004.
func TestFormatErrors(t *testing.T) {
	for verb, want := range map[byte]string{
		'd': "decimal clause can only be used on integers, was given list",
		'f': "fixed-point clause can only be used on doubles, was given list",
		'e': "scientific clause can only be used on doubles, was given list",
		'b': "only integers and bools can be formatted as binary, was given list",
		'x': "only integers, byte buffers, and strings can be formatted as hex, was given list",
		'X': "only integers, byte buffers, and strings can be formatted as hex, was given list",
		'o': "octal clause can only be used on integers, was given list",
		's': "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, " +
			"was given list",
	} {
		require.EqualError(t, VerbError(verb, "list"), want)
	}
	require.EqualError(t, ElementError("optional_type"), "no formatting function for optional_type")
	require.EqualError(t, KeyError("double"), "no formatting function for map key of type double")
	require.EqualError(t, MissingKeyError("a"), `could not find key: "a"`)
	require.EqualError(t, noTextError("why"), `could not convert argument "why" to string`)
}

// CLI-003. The precisions above 255 show what a server does with numbers that do not fit its fields.
func TestAppendFixed(t *testing.T) {
	tenth := "0.1000000000000000055511151231257827021181583404541015625"
	for _, c := range []struct {
		x         float64
		precision int
		want      string
	}{
		{123456789, -1, "123,456,789.000000"},
		{123456789, 0, "123,456,789"},
		{1234.5, 0, "1,234"},
		{1235.5, 0, "1,236"},
		{999999.9999, 2, "1,000,000.00"},
		{-1234567.891, 1, "-1,234,567.9"},
		{0, -1, "0.000000"},
		{math.Copysign(0, -1), -1, "0.000000"},
		{-0.0000001, -1, "-0.000000"},
		{-0.0000001, 0, "-0"},
		{1e22, 1, "10,000,000,000,000,000,000,000.0"},
		{math.NaN(), 3, "NaN"},
		{math.Inf(1), 3, "∞"},
		{math.Inf(-1), 3, "-∞"},
		{0.1, 255, tenth + strings.Repeat("0", 200)},
		{0.1, 256, tenth},
		{2, 256, "2"},
		{2, 257, "2.0"},
		{0.1, 32768, "0.1"},
		{2, 32769, "2.0"},
		{0.1, 65536, "0"},
		{1234567.5, 10_000_009 - 137, "1,234,567.5"},
		{1, 10_000_010, "%!(NOVERB)"},
		{1, math.MaxInt, "%!(NOVERB)"},
	} {
		require.Equal(t, c.want, string(AppendFixed(nil, c.x, c.precision)), "%%.%df of %g", c.precision, c.x)
	}
}

// CLI-003: the precision is a width, and six digits follow the dot whatever it is.
func TestAppendScientific(t *testing.T) {
	for _, c := range []struct {
		x         float64
		precision int
		want      string
	}{
		{123456789, -1, "1.234568×10⁰⁸"},
		{123456789, 2, "1.234568×10⁰⁸"},
		{0, -1, "0.000000×10⁰⁰"},
		{math.Copysign(0, -1), -1, "0.000000×10⁰⁰"},
		{-1e-7, -1, "-1.000000×10⁻⁰⁷"},
		{1.5e123, -1, "1.500000×10¹²³"},
		{4.5e-69, -1, "4.500000×10⁻⁶⁹"},
		{2, 20, strings.Repeat(" ", 7) + "2.000000×10⁰⁰"},
		{math.NaN(), -1, "   NaN"},
		{math.Inf(1), -1, "     ∞"},
		{math.Inf(-1), 0, "-∞"},
		{2, 65536 + 14, " 2.000000×10⁰⁰"},
		{1, 10_000_010, "%!(NOVERB)"},
	} {
		require.Equal(t, c.want, string(AppendScientific(nil, c.x, c.precision)), "%%.%de of %g", c.precision, c.x)
	}
	require.Len(t, AppendScientific(nil, math.NaN(), 65535), 65535)
}

// CLI-003.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		x    int64
		verb byte
		want string
	}{
		{1234567, 'd', "1234567"}, {-1234567, 'd', "-1234567"}, {5, 'b', "101"}, {-5, 'b', "-101"}, {255, 'x', "ff"},
		{-255, 'X', "-FF"}, {0xa9f, 'X', "A9F"}, {8, 'o', "10"}, {0, 'x', "0"},
		{math.MinInt64, 'd', "-9223372036854775808"}, {math.MinInt64, 'x', "-8000000000000000"},
	} {
		require.Equal(t, c.want, string(AppendInteger(nil, c.x, c.verb)))
	}
	require.Equal(t, "ABC18446744073709551615", string(AppendInteger([]byte("ABC"), uint64(math.MaxUint64), 'd')))
	require.Equal(t, "abcFF", string(AppendInteger([]byte("abc"), uint64(255), 'X')), "what was there before stays")
	require.Equal(t, "10", string(AppendBit(AppendBit(nil, true), false)))
	require.Equal(t, "c3a90aff", string(AppendHex(nil, "é\n\xff", 'x')))
	require.Equal(t, "C3A9", string(AppendHex(nil, []byte("é"), 'X')))
}

func TestNumberWord(t *testing.T) {
	for _, s := range []string{"NaN", "Infinity", "-Infinity"} {
		x, ok := NumberWord(s)
		require.True(t, ok, s)
		want, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(want), math.Float64bits(x), s)
	}
	for _, s := range []string{"", "nan", "inf", "+Infinity", "1"} {
		_, ok := NumberWord(s)
		require.False(t, ok, s)
	}
}

// CLI-003: a value by itself, and in a list or a map.
func TestScalars(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 600e6, time.FixedZone("", 3600))
	must := func(b []byte, err error) []byte {
		require.NoError(t, err)
		return b
	}
	for _, c := range []struct {
		alone, element         []byte
		wantAlone, wantElement string
	}{
		{AppendDouble(nil, 1.5), AppendElementDouble(nil, 1.5), "1.5", "1.500000"},
		{AppendDouble(nil, 1e8), AppendElementDouble(nil, 1e8), "1e+08", "100000000.000000"},
		{AppendDouble(nil, math.Inf(1)), AppendElementDouble(nil, math.Inf(1)), "+Inf", `"+Inf"`},
		{AppendDouble(nil, math.NaN()), AppendElementDouble(nil, math.NaN()), "NaN", `"NaN"`},
		{must(AppendBytes(nil, []byte("a\té"))), must(AppendElementBytes(nil, []byte("a\té"))), "a\té", `b"a\té"`},
		{clock.AppendTimestamp(nil, at), AppendElementTimestamp(nil, at), "2026-01-02T03:04:05.6+01:00", `timestamp("2026-01-02T03:04:05.6+01:00")`},
		{clock.AppendDuration(nil, 90*time.Minute), AppendElementDuration(nil, 90*time.Minute), "5400s", `duration("5400s")`},
	} {
		require.Equal(t, c.wantAlone, string(c.alone))
		require.Equal(t, c.wantElement, string(c.element))
	}
	for _, f := range []func(dst, x []byte) ([]byte, error){AppendBytes, AppendElementBytes} {
		_, err := f(nil, []byte{0xff})
		require.EqualError(t, err, `could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string`)
	}
}

// Reading a format loses nothing: its clauses and its literal text make up the text that was read, up to a mistake.
func FuzzParseFormat(f *testing.F) {
	for _, s := range []string{"", "%s and %.2f%%", "%.", "%z", "%.99999999999999999999f", "%é", "\xff%\xff", "%.12", "%.10000010e", "%%%"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, length uint8) {
		args := int(length)
		format := ParseFormat(s)
		var again strings.Builder
		for _, c := range format.clauses {
			again.WriteString(strings.ReplaceAll(c.Before, "%", "%%"))
			again.WriteByte('%')
			if c.Precision >= 0 {
				again.WriteByte('.')
				again.WriteString(strconv.Itoa(c.Precision))
			}
			again.WriteByte(c.Verb)
		}
		again.WriteString(strings.ReplaceAll(format.tail, "%", "%%"))
		same := ParseFormat(again.String())
		require.Equal(t, format.clauses, same.clauses)
		require.Equal(t, format.tail, same.tail)
		require.NoError(t, same.mistake)

		_, err := format.Append(nil, args, func(dst []byte, c Clause, arg int) ([]byte, error) {
			require.Less(t, arg, args)
			return AppendScientific(AppendFixed(dst, math.Pi*float64(arg), c.Precision), -1e9, c.Precision), nil
		})
		enough := args >= len(format.clauses)
		if !errors.Is(err, ErrTooLarge) {
			require.Equal(t, enough && format.mistake == nil, err == nil)
		}
		require.Equal(t, args == len(format.clauses) && format.mistake == nil, format.Check(args, func(Clause, int) error { return nil }) == nil)
	})
}

// Numbers keep their value: without the commas and the power of ten they are read back.
func FuzzNumbers(f *testing.F) {
	f.Add(1234567.891, 3)
	f.Add(-5e-324, 1074)
	f.Add(math.MaxFloat64, 32768)
	f.Add(0.5, 10_000_010)
	f.Fuzz(func(t *testing.T, x float64, precision int) {
		fixed, power := string(AppendFixed(nil, x, precision)), string(AppendScientific(nil, x, precision))
		require.LessOrEqual(t, len(fixed), 310+103+1100)
		require.LessOrEqual(t, len(power), 65535+32)
		if math.IsNaN(x) || math.IsInf(x, 0) || precision > maxNumber {
			return
		}
		back, err := strconv.ParseFloat(strings.ReplaceAll(fixed, ",", ""), 64)
		require.NoError(t, err)
		if digits := int16(max(precision, -1)); precision < 0 {
			require.InDelta(t, x, back, math.Max(5.1e-7, math.Abs(x)*1e-15))
		} else if digits < 0 || digits > 1074 {
			require.Equal(t, x, back)
		}
		mantissa, exponent, found := strings.Cut(strings.TrimLeft(power, " "), "×10")
		require.True(t, found)
		for i, c := range []string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"} {
			exponent = strings.ReplaceAll(exponent, c, strconv.Itoa(i))
		}
		back, err = strconv.ParseFloat(mantissa+"e"+strings.ReplaceAll(exponent, "⁻", "-"), 64)
		if err == nil { // it may be rounded up to more than a float64 has
			require.InDelta(t, 1, ratio(back, x), 1e-6)
		}
	})
}

// ratio is a/b where that means something: subnormal numbers have few digits.
func ratio(a, b float64) float64 {
	if math.Abs(b) < 1e-300 {
		return 1
	}
	return a / b
}
