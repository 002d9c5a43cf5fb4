package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// call calls the handler with a review, and returns its answer.
func (h *Webhook) call(ctx context.Context, review []byte) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return callHandler(ctx, cancel, "http://webhook/?"+timeoutQuery(ctx), h.Handler, review)
}

// timeoutQuery returns the query with the time that is left until the deadline of ctx, in whole seconds.
func timeoutQuery(ctx context.Context) string {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ""
	}
	left := time.Until(deadline)
	if whole := left.Truncate(time.Second); whole != left {
		left = whole + time.Second
	}
	return "timeout=" + url.QueryEscape(left.String())
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

// The names in reviews.
const (
	reviewGroup = "admission.k8s.io"
	reviewKind  = "AdmissionReview"
	reviewPatch = "JSONPatch"
)

// An admissionReview is the answer of a webhook.
type admissionReview struct {
	Kind       string             `json:"kind"`
	APIVersion string             `json:"apiVersion"`
	Response   *admissionResponse `json:"response"`
}

// An admissionResponse is the response in a review.
type admissionResponse struct {
	UID       string          `json:"uid"`
	Allowed   bool            `json:"allowed"`
	Status    admissionStatus `json:"status"`
	Patch     []byte          `json:"patch"` // base64 in JSON
	PatchType *string         `json:"patchType"`
	Warnings  []string        `json:"warnings"`
}

// An admissionStatus is a Status of meta/v1.
type admissionStatus struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Details struct {
		Name              string              `json:"name"`
		Group             string              `json:"group"`
		Kind              string              `json:"kind"`
		UID               string              `json:"uid"`
		Causes            []field.StatusCause `json:"causes"`
		RetryAfterSeconds int                 `json:"retryAfterSeconds"`
	} `json:"details"`
}

// readReview decodes the answer of a webhook.
func readReview(body []byte) (*admissionReview, error) {
	review := new(admissionReview)
	if err := json.Unmarshal(body, review); err != nil {
		return nil, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	return review, nil
}

// verify returns the error of an invalid response to a review.
func (r *admissionReview) verify(h *hook, uid string) error {
	response := r.Response
	if response == nil {
		return errors.New("webhook response was absent")
	}
	if h.Review != "v1" {
		return nil // the server never checked older reviews
	}
	if response.UID != uid {
		return fmt.Errorf("expected response.uid=%q, got %q", uid, response.UID)
	}
	apiVersion := r.APIVersion
	if !strings.Contains(apiVersion, "/") {
		apiVersion = "/" + apiVersion
	}
	const want = reviewGroup + "/v1, Kind=" + reviewKind
	if got := apiVersion + ", Kind=" + r.Kind; got != want {
		return fmt.Errorf("expected webhook response of %s, got %s", want, got)
	}
	patched, typed := len(response.Patch) > 0, response.PatchType != nil
	switch {
	case !h.Mutating && patched:
		return errors.New("validating webhook may not return response.patch")
	case !h.Mutating && typed:
		return errors.New("validating webhook may not return response.patchType")
	case patched && !typed:
		return errors.New("webhook returned response.patch but not response.patchType")
	case typed && !patched:
		return errors.New("webhook returned response.patchType but not response.patch")
	case typed && *response.PatchType == "":
		return fmt.Errorf("webhook returned invalid response.patchType of %q", *response.PatchType)
	}
	return nil
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
	d := &s.Details
	return &field.Status{
		Code: max(s.Code, http.StatusBadRequest), Reason: s.Reason, Message: message,
		Group: d.Group, Kind: d.Kind, Name: d.Name, UID: d.UID, Causes: d.Causes, RetryAfterSeconds: d.RetryAfterSeconds,
	}
}
