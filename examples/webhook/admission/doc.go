// Package admission answers AdmissionReviews of admission.k8s.io/v1 about custom resources, by CustomResourceDefinitions. It is all that is
// particular to an admission webhook: the caller decides how reviews arrive.
package admission
