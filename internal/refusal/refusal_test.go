package refusal_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
)

func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		name      string
		got, want *field.Status
	}{
		{"DEC-014 bad request", refusal.BadRequest("why"), &field.Status{Code: 400, Reason: "BadRequest", Message: "why"}},
		{"STR-001 no reason", refusal.Plain("why"), &field.Status{Code: 500, Message: "why"}},
		{"internal", refusal.Internal(errors.New("why")),
			&field.Status{Code: 500, Reason: "InternalError", Message: "Internal error occurred: why", Causes: []field.StatusCause{{Message: "why"}}}},
		{"DEC-016 too large", refusal.TooLarge("why"),
			&field.Status{Code: 413, Reason: "RequestEntityTooLarge", Message: "Request entity too large: why"}},
		{"DEC-016 body", refusal.LongBody(),
			&field.Status{Code: 413, Reason: "RequestEntityTooLarge", Message: "Request entity too large: limit is 3145728"}},
		{"DEC-017 media type", refusal.MediaType("a/b, c/d"), &field.Status{Code: 415, Reason: "UnsupportedMediaType",
			Message: "the body of the request was in an unknown format - accepted media types include: a/b, c/d"}},
	} {
		require.Equal(t, row.want, row.got, row.name)
	}
}
