package admission

import (
	"errors"
	"fmt"
)

// A ReviewError says why a body is not a review that can be answered. [Webhook.Handler] answers it with code 400. The
// objects in a review are another matter: if they are not valid, the answer denies the request.
type ReviewError struct {
	Field   string // the path of the member, such as request.object; empty for the whole body
	Problem string
	cause   error
}

// Error implements error.
func (e *ReviewError) Error() string {
	if e.Field == "" {
		return e.Problem
	}
	return e.Field + " " + e.Problem
}

// Unwrap returns the error of the decoder, if there was one.
func (e *ReviewError) Unwrap() error { return e.cause }

func wrong(field, format string, args ...any) *ReviewError {
	err := fmt.Errorf(format, args...)
	return &ReviewError{field, err.Error(), errors.Unwrap(err)}
}
