package eval

import (
	"errors"
	"math"
	"strconv"

	"github.com/crdkit/crdkit/internal/cel/lib/text"
)

// Conversions between numbers, texts and bools: int(x), uint(x), double(x), string(x), bool(x). Those of times are in
// package clock; those that cannot fail and are simple Go conversions, such as int to double, are not here. The errors
// are variables, so they do not allocate.

var (
	errIntOverflow  = errors.New("integer overflow")
	errUintOverflow = errors.New("unsigned integer overflow")

	errTextToInt    = conversionError("string", "int")
	errTextToUint   = conversionError("string", "uint")
	errTextToDouble = conversionError("string", "double")
	errTextToBool   = conversionError("string", "bool")
)

// conversionError is the error of a value that cannot be converted from one type to the other. The names are those of
// CEL.
//
// Clause: CMS-022.
func conversionError(from, to string) error {
	return errors.New("type conversion error from '" + from + "' to '" + to + "'")
}

// textToInt is int(s): a decimal number with an optional sign.
//
// Clauses: CLI-072, CMS-022.
func textToInt(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, errTextToInt
	}
	return n, nil
}

// textToUint is uint(s): a decimal number without a sign.
//
// Clauses: CLI-072, CMS-022.
func textToUint(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, errTextToUint
	}
	return n, nil
}

// textToDouble is double(s): everything that strconv.ParseFloat accepts and that is not too large, including inf, NaN
// and 0x1p4.
//
// Clauses: CLI-072, CMS-022.
func textToDouble(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, errTextToDouble
	}
	return x, nil
}

// textToBool is bool(s): true TRUE True t 1, false FALSE False f 0, as strconv.ParseBool accepts them.
//
// Clauses: CLI-072, CMS-022.
func textToBool(s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, errTextToBool
	}
	return b, nil
}

// bytesToText is string(b). Bytes that are not UTF-8 are an error.
//
// Clause: CMS-022.
func bytesToText(b []byte) (string, error) {
	if err := text.CheckUTF8(b); err != nil {
		return "", err
	}
	return string(b), nil
}

// doubleToInt is int(x): x without its fraction. NaN, the infinities, and numbers of at least 2^63 or at most -2^63 are
// errIntOverflow.
//
// Clauses: CLI-072, CMS-022.
func doubleToInt(x float64) (int64, error) {
	if !(x > math.MinInt64 && x < math.MaxInt64) {
		return 0, errIntOverflow
	}
	return int64(x), nil
}

// doubleToUint is uint(x): x without its fraction. NaN, the infinities, negative numbers and numbers of at least 2^64
// are errUintOverflow; negative zero is not.
//
// Clauses: CLI-072, CMS-022.
func doubleToUint(x float64) (uint64, error) {
	if !(x >= 0 && x < math.MaxUint64) {
		return 0, errUintOverflow
	}
	return uint64(x), nil
}

// intToUint is uint(n).
//
// Clauses: CLI-072, CMS-022.
func intToUint(n int64) (uint64, error) {
	if n < 0 {
		return 0, errUintOverflow
	}
	return uint64(n), nil
}

// uintToInt is int(n).
//
// Clauses: CLI-072, CMS-022.
func uintToInt(n uint64) (int64, error) {
	if n > math.MaxInt64 {
		return 0, errIntOverflow
	}
	return int64(n), nil
}

// doubleToText is string(x): the shortest text for x, with an exponent below 0.0001 and from 1000000 on: 1e+06.
//
// Clause: CLI-072.
func doubleToText(x float64) string { return string(text.AppendDouble(nil, x)) }
