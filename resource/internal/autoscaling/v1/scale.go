package v1

import (
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// A Scale is the size of a custom resource, as its scale subresource has it.
type Scale struct {
	Kind       string      `json:"kind"`
	APIVersion string      `json:"apiVersion"`
	Metadata   any         `json:"metadata"` // an ObjectMeta, which package objectmeta reads
	Spec       ScaleSpec   `json:"spec"`
	Status     ScaleStatus `json:"status"`
}

// A ScaleSpec is the desired state.
type ScaleSpec struct {
	Replicas int32 `json:"replicas"`
}

// A ScaleStatus is the observed state.
type ScaleStatus struct {
	Replicas int32  `json:"replicas"`
	Selector string `json:"selector"`
}

// Decode reads the JSON of a Scale. findings are its unknown and duplicate fields, in the order of the text; those in
// the metadata count only if that can be read.
//
// Clauses: SCL-006, SCL-007.
func Decode(text []byte) (s *Scale, findings []string, err error) {
	s = new(Scale)
	if err = kjson.UnmarshalCaseSensitivePreserveInts(text, s); err != nil {
		return nil, nil, err
	}
	findings, _ = keyword.UnmarshalStrict(text, &keys{Metadata: objectmeta.NewKeys()})
	return s, findings, nil
}

// keys are all keys that a Scale may have.
type keys struct {
	Kind       string      `json:"kind"`
	APIVersion string      `json:"apiVersion"`
	Metadata   any         `json:"metadata"` // of objectmeta.NewKeys
	Spec       ScaleSpec   `json:"spec"`
	Status     ScaleStatus `json:"status"`
}
