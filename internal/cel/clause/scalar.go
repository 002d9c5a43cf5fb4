package clause

import (
	"math"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/internal/cel/clock"
	"github.com/crdkit/crdkit/internal/cel/convert"
)

// The texts of %s: one for a top-level value, and one for a value in lists and maps, where strings are quoted and most
// other values are printed as CEL expressions. Bools, ints, uints, null and types have one text for both.

// AppendBool appends true or false.
func AppendBool(dst []byte, x bool) []byte { return strconv.AppendBool(dst, x) }

// AppendNull appends null.
func AppendNull(dst []byte) []byte { return append(dst, "null"...) }

// AppendDouble appends x as for %s at the top level: in its shortest form.
//
// Clauses: CLI-003, CLI-072.
func AppendDouble(dst []byte, x float64) []byte { return convert.AppendDouble(dst, x) }

// AppendElementDouble appends x as in a list or a map: with six digits after the point, or as a word in quotes.
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

// AppendElementString appends x as in a list or a map: in double quotes, with Go's escapes.
//
// Clause: CLI-003.
func AppendElementString(dst []byte, x string) []byte { return strconv.AppendQuote(dst, x) }

// AppendBytes appends x as for %s at the top level: as the text that it encodes. Bytes that are not UTF-8 are an error.
//
// Clause: CLI-003.
func AppendBytes(dst, x []byte) ([]byte, error) {
	if err := convert.CheckText(x); err != nil {
		return dst, NoTextError(err.Error())
	}
	return append(dst, x...), nil
}

// AppendElementBytes appends x as in a list or a map: its text in double quotes after a b. Bytes that are not UTF-8 are
// an error.
//
// Clause: CLI-003.
func AppendElementBytes(dst, x []byte) ([]byte, error) {
	if err := convert.CheckText(x); err != nil {
		return dst, NoTextError(err.Error())
	}
	return strconv.AppendQuote(append(dst, 'b'), string(x)), nil
}

// AppendTimestamp appends t as for %s at the top level.
//
// Clauses: CLI-003, CLI-071.
func AppendTimestamp(dst []byte, t time.Time) []byte { return clock.AppendTimestamp(dst, t) }

// AppendElementTimestamp appends t as in a list or a map: timestamp("...").
//
// Clause: CLI-003.
func AppendElementTimestamp(dst []byte, t time.Time) []byte {
	dst = append(dst, `timestamp("`...)
	dst = clock.AppendTimestamp(dst, t)
	return append(dst, `")`...)
}

// AppendDuration appends d as for %s at the top level.
//
// Clauses: CLI-003, CLI-071.
func AppendDuration(dst []byte, d time.Duration) []byte { return clock.AppendDuration(dst, d) }

// AppendElementDuration appends d as in a list or a map: duration("...").
//
// Clause: CLI-003.
func AppendElementDuration(dst []byte, d time.Duration) []byte {
	dst = append(dst, `duration("`...)
	dst = clock.AppendDuration(dst, d)
	return append(dst, `")`...)
}
