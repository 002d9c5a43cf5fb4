package admission

import (
	"encoding/json"
	"errors"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/unstructured"
)

const (
	reviewVersion = "admission.k8s.io/v1"
	reviewKind    = "AdmissionReview"
)

// The parts of an AdmissionReview that are needed here. A server sends one with a request, and receives one with a
// response.
type admissionReview struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID         string               `json:"uid"`
	Kind        groupVersionKind     `json:"kind"`
	Resource    GroupVersionResource `json:"resource"`
	SubResource string               `json:"subResource"`
	Namespace   string               `json:"namespace"`
	Operation   string               `json:"operation"`
	DryRun      bool                 `json:"dryRun"`
	// Object and OldObject stay text, because package unstructured decodes them: encoding/json decodes each number as a
	// float.
	Object    json.RawMessage `json:"object"`
	OldObject json.RawMessage `json:"oldObject"`
	Options   struct {
		FieldValidation string `json:"fieldValidation"`
	} `json:"options"`
}

type response struct {
	UID       string        `json:"uid"`
	Allowed   bool          `json:"allowed"`
	Status    *field.Status `json:"status,omitempty"`
	Patch     []byte        `json:"patch,omitempty"` // base64 in JSON
	PatchType string        `json:"patchType,omitempty"`
	Warnings  []string      `json:"warnings,omitempty"`
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// A GroupVersionResource is the resource of a request: its group, version and plural name.
type GroupVersionResource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

func (k groupVersionKind) String() string { return apiVersion(k.Group, k.Version) + " " + k.Kind }

// String returns group/version resource.
func (r GroupVersionResource) String() string {
	return apiVersion(r.Group, r.Version) + " " + r.Resource
}

// apiVersion returns the apiVersion of objects of that group and version.
func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// decodeReview returns the request of a review.
func decodeReview(body []byte) (*request, error) {
	var review admissionReview
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(body, &review); {
	case errors.As(err, &wrongType): // its text is about Go types
		return nil, wrong("", "the body is not an %s: the value at %q is of the wrong type, %s", reviewKind, wrongType.Field, wrongType.Value)
	case err != nil:
		return nil, wrong("", "the body is not an %s: %w", reviewKind, err)
	case review.Kind != reviewKind:
		return nil, wrong("", "the body is not an %s: its kind is %q", reviewKind, review.Kind)
	case review.APIVersion != reviewVersion:
		return nil, wrong("", "the %s is of %q: it must be of %s", reviewKind, review.APIVersion, reviewVersion)
	case review.Request == nil:
		return nil, wrong("request", "is missing")
	case review.Request.UID == "":
		return nil, wrong("request.uid", "is missing")
	}
	return review.Request, nil
}

// decode decodes the request's object or oldObject, the stored one. It must be of the kind of the request.
func (r *request) decode(name string, text json.RawMessage) (map[string]any, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, wrong("request."+name, "is missing")
	}
	obj, err := unstructured.DecodeJSON(text)
	if err != nil {
		return nil, wrong("request."+name, "is not an object: %w", err)
	}
	version, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	if version != apiVersion(r.Kind.Group, r.Kind.Version) || kind != r.Kind.Kind {
		return nil, wrong("request."+name, "has the kind %q of %q: request.kind is %v", kind, version, r.Kind)
	}
	return obj, nil
}
