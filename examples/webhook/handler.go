package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

// maxReview is how many bytes a review may have: room for the new and the old object, where a request has 3 MiB at most.
const maxReview = 16 << 20

// A webhook answers reviews by the definitions that it has. It is safe for concurrent use.
type webhook struct {
	served     endpoints
	failClosed bool // what it has no definition of is denied
}

func (w webhook) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /mutate", w.answers(mutated))
	mux.Handle("POST /validate", w.answers(validated))
	return mux
}

// mutated answers a mutating review with the patch. It does not deny: other webhooks, and the server's own checks, are yet to come.
func mutated(r resource.Result) admissionResponse {
	response := admissionResponse{Allowed: true, Warnings: r.Warnings}
	if patch := r.Patch(); patch != nil {
		response.Patch, response.PatchType = patch, "JSONPatch"
	}
	return response
}

// validated answers a validating review.
func validated(r resource.Result) admissionResponse {
	refusal := r.Status()
	return admissionResponse{Allowed: refusal == nil, Status: refusal, Warnings: r.Warnings}
}

// answers serves reviews whose responses the given function makes.
func (w webhook) answers(respond func(resource.Result) admissionResponse) http.HandlerFunc {
	return func(out http.ResponseWriter, in *http.Request) {
		request, refused := readRequest(out, in)
		if refused != nil {
			http.Error(out, refused.text, refused.code)
			return
		}
		response, err := w.review(in.Context(), request, respond)
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		response.UID = request.UID
		text, err := json.Marshal(admissionReview{APIVersion: reviewVersion, Kind: reviewKind, Response: &response})
		if err != nil {
			http.Error(out, err.Error(), http.StatusInternalServerError)
			return
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = out.Write(text) // a caller that is gone needs no answer
	}
}

// An httpError refuses what is no review.
type httpError struct {
	code int
	text string
}

func readRequest(out http.ResponseWriter, in *http.Request) (*admissionRequest, *httpError) {
	contentType := in.Header.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(contentType); err != nil || name != "application/json" {
		return nil, &httpError{http.StatusUnsupportedMediaType, fmt.Sprintf("the content type is %q: it must be application/json", contentType)}
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxReview))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &httpError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", tooLarge.Limit)}
	case err != nil:
		return nil, &httpError{http.StatusBadRequest, "the body cannot be read: " + err.Error()}
	}
	request, err := decodeReview(body)
	if err != nil {
		return nil, &httpError{http.StatusBadRequest, err.Error()}
	}
	return request, nil
}

// review answers a request. An error says that there is something wrong with the review itself.
func (w webhook) review(
	ctx context.Context, r *admissionRequest, respond func(resource.Result) admissionResponse,
) (admissionResponse, error) {
	switch r.Operation {
	case "DELETE", "CONNECT":
		return admissionResponse{Allowed: true}, nil
	case "CREATE", "UPDATE":
	default:
		return admissionResponse{}, fmt.Errorf("request.operation is %q: it must be CREATE, UPDATE, DELETE or CONNECT", r.Operation)
	}
	to, ok := w.served[r.Resource]
	switch {
	case !ok:
		return w.unknown(r.Resource), nil
	case r.SubResource == "scale": // a Scale, whose object is not in the review
		return admissionResponse{Allowed: true}, nil
	case r.Kind != to.kind:
		return admissionResponse{}, fmt.Errorf("request.kind is %v: that of %v is %v", r.Kind, r.Resource, to.kind.Kind)
	}
	result, err := to.judge(ctx, r)
	if err != nil {
		return admissionResponse{}, err
	}
	return respond(result), nil
}

// unknown answers a request about what no definition is here of.
func (w webhook) unknown(r groupVersionResource) admissionResponse {
	text := fmt.Sprintf("no CustomResourceDefinition of %v to check the object by", r)
	if w.failClosed {
		return admissionResponse{Status: &field.Status{Code: http.StatusForbidden, Reason: "Forbidden", Message: text}}
	}
	return admissionResponse{Allowed: true, Warnings: []string{text}}
}

// judge does with the object of a request what a server would that has this definition.
func (e endpoint) judge(ctx context.Context, r *admissionRequest) (resource.Result, error) {
	var none resource.Result
	switch r.Operation + " " + r.SubResource {
	case "CREATE ", "UPDATE ", "UPDATE status":
	default:
		return none, fmt.Errorf("request.subResource is %q: there is no %s of that", r.SubResource, r.Operation)
	}
	v := e.With(resource.RequestOptions{Namespace: r.Namespace, FieldValidation: r.Options.FieldValidation})
	obj, err := r.object()
	if err != nil {
		return none, err
	}
	if r.Operation == "CREATE" {
		return v.Create(ctx, obj), nil
	}
	old, err := r.oldObject()
	if err != nil {
		return none, err
	}
	if r.SubResource == "status" {
		return v.UpdateStatus(ctx, obj, old), nil
	}
	return v.Update(ctx, obj, old), nil
}
