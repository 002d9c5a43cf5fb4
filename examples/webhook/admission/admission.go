package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

// A Webhook answers reviews with its definitions. It is safe for concurrent use.
type Webhook struct {
	Served     Endpoints
	FailClosed bool // deny objects without a definition
}

// Mutate answers a mutating review with the patch. It denies nothing: other webhooks, and the server's own checks, come
// later.
//
// An error means that the review is malformed. If ctx ends before the answer is complete, the answer is invalid.
func (w Webhook) Mutate(ctx context.Context, review []byte) (answer []byte, err error) {
	return w.answer(ctx, review, func(r resource.Result) response {
		patched := response{Allowed: true, Warnings: r.Warnings}
		if patch := r.Patch(); patch != nil {
			patched.Patch, patched.PatchType = patch, "JSONPatch"
		}
		return patched
	})
}

// Validate answers a validating review. Errors are those of Mutate.
func (w Webhook) Validate(ctx context.Context, review []byte) (answer []byte, err error) {
	return w.answer(ctx, review, func(r resource.Result) response {
		refusal := r.Status()
		return response{Allowed: refusal == nil, Status: refusal, Warnings: r.Warnings}
	})
}

// answer answers a review with the response that respond returns for the result.
func (w Webhook) answer(ctx context.Context, review []byte, respond func(resource.Result) response) ([]byte, error) {
	r, err := decodeReview(review)
	if err != nil {
		return nil, err
	}
	answer, err := w.review(ctx, r, respond)
	if err != nil {
		return nil, err
	}
	answer.UID = r.UID
	return json.Marshal(admissionReview{APIVersion: reviewVersion, Kind: reviewKind, Response: &answer})
}

// review answers a request. An error means that the review is malformed.
func (w Webhook) review(ctx context.Context, r *request, respond func(resource.Result) response) (response, error) {
	switch r.Operation {
	case "DELETE", "CONNECT":
		return response{Allowed: true}, nil
	case "CREATE", "UPDATE":
	default:
		return response{}, fmt.Errorf("request.operation is %q: it must be CREATE, UPDATE, DELETE or CONNECT", r.Operation)
	}
	to, ok := w.Served[r.Resource]
	switch {
	case !ok:
		return w.unknown(r.Resource), nil
	case r.SubResource == "scale": // a Scale, whose object is not in the review
		return response{Allowed: true}, nil
	case r.Kind != to.kind:
		return response{}, fmt.Errorf("request.kind is %v: that of %v is %v", r.Kind, r.Resource, to.kind.Kind)
	}
	result, err := to.handle(ctx, r)
	if err != nil {
		return response{}, err
	}
	return respond(result), nil
}

// unknown answers a request about a resource without a definition.
func (w Webhook) unknown(r groupVersionResource) response {
	text := fmt.Sprintf("no CustomResourceDefinition of %v to check the object by", r)
	if w.FailClosed {
		return response{Status: &field.Status{Code: http.StatusForbidden, Reason: "Forbidden", Message: text}}
	}
	return response{Allowed: true, Warnings: []string{text}}
}

// handle handles the object of a request as a server with this definition would.
func (e endpoint) handle(ctx context.Context, r *request) (resource.Result, error) {
	var none resource.Result
	switch r.Operation + " " + r.SubResource {
	case "CREATE ", "UPDATE ", "UPDATE status":
	default:
		return none, fmt.Errorf("request.subResource is %q: %s is not supported there", r.SubResource, r.Operation)
	}
	v := e.With(resource.RequestOptions{Namespace: r.Namespace, FieldValidation: r.Options.FieldValidation})
	if r.settled(v) {
		return none, nil // the usual case: nothing to report, and nothing to decode
	}
	obj, err := r.decode("object", r.Object)
	if err != nil {
		return none, err
	}
	if r.Operation == "CREATE" {
		return v.Create(ctx, obj), nil
	}
	old, err := r.decode("oldObject", r.OldObject)
	if err != nil {
		return none, err
	}
	if r.SubResource == "status" {
		return v.UpdateStatus(ctx, obj, old), nil
	}
	return v.Update(ctx, obj, old), nil
}

// settled reports whether the object of a request is accepted unchanged, and is of the kind of the request.
func (r *request) settled(v *resource.Version) bool {
	switch {
	case v.Name() != r.Kind.Version || r.SubResource != "":
		return false
	case r.Operation == "CREATE":
		return v.Settled(r.Object)
	}
	return v.SettledUpdate(r.Object, r.OldObject)
}
