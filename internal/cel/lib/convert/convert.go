package convert

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// The errors of conversions.
var (
	ErrIntOverflow  = errors.New("integer overflow")
	errUintOverflow = errors.New("unsigned integer overflow")

	errTextToInt    = TypeError("string", "int")
	errTextToUint   = TypeError("string", "uint")
	errTextToDouble = TypeError("string", "double")
	errTextToBool   = TypeError("string", "bool")
	errNoText       = errors.New("invalid UTF-8 in bytes, cannot convert to string")
)

// TypeError is the error of a value that cannot be converted from one type to the other. The names are those of CEL.
//
// Clause: CMS-022.
func TypeError(from, to string) error {
	return errors.New("type conversion error from '" + from + "' to '" + to + "'")
}

// TextToInt is int(s): a decimal number with an optional sign.
//
// Clauses: CLI-072, CMS-022.
func TextToInt(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, errTextToInt
	}
	return n, nil
}

// TextToUint is uint(s): a decimal number without a sign.
//
// Clauses: CLI-072, CMS-022.
func TextToUint(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, errTextToUint
	}
	return n, nil
}

// TextToDouble is double(s): everything that strconv.ParseFloat accepts and that is not too large, including inf, NaN
// and 0x1p4.
//
// Clauses: CLI-072, CMS-022.
func TextToDouble(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, errTextToDouble
	}
	return x, nil
}

// TextToBool is bool(s): true TRUE True t 1, false FALSE False f 0, as strconv.ParseBool accepts them.
//
// Clauses: CLI-072, CMS-022.
func TextToBool(s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, errTextToBool
	}
	return b, nil
}

// BytesToText is string(b). Bytes that are not UTF-8 are an error.
//
// Clause: CMS-022.
func BytesToText(b []byte) (string, error) {
	if err := CheckText(b); err != nil {
		return "", err
	}
	return string(b), nil
}

// CheckText returns the error of BytesToText, or nil.
func CheckText(b []byte) error {
	if !utf8.Valid(b) {
		return errNoText
	}
	return nil
}

// DoubleToInt is int(x): x without its fraction. NaN, the infinities, and numbers of at least 2^63 or at most -2^63 are
// ErrIntOverflow.
//
// Clauses: CLI-072, CMS-022.
func DoubleToInt(x float64) (int64, error) {
	if !(x > math.MinInt64 && x < math.MaxInt64) {
		return 0, ErrIntOverflow
	}
	return int64(x), nil
}

// DoubleToUint is uint(x): x without its fraction. NaN, the infinities, negative numbers and numbers of at least 2^64
// are errUintOverflow; negative zero is not.
//
// Clauses: CLI-072, CMS-022.
func DoubleToUint(x float64) (uint64, error) {
	if !(x >= 0 && x < math.MaxUint64) {
		return 0, errUintOverflow
	}
	return uint64(x), nil
}

// IntToUint is uint(n).
//
// Clauses: CLI-072, CMS-022.
func IntToUint(n int64) (uint64, error) {
	if n < 0 {
		return 0, errUintOverflow
	}
	return uint64(n), nil
}

// UintToInt is int(n).
//
// Clauses: CLI-072, CMS-022.
func UintToInt(n uint64) (int64, error) {
	if n > math.MaxInt64 {
		return 0, ErrIntOverflow
	}
	return int64(n), nil
}

// DoubleToText is string(x): the shortest text for x, with an exponent below 0.0001 and from 1000000 on: 1e+06.
//
// Clause: CLI-072.
func DoubleToText(x float64) string { return string(AppendDouble(nil, x)) }

// AppendDouble appends the text of DoubleToText.
func AppendDouble(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }
