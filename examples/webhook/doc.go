// Webhook is an admission webhook for custom resources: it defaults, prunes and validates them as a Kubernetes API
// server would that has the CustomResourceDefinitions in the given files, with that server's patches, warnings and
// errors. To try it:
//
//	go run ./examples/webhook -self-signed examples/quickstart/crd.yaml
//
// It answers an AdmissionReview of admission.k8s.io/v1 at https://127.0.0.1:8443/mutate and /validate. Its certificate
// is in the files tls.crt and tls.key of the directory -certs, such as the volume of a secret. With -self-signed it
// creates them if there are none, and ca.crt, whose base64 is the caBundle of the configuration. -h lists the flags.
// Package admission answers the reviews; see there for what it does with each request. Package server/guard has the
// limits for reviews from untrusted clients.
//
// # Use
//
// A server calls webhooks with objects that it has decoded, pruned and defaulted with its own definition. This webhook
// applies the definitions in the files in addition: a stricter one before it is rolled out, or that of another cluster
// that the objects will move to. It drops or refuses unknown fields, as the request's fieldValidation says, adds its
// own defaults, and validates values, rules and transitions with ratcheting, so that unchanged errors of an old object
// are accepted.
//
// Register both endpoints. /mutate only patches: another webhook may still change an object that is not valid.
// /validate validates an object as /mutate would leave it, and denies it if there are errors. Both are for the resource
// and its status:
//
//	apiVersion: admissionregistration.k8s.io/v1
//	kind: ValidatingWebhookConfiguration # and a MutatingWebhookConfiguration, with /mutate
//	metadata:
//	  name: backups.example.com
//	webhooks:
//	- name: backups.example.com
//	  admissionReviewVersions: [v1]
//	  sideEffects: None # so that it is called for dry runs, too
//	  clientConfig: {url: "https://127.0.0.1:8443/validate", caBundle: LS0t...}
//	  rules:
//	  - operations: [CREATE, UPDATE]
//	    apiGroups: [example.com]
//	    apiVersions: ["*"]
//	    resources: [backups, backups/status]
//
// # Limits
//
// No review crashes the webhook, or delays others for long: see package guard.
//
// The configuration's failurePolicy decides about requests whose review got an HTTP error. Keep the default, Fail: with
// Ignore, an object that takes too long to validate is accepted.
//
// The memory that the webhook may use is 512 MiB, of which the soft limit of the Go runtime is seven eighths. The
// environment variable GOMEMLIMIT sets the soft limit itself: give the container a third more than that.
package main
