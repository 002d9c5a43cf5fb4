package clause

import (
	"math"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/internal/cel/clock"
	"github.com/crdkit/crdkit/internal/cel/convert"
)

// The texts of %s: one for a value by itself, another inside lists and maps, where strings have quotes and most other values look like
// what a rule would write. Bools, ints, uints, null and types have one text for both.

// AppendBool appends true or false.
func AppendBool(dst []byte, x bool) []byte { return strconv.AppendBool(dst, x) }

// AppendNull appends null.
func AppendNull(dst []byte) []byte { return append(dst, "null"...) }

// AppendDouble appends x as %s does, by itself: in its shortest form.
//
// Clauses: CLI-003, CLI-072.
func AppendDouble(dst []byte, x float64) []byte { return convert.AppendDouble(dst, x) }

// AppendElementDouble appends x as it is printed in a list or a map: with six digits behind the dot, or as a word in quotes.
//
// Clause: CLI-003.
func AppendElementDouble(dst []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		dst = append(dst, '"')
		dst = strconv.AppendFloat(dst, x, 'f', defaultPrecision, 64)
		return append(dst, '"')
	}
	return strconv.AppendFloat(dst, x, 'f', defaultPrecision, 64)
}

// AppendElementString appends x as it is printed in a list or a map: in double quotes, with Go's escapes.
//
// Clause: CLI-003.
func AppendElementString(dst []byte, x string) []byte { return strconv.AppendQuote(dst, x) }

// AppendBytes appends x as %s does, by itself: as the text that it encodes. Bytes that are no UTF-8 are an error.
//
// Clause: CLI-003.
func AppendBytes(dst, x []byte) ([]byte, error) {
	if err := convert.CheckText(x); err != nil {
		return dst, NoTextError(err.Error())
	}
	return append(dst, x...), nil
}

// AppendElementBytes appends x as it is printed in a list or a map: its text in double quotes behind a b. Bytes that are no UTF-8 are an
// error.
//
// Clause: CLI-003.
func AppendElementBytes(dst, x []byte) ([]byte, error) {
	if err := convert.CheckText(x); err != nil {
		return dst, NoTextError(err.Error())
	}
	return strconv.AppendQuote(append(dst, 'b'), string(x)), nil
}

// AppendTimestamp appends t as %s does, by itself.
//
// Clauses: CLI-003, CLI-071.
func AppendTimestamp(dst []byte, t time.Time) []byte { return clock.AppendTimestamp(dst, t) }

// AppendElementTimestamp appends t as it is printed in a list or a map: timestamp("...").
//
// Clause: CLI-003.
func AppendElementTimestamp(dst []byte, t time.Time) []byte {
	dst = append(dst, `timestamp("`...)
	dst = clock.AppendTimestamp(dst, t)
	return append(dst, `")`...)
}

// AppendDuration appends d as %s does, by itself.
//
// Clauses: CLI-003, CLI-071.
func AppendDuration(dst []byte, d time.Duration) []byte { return clock.AppendDuration(dst, d) }

// AppendElementDuration appends d as it is printed in a list or a map: duration("...").
//
// Clause: CLI-003.
func AppendElementDuration(dst []byte, d time.Duration) []byte {
	dst = append(dst, `duration("`...)
	dst = clock.AppendDuration(dst, d)
	return append(dst, `")`...)
}
