// Package admission answers AdmissionReviews of admission.k8s.io/v1 about custom resources, by CustomResourceDefinitions. It is all that is
// particular to an admission webhook: how the reviews come is the affair of whoever calls it.
package admission
