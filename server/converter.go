package server

import (
	"context"
	"net/http"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// conversionTimeout is how long a server waits for a conversion webhook.
const conversionTimeout = 30 * time.Second

// HandlerConverter returns a converter that calls the conversion webhook of d in this process: h answers POSTs of
// ConversionReviews, as the webhook does in a cluster. Its responses are checked as a server checks them. h is called
// concurrently if the converter is, and it should return when the request's context is done, after 30 seconds at most.
// [Options.Converters] and crdtest use such converters.
func HandlerConverter(d *crd.CustomResourceDefinition, h http.Handler) (conversion.Converter, error) {
	of, err := conversion.Compile(d)
	if err != nil {
		return nil, err
	}
	post := func(ctx context.Context, review []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, conversionTimeout)
		defer cancel()
		return callHandler(ctx, cancel, "http://webhook/?timeout="+conversionTimeout.String(), h, review)
	}
	return of.Webhook(catalog.UID, post), nil
}
