package field

import "strconv"

// A Limit says how many errors a list holds, and how many bytes of text. An API server knows no such limit, and makes answers of gigabytes
// from requests of megabytes.
//
// A list that would be longer is cut. It ends with one more error, which says how many there are besides: of type
// [ErrorTypeTooManyErrors], at no field, with an [*Omitted] as its BadValue. Its text is
//
//	<nil>: Too many errors: 390000 more are not listed
//
// The text of an error is its field, its value as printed (about) and its detail. The first error is listed whatever its length, which is
// linear in what was judged.
type Limit struct {
	Errors int // 0: DefaultErrors; negative: none
	Bytes  int // of text; 0: DefaultBytes; negative: none
}

// The limit where none is given.
const (
	DefaultErrors = 10_000
	DefaultBytes  = 3 << 20
)

// OrDefault returns l with the defaults in the place of zeros.
func (l Limit) OrDefault() Limit {
	if l.Errors == 0 {
		l.Errors = DefaultErrors
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	return l
}

// Omitted is what a list that was cut at a [Limit] does not have.
type Omitted struct {
	Errors int         // how many were found; a text that a list has only once may be among them several times
	Types  []ErrorType // each once
}

// TooManyErrors returns the error that ends a list without those that are omitted.
func TooManyErrors(o *Omitted) *Error {
	are := " more are not listed"
	if o.Errors == 1 {
		are = " more is not listed"
	}
	return newError(ErrorTypeTooManyErrors, nil, o, strconv.Itoa(o.Errors)+are)
}
