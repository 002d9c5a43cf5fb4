// Package hooks has the configurations of admission webhooks and the admission policies with their bindings
// (admissionregistration.k8s.io/v1): the errors for which a server refuses them, and which of them count for a request.
package hooks
