package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/guard"
)

// Options of a [Webhook]. The zero value has good defaults.
type Options struct {
	// FailClosed denies objects without a definition. By default they are allowed, with a warning.
	FailClosed bool
	// Limits are those of [Webhook.Handler] and [Webhook.Serve].
	Limits guard.Limits
	// Log receives the address that [Webhook.ListenAndServeTLS] listens on, the problems of clients, and panics, at most
	// a few lines a second. Nil discards them.
	Log io.Writer
	// Observe is called after each request of [Webhook.Handler], for metrics. It may be nil. It must be safe for
	// concurrent use.
	Observe func(Observation)
}

// A Webhook answers reviews with its definitions. It is immutable and safe for concurrent use.
type Webhook struct {
	served  map[GroupVersionResource]endpoint
	options Options
	guard   *guard.Guard
}

// Compile returns a webhook for the served versions of the definitions. nil are the default options. It is an error if
// one does not compile, or if no version is served. It sets the memory limit of the runtime, see [guard.New].
func Compile(definitions *registry.Registry, o *Options) (*Webhook, error) {
	w := &Webhook{served: map[GroupVersionResource]endpoint{}}
	if o != nil {
		w.options = *o
	}
	if w.options.Log == nil {
		w.options.Log = io.Discard
	}
	for _, d := range definitions.Definitions() {
		if err := w.add(d.CRD); err != nil {
			source := d.Source.String()
			if source != "" {
				source += ": "
			}
			return nil, fmt.Errorf("%s%s: %w", source, d.Name(), err)
		}
	}
	if len(w.served) == 0 {
		return nil, errors.New("no CustomResourceDefinition with a served version")
	}
	w.guard = guard.New(w.options.Limits, w.options.Log)
	return w, nil
}

// RespondMutating answers a mutating review with the patch. It denies nothing: other webhooks, and the server's own
// checks, come later.
//
// An error is a [*ReviewError]. If ctx ends before the answer is complete, the answer is invalid.
func (w *Webhook) RespondMutating(ctx context.Context, review []byte) (answer []byte, err error) {
	return w.answer(ctx, review, func(r resource.Result) response {
		patched := response{Allowed: true, Warnings: r.Warnings}
		if patch := r.Patch(); patch != nil {
			patched.Patch, patched.PatchType = patch, "JSONPatch"
		}
		return patched
	})
}

// RespondValidating answers a validating review. Errors are those of RespondMutating.
func (w *Webhook) RespondValidating(ctx context.Context, review []byte) (answer []byte, err error) {
	return w.answer(ctx, review, func(r resource.Result) response {
		refusal := r.Status()
		return response{Allowed: refusal == nil, Status: refusal, Warnings: r.Warnings}
	})
}

// answer answers a review with the response that respond returns for the result.
func (w *Webhook) answer(ctx context.Context, review []byte, respond func(resource.Result) response) ([]byte, error) {
	r, err := decodeReview(review)
	if err != nil {
		return nil, err
	}
	seen := noted(ctx, r)
	answer, err := w.review(ctx, r, respond)
	if err != nil {
		return nil, err
	}
	answer.UID = r.UID
	seen(answer)
	return json.Marshal(admissionReview{APIVersion: reviewVersion, Kind: reviewKind, Response: &answer})
}

// review answers a request. An error is a [*ReviewError].
func (w *Webhook) review(ctx context.Context, r *request, respond func(resource.Result) response) (response, error) {
	switch r.Operation {
	case "DELETE", "CONNECT":
		return response{Allowed: true}, nil
	case "CREATE", "UPDATE":
	default:
		return response{}, wrong("request.operation", "is %q: it must be CREATE, UPDATE, DELETE or CONNECT", r.Operation)
	}
	to, ok := w.served[r.Resource]
	switch {
	case !ok:
		return w.unknown(r.Resource), nil
	case r.SubResource == "scale": // a Scale, whose object is not in the review
		return response{Allowed: true}, nil
	case r.Kind != to.kind:
		return response{}, wrong("request.kind", "is %v: that of %v is %v", r.Kind, r.Resource, to.kind.Kind)
	}
	result, err := to.handle(ctx, r)
	if err != nil {
		return response{}, err
	}
	return respond(result), nil
}

// unknown answers a request about a resource without a definition.
func (w *Webhook) unknown(r GroupVersionResource) response {
	text := fmt.Sprintf("no CustomResourceDefinition of %v to check the object by", r)
	if w.options.FailClosed {
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
		return none, wrong("request.subResource", "is %q: %s is not supported there", r.SubResource, r.Operation)
	}
	v := e.With(resource.RequestOptions{Namespace: r.Namespace, FieldValidation: r.Options.FieldValidation, DryRun: r.DryRun})
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
