package server

import (
	"cmp"
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

// A Webhook takes part in the admission of writes, without a network. The server calls the mutating webhooks in order,
// each with the object as changed by the previous one, then validates the object, and then calls the validating
// webhooks. The first refusal ends the request, with the error text of a Kubernetes server.
type Webhook struct {
	// Name is the webhook's name in error messages, such as vwidget.example.com.
	Name string
	// Handler answers POSTs of AdmissionReviews (admission.k8s.io/v1), as the webhook does in a cluster. It may be the
	// project's own handler, or one that forwards to a URL. It is called concurrently. It should return when the
	// request's context is done, after Timeout.
	Handler http.Handler
	// Mutating is for a webhook that may change objects.
	Mutating bool
	// Resources are the resources for which the webhook is called: plural name and group, such as deployments.apps or
	// configmaps, or a subresource, such as deployments.apps/status. Nil is all resources, without subresources.
	Resources []string
	// Operations are some of CREATE, UPDATE and DELETE. Nil is CREATE and UPDATE.
	Operations []string
	// IgnoreFailures continues without the webhook if the call fails or its response is invalid (failurePolicy Ignore).
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

// mutate calls the mutating webhooks and returns the changed object. It implements Admit of [resource.RequestOptions].
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

// validate calls the validating webhooks with an object and the stored object. For DELETE it also calls the mutating
// ones.
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

// webhooks returns the mutating or the validating webhooks to call for an operation. For DELETE it returns both.
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
	UID     string `json:"uid"`
	Allowed bool   `json:"allowed"`
	Status  struct {
		Code    int    `json:"code"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"status"`
	Patch     []byte   `json:"patch"` // base64 in JSON
	PatchType string   `json:"patchType"`
	Warnings  []string `json:"warnings"`
}

// review calls a webhook. It returns the object if the webhook has changed it, nil if not, or a refusal.
func (q *request) review(ctx context.Context, h *Webhook, operation string, dryRun bool, obj, old map[string]any) (map[string]any, *field.Status) {
	uid := catalog.UID()
	body, err := json.Marshal(map[string]any{
		"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": q.admissionRequest(uid, operation, dryRun, obj, old),
	})
	if err != nil {
		return nil, protocol.Internal(err)
	}
	q.slot.releaseWork() // the webhook may send requests itself
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
		return nil, response.denied(h.Name)
	}
	if len(response.Patch) == 0 {
		return nil, nil
	}
	if response.PatchType != "JSONPatch" {
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
		"object":   obj, "oldObject": old, // null if nil
	}
	name := cmp.Or(q.name, text(metadata(obj), "name"))
	for key, v := range map[string]string{"name": name, "namespace": q.namespace, "subResource": q.sub, "requestSubResource": q.sub} {
		if v != "" {
			request[key] = v
		}
	}
	return request
}

// call calls the handler with a review, and returns its answer.
func (h *Webhook) call(ctx context.Context, review []byte) ([]byte, error) {
	timeout := cmp.Or(max(h.Timeout, 0), 10*time.Second)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	to := "http://webhook/?timeout=" + url.QueryEscape(timeout.String())
	return callHandler(ctx, cancel, to, h.Handler, review)
}

// callHandler posts a review to a handler in this process.
func callHandler(ctx context.Context, cancel func(), to string, h http.Handler, review []byte) ([]byte, error) {
	return catalog.Post(ctx, to, review, func(r *http.Request) (_ *http.Response, err error) {
		r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), localAddress
		a := newAnswer(ctx, cancel)
		defer a.finish()
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the webhook has panicked: %v", p)
			}
		}()
		h.ServeHTTP(a, r)
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

// denied returns the refusal of the webhook with that name.
func (r *admissionResponse) denied(name string) *field.Status {
	s := &r.Status
	message := fmt.Sprintf("admission webhook %q denied the request", name)
	if why := cmp.Or(s.Message, s.Reason); why != "" {
		message += ": " + why
	} else {
		message += " without explanation"
	}
	return &field.Status{Code: max(s.Code, http.StatusBadRequest), Reason: s.Reason, Message: message}
}
