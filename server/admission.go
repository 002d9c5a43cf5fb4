package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

// A Webhook takes part in the admission of writes, without a network. A server calls the mutating webhooks in their order, each with what the
// one before has made of the object, then validates the object, and then calls the validating webhooks. The first refusal counts, with a
// server's text.
type Webhook struct {
	// Name is what refusals say, such as vwidget.example.com.
	Name string
	// Handler answers POSTs of AdmissionReviews (admission.k8s.io/v1), as the webhook does in a cluster: a project's own handler, or one that
	// forwards to a URL. It is called by several goroutines at once. It should end when the request's context does, after Timeout.
	Handler http.Handler
	// Mutating says that the webhook may change objects.
	Mutating bool
	// Resources are the resources that the webhook is for, each a plural name and a group, such as deployments.apps and configmaps, and
	// a subresource where it is for that: deployments.apps/status. Nil is all resources, without subresources.
	Resources []string
	// Operations are CREATE, UPDATE and DELETE, or some of them. Nil is CREATE and UPDATE.
	Operations []string
	// IgnoreFailures goes on without the webhook when its answer is none (failurePolicy Ignore).
	IgnoreFailures bool
	// Timeout of a call; 0 is 10 seconds.
	Timeout time.Duration
}

// The operations of admission.
const (
	operationCreate = "CREATE"
	operationUpdate = "UPDATE"
	operationDelete = "DELETE"
)

// wants reports whether the webhook is called for a request.
func (h *Webhook) wants(q *request, operation string) bool {
	operations := h.Operations
	if operations == nil {
		operations = []string{operationCreate, operationUpdate}
	}
	if !slices.Contains(operations, operation) {
		return false
	}
	if h.Resources == nil {
		return q.sub == ""
	}
	name := q.kind.Resource().String()
	if q.sub != "" {
		name += "/" + q.sub
	}
	return slices.Contains(h.Resources, name)
}

// mutate calls the mutating webhooks, and returns the object as they change it. It is the Admit of package resource.
func (q *request) mutate(ctx context.Context, dryRun bool, obj, old map[string]any) (map[string]any, error) {
	operation := operationUpdate
	if old == nil {
		operation = operationCreate
	}
	for h := range q.webhooks(operation, true) {
		changed, refused := q.review(ctx, h, operation, dryRun, obj, old)
		if refused != nil {
			return nil, refused
		}
		if changed != nil {
			obj = changed
		}
	}
	return obj, nil
}

