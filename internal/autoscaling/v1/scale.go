package v1

import kjson "sigs.k8s.io/json"

// A Scale is what a custom resource shows of its size.
type Scale struct {
	Kind       string      `json:"kind"`
	APIVersion string      `json:"apiVersion"`
	Metadata   any         `json:"metadata"` // an ObjectMeta, which is another's to read
	Spec       ScaleSpec   `json:"spec"`
	Status     ScaleStatus `json:"status"`
}

// A ScaleSpec is what is asked for.
type ScaleSpec struct {
	Replicas int32 `json:"replicas"`
}

// A ScaleStatus is what there is.
type ScaleStatus struct {
	Replicas int32  `json:"replicas"`
	Selector string `json:"selector"`
}

// Decode reads the JSON of a Scale. findings are its unknown and duplicate fields outside the metadata, in the order of the text.
//
// Clauses: SCL-006, SCL-007.
func Decode(text []byte) (s *Scale, findings []error, err error) {
	s = new(Scale)
	findings, err = kjson.UnmarshalStrict(text, s)
	return s, findings, err
}
