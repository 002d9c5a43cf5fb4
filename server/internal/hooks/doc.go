// Package hooks has the configurations of admission webhooks (admissionregistration.k8s.io/v1): their defaults, the
// errors for which a server refuses them, and which webhooks are called for a request.
package hooks
