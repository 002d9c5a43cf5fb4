package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/protocol"
)

// failed returns what to say of an error: a refusal of package resource as it is, or an error of the store.
func failed(err error) *field.Status {
	var refused *field.Status
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, context.DeadlineExceeded):
		return &field.Status{
			Code: http.StatusGatewayTimeout, Reason: field.ReasonTimeout, RetryAfterSeconds: 1,
			Message: "request did not complete within the allotted timeout",
		}
	case errors.Is(err, storage.ErrClosed):
		return protocol.Unavailable("the server is shutting down")
	case errors.Is(err, storage.ErrTooLarge):
		return &field.Status{Code: http.StatusRequestEntityTooLarge, Reason: field.ReasonRequestEntityTooLarge, Message: err.Error()}
	}
	return protocol.Internal(err)
}

// invalidOptions refuses what a request says besides an object.
func invalidOptions(kind string, errs ...*field.Error) *field.Status {
	return protocol.OptionsStatus(kind, errs)
}
