// Package admission answers AdmissionReviews of admission.k8s.io/v1 about custom resources, by
// CustomResourceDefinitions. The caller decides how reviews arrive.
package admission
