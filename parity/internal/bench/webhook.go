package bench

import (
	"encoding/json"
	"io"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/admission"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/registry"
)

// Webhook returns crdkit's admission webhook for the definitions of the subjects, as package admission serves it.
func Webhook(subjects []*Subject) (http.Handler, error) {
	var definitions []*crd.CustomResourceDefinition
	seen := map[metav1.GroupVersionResource]bool{}
	for _, s := range subjects {
		if seen[s.resource()] {
			continue // two subjects may have one definition
		}
		seen[s.resource()] = true
		d, err := crd.Parse(s.Definition)
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, d)
	}
	r, err := registry.New(definitions...)
	if err != nil {
		return nil, err
	}
	w, err := admission.Compile(r, nil)
	if err != nil {
		return nil, err
	}
	return w.Handler(), nil
}

// ReferenceWebhook returns a validating webhook that is written with the Kubernetes packages, as a project would: it
// has no limits on memory or time, and does not print the errors in the form of a server.
func ReferenceWebhook(subjects []*Subject) http.Handler {
	compiled := map[metav1.GroupVersionResource]*reference.Compiled{}
	for _, s := range subjects {
		compiled[s.resource()] = s.Reference
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var review admissionv1.AdmissionReview
		if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
			http.Error(w, "not a review", http.StatusBadRequest)
			return
		}
		answer := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		if c := compiled[review.Request.Resource]; c != nil {
			obj, err := reference.DecodeObject(review.Request.Object.Raw)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			var old map[string]any
			if review.Request.OldObject.Raw != nil {
				if old, err = reference.DecodeObject(review.Request.OldObject.Raw); err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
			}
			if errs := c.Admit(r.Context(), obj, old); len(errs) > 0 {
				answer.Allowed = false
				answer.Result = &metav1.Status{Message: errs.ToAggregate().Error()}
			}
		}
		text, err := json.Marshal(admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: answer})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // the client may be gone
	})
}

func (s *Subject) resource() metav1.GroupVersionResource {
	spec := s.Stored.Spec
	return metav1.GroupVersionResource{Group: spec.Group, Version: spec.Versions[0].Name, Resource: spec.Names.Plural}
}

// Review returns the body of a review of a create of an object in JSON, as an API server sends it.
func (s *Subject) Review(object []byte) []byte {
	kind := metav1.GroupVersionKind{Group: s.Stored.Spec.Group, Version: s.Stored.Spec.Versions[0].Name, Kind: s.Stored.Spec.Names.Kind}
	resource := s.resource()
	meta, _ := s.Decoded["metadata"].(map[string]any)
	namespace, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	review := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: types.UID("0b7a2c54-6f0e-4c58-9d0c-3f1f2f0a9c11"), Kind: kind, Resource: resource, RequestKind: &kind, RequestResource: &resource,
			Name: name, Namespace: namespace, Operation: admissionv1.Create,
		},
	}
	review.Request.Object.Raw = object
	text, err := json.Marshal(review)
	if err != nil {
		panic(err) // the object is JSON
	}
	return text
}