// validate calls the validating webhooks, or for a DELETE all webhooks that want it, with an object and what is stored of it.
func (q *request) validate(operation string, dryRun bool, obj, stored map[string]any) *field.Status {
	var old map[string]any
	for h := range q.webhooks(operation, false) {
		if old == nil && stored != nil {
			var refused *field.Status
			if old, refused = q.readStored(stored); refused != nil {
				return refused
			}
		}
		changed, refused := q.review(q.r.Context(), h, operation, dryRun, obj, old)
		if refused != nil {
			return refused
		}
		if changed != nil {
			return protocol.Internal(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", h.Name))
		}
	}
	return nil
}

// webhooks returns the mutating or the others of the webhooks that want an operation. A DELETE is for both.
func (q *request) webhooks(operation string, mutating bool) iter.Seq[*Webhook] {
	return func(yield func(*Webhook) bool) {
		for i := range q.s.options.Webhooks {
			h := &q.s.options.Webhooks[i]
			if (h.Mutating == mutating || operation == operationDelete) && h.wants(q, operation) && !yield(h) {
				return
			}
		}
	}
}

// An admissionResponse is the answer of a webhook.
type admissionResponse struct {
	UID       string           `json:"uid"`
	Allowed   bool             `json:"allowed"`
	Status    *admissionStatus `json:"status"`
	Patch     []byte           `json:"patch"` // base64 in JSON
	PatchType *string          `json:"patchType"`
	Warnings  []string         `json:"warnings"`
}

type admissionStatus struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// review calls a webhook. It returns the object if the webhook has changed it, or a refusal.
func (q *request) review(ctx context.Context, h *Webhook, operation string, dryRun bool, obj, old map[string]any) (map[string]any, *field.Status) {
	uid := catalog.UID()
	body, err := json.Marshal(map[string]any{
		"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": q.admissionRequest(uid, operation, dryRun, obj, old),
	})
	if err != nil {
		return nil, protocol.Internal(err)
	}
	answer, err := h.call(ctx, body)
	var response *admissionResponse
	if err == nil {
		response, err = readReview(answer, uid)
	}
	switch {
	case err != nil && h.IgnoreFailures:
		return nil, nil
	case err != nil:
		return nil, protocol.Internal(fmt.Errorf("failed calling webhook %q: failed to call webhook: %w", h.Name, err))
	}
	q.warnings = append(q.warnings, response.Warnings...)
	if !response.Allowed {
		return nil, denied(h.Name, response.Status)
	}
	if len(response.Patch) == 0 {
		return nil, nil
	}
	if response.PatchType == nil || *response.PatchType != "JSONPatch" {
		return nil, protocol.Internal(fmt.Errorf("failed calling webhook %q: the patch has no patchType JSONPatch", h.Name))
	}
	text, err := patch.Patched(obj, patch.TypeJSON, response.Patch)
	if err != nil {
		return nil, protocol.Internal(err)
	}
	changed, err := unstructured.DecodeJSON(text)
	if err != nil {
		return nil, protocol.Internal(err)
	}
	return changed, nil
}

// admissionRequest returns the request in a review.
func (q *request) admissionRequest(uid, operation string, dryRun bool, obj, old map[string]any) map[string]any {
	k := q.kind
	kind := map[string]any{"group": k.Group, "version": k.VersionName, "kind": k.Names.Kind}
	plural := map[string]any{"group": k.Group, "version": k.VersionName, "resource": k.Definition.Spec.Names.Plural}
	name := q.name
	if name == "" {
		name = text(metadata(obj), "name")
	}
	options := map[string]any{
		"apiVersion": "meta.k8s.io/v1", "kind": map[string]string{operationCreate: "CreateOptions", operationUpdate: "UpdateOptions", operationDelete: "DeleteOptions"}[operation],
	}
	if dryRun {
		options["dryRun"] = []string{"All"}
	}
	request := map[string]any{
		"uid": uid, "kind": kind, "resource": plural, "requestKind": kind, "requestResource": plural,
		"operation": operation, "dryRun": dryRun, "options": options,
		"userInfo": map[string]any{"username": "kubernetes-admin", "groups": []string{"system:masters", "system:authenticated"}},
		"object":   nil, "oldObject": nil,
	}
	if obj != nil {
		request["object"] = obj
	}
	if old != nil {
		request["oldObject"] = old
	}
	if name != "" {
		request["name"] = name
	}
	if q.namespace != "" {
		request["namespace"] = q.namespace
	}
	if q.sub != "" {
		request["subResource"], request["requestSubResource"] = q.sub, q.sub
	}
	return request
}

// call calls the handler with a review, and returns its answer.
func (h *Webhook) call(ctx context.Context, review []byte) ([]byte, error) {
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	to := "http://webhook/?timeout=" + url.QueryEscape(timeout.String())
	return catalog.Post(ctx, to, review, func(r *http.Request) (_ *http.Response, err error) {
		r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), localAddress
		a := newAnswer(ctx, cancel)
		defer a.finish()
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the webhook has panicked: %v", p)
			}
		}()
		h.Handler.ServeHTTP(a, r)
		a.WriteHeader(http.StatusOK)
		return a.response(r), ctx.Err()
	})
}

// readReview reads the answer of a webhook.
func readReview(body []byte, uid string) (*admissionResponse, error) {
	var review struct {
		Kind       string             `json:"kind"`
		APIVersion string             `json:"apiVersion"`
		Response   *admissionResponse `json:"response"`
	}
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("invalid response: %w", err)
	}
	const want = "admission.k8s.io/v1, Kind=AdmissionReview"
	switch got := review.APIVersion + ", Kind=" + review.Kind; {
	case got != want:
		return nil, fmt.Errorf("expected webhook response of %s, got %s", want, got)
	case review.Response == nil:
		return nil, errors.New("webhook response was absent")
	case review.Response.UID != uid:
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, review.Response.UID)
	}
	return review.Response, nil
}

// denied returns the refusal of a webhook.
func denied(name string, s *admissionStatus) *field.Status {
	if s == nil {
		s = &admissionStatus{}
	}
	message := fmt.Sprintf("admission webhook %q denied the request", name)
	switch {
	case s.Message != "":
		message += ": " + s.Message
	case s.Reason != "":
		message += ": " + s.Reason
	default:
		message += " without explanation"
	}
	return &field.Status{Code: max(s.Code, http.StatusBadRequest), Reason: s.Reason, Message: message}
}
