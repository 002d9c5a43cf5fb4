package field

// A Limit bounds the number of errors in a list, and the bytes of their text. An API server has no such limit, and
// makes answers of gigabytes from requests of megabytes.
//
// A longer list is cut. It ends with one more error that gives the number of omitted errors: of type
// [ErrorTypeTooManyErrors], without a field, with an [*Omitted] as its BadValue. Its text is
//
//	<nil>: Too many errors: 390000 more are not listed
//
// The text of an error is its field, its value as printed (approximately) and its detail. The first error is listed
// whatever its length, which is linear in the validated object.
type Limit struct {
	Errors int // 0: 10,000; negative: none
	Bytes  int // of text; 0: 3 MiB; negative: none
}

// Omitted describes the errors that a [Limit] removed from a list.
type Omitted struct {
	Errors int         // their number; a text that a list would have once may be counted several times
	Types  []ErrorType // each once
}
