// Package admission is an admission webhook for custom resources: it answers AdmissionReviews of admission.k8s.io/v1 by
// CustomResourceDefinitions, with the patches, warnings and errors of a Kubernetes API server that has them.
//
//	definitions, err := registry.Load("crds")
//	webhook, err := admission.Compile(definitions, nil)
//	err = webhook.ListenAndServeTLS(ctx, ":8443", "tls.crt", "tls.key") // or use webhook.Handler() in another server
//
// [Webhook.RespondMutating] and [Webhook.RespondValidating] take the body of a request and return that of the response,
// for other transports. The repository's examples/webhook is a program around this package. The other side, which calls
// webhooks and checks their responses, is in package server.
//
// # Reviews
//
// The definition and its version are those of request.resource, the version of the object. It differs from
// request.requestResource if the server has converted the object for the webhook's rule. Nothing is converted here.
//
//   - CREATE, UPDATE, and UPDATE of the status subresource are handled as a server would: defaulted, pruned as the
//     request's fieldValidation says, and validated with rules, transitions and ratcheting.
//   - Mutating reviews get a patch, and deny nothing: other webhooks, and the server's own checks, come later.
//     Validating reviews are denied if there are errors.
//   - DELETE and CONNECT are always allowed. So is the scale subresource: the review has the Scale and not the object
//     that it changes.
//   - A resource, or a version, that no definition serves is allowed with a warning, or denied with
//     [Options].FailClosed.
//   - Dry runs are answered like other requests: a webhook has no side effects.
//
// # Errors
//
// A body that is not a review is a [*ReviewError], and code 400. Other codes are those of package guard: 413, 415, 503,
// 504. The failurePolicy of the configuration decides about requests whose review got one of them. Keep the default,
// Fail: with Ignore, an object that takes too long to validate is accepted.
//
// # Limits
//
// Package guard has the limits of [Webhook.Handler] for the memory and time of all reviews together: a review is
// answered before the timeout in the query of its URL. [Options].Observe is for metrics.
//
// # Concurrency
//
// A [Webhook] is safe for concurrent use.
//
// # Parity
//
// The answers follow Kubernetes 1.37, as those of package resource do. Its clauses are those of the families DEC, ORD,
// STR and RAT: docs/internals/behaviour.md in the repository lists them with their tests.
package admission
