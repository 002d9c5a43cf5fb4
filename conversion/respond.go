package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
)

// Respond implements a conversion webhook: it decodes the body of a server's request, a ConversionReview of version v1
// or v1beta1, converts the objects with conv, and returns the body of the response, a review of the same version. An
// error of conv, or an object that is not JSON, makes a failed response, and the server shows its text. Otherwise the
// results of conv are not checked: the server does that.
//
// An error means that the body is not a review: the webhook then responds with an HTTP error.
func Respond(ctx context.Context, review []byte, conv Converter) (response []byte, err error) {
	in, version, err := readReview(review, v1)
	if err != nil {
		return nil, fmt.Errorf("conversion: %w", err)
	}
	if !in.requested {
		return nil, errors.New("conversion: no request in the review")
	}
	objects := make([]map[string]any, len(in.requestedObjects))
	for i, data := range in.requestedObjects {
		a := parseAnswer(data)
		if a.err != nil {
			return nil, fmt.Errorf("conversion: object %d of the request: %w", i, a.err)
		}
		objects[i] = a.obj
	}

	type result struct {
		Metadata struct{} `json:"metadata"`
		Status   string   `json:"status"`
		Message  string   `json:"message,omitempty"`
	}
	type body struct {
		UID              string           `json:"uid"`
		ConvertedObjects []map[string]any `json:"convertedObjects"`
		Result           result           `json:"result"`
	}
	out := body{UID: in.requestUID, Result: result{Status: "Success"}}
	if out.ConvertedObjects, err = convertNormal(ctx, conv, objects, in.apiVersion); err != nil {
		out.Result = result{Status: "Failure", Message: refusal.Cut(err.Error())}
	}
	return json.Marshal(struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Response   body   `json:"response"`
	}{reviewKind, reviewGroup + "/" + version, out})
}

// convertNormal returns only objects that can be marshaled, and none with an error.
func convertNormal(ctx context.Context, conv Converter, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	converted, err := conv.Convert(ctx, objects, apiVersion)
	if err != nil {
		return nil, err
	}
	out := make([]map[string]any, len(converted))
	for i, obj := range converted {
		normal, err := jsonval.Normalize(nil, obj)
		if err != nil {
			return nil, fmt.Errorf("converted object %d: %w", i, err)
		}
		out[i] = normal.(map[string]any)
	}
	return out, nil
}
