package text

import (
	"errors"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
)

// The texts of string(x) and of %s. The latter differ for bytes, and for values in lists and maps, where most are
// printed as CEL expressions.

var errNoText = errors.New("invalid UTF-8 in bytes, cannot convert to string")

// CheckUTF8 returns the error of a conversion of b to a string, or nil if b is UTF-8.
//
// Clause: CMS-022.
func CheckUTF8(b []byte) error {
	if !utf8.Valid(b) {
		return errNoText
	}
	return nil
}

// AppendDouble appends the text of string(x): the shortest one for x.
//
// Clause: CLI-072.
func AppendDouble(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }

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

// AppendBytes appends x as for %s at the top level: as the text that it encodes. Bytes that are not UTF-8 are an error.
//
// Clause: CLI-003.
func AppendBytes(dst, x []byte) ([]byte, error) {
	if err := CheckUTF8(x); err != nil {
		return dst, noTextError(err.Error())
	}
	return append(dst, x...), nil
}

// AppendElementBytes appends x as in a list or a map: its text in double quotes after a b. Bytes that are not UTF-8 are
// an error.
//
// Clause: CLI-003.
func AppendElementBytes(dst, x []byte) ([]byte, error) {
	if err := CheckUTF8(x); err != nil {
		return dst, noTextError(err.Error())
	}
	return strconv.AppendQuote(append(dst, 'b'), string(x)), nil
}

// AppendElementTimestamp appends t as in a list or a map: timestamp("...").
//
// Clause: CLI-003.
func AppendElementTimestamp(dst []byte, t time.Time) []byte {
	dst = append(dst, `timestamp("`...)
	dst = clock.AppendTimestamp(dst, t)
	return append(dst, `")`...)
}

// AppendElementDuration appends d as in a list or a map: duration("...").
//
// Clause: CLI-003.
func AppendElementDuration(dst []byte, d time.Duration) []byte {
	dst = append(dst, `duration("`...)
	dst = clock.AppendDuration(dst, d)
	return append(dst, `")`...)
}
