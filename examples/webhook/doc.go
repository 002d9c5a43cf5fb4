// Webhook is an admission webhook for custom resources: it defaults, prunes and validates them as a Kubernetes API server would that
// has the CustomResourceDefinitions in the given files, with that server's patches, warnings and errors. To try it:
//
//	go run ./examples/webhook -self-signed examples/quickstart/crd.yaml
//
// It answers an AdmissionReview of admission.k8s.io/v1 at https://127.0.0.1:8443/mutate and /validate. With -self-signed it makes a
// certificate for as long as it runs, and prints the caBundle for the configuration; otherwise -cert and -key name the files of one.
// -h lists the flags. Read admission/admission.go first. Package guard has the limits that a server needs which anybody may send reviews
// to, and the rest is what every HTTPS server has.
//
// # What it is good for
//
// A server asks a webhook about objects that it has decoded, pruned and defaulted by the definition that it has itself. The webhook
// catches what differs between that definition and those in the files: a stricter one before it is rolled out, or that of another
// cluster that the objects will go to. Fields that it does not know are dropped or refused, as the request's fieldValidation says; its
// own defaults are added; values, rules and transitions are judged with ratcheting, so that an old object may keep what is wrong.
//
// Register both endpoints, since they share the work as the steps of a server do. /mutate patches and denies no object: another webhook
// may yet mend one that is not valid. /validate denies, judging an object as /mutate would leave it. Both are for the resource and its
// status:
//
//	apiVersion: admissionregistration.k8s.io/v1
//	kind: ValidatingWebhookConfiguration # and a MutatingWebhookConfiguration, with /mutate
//	metadata:
//	  name: backups.example.com
//	webhooks:
//	- name: backups.example.com
//	  admissionReviewVersions: [v1]
//	  sideEffects: None # so that it is asked for dry runs, too
//	  clientConfig: {url: "https://127.0.0.1:8443/validate", caBundle: LS0t...}
//	  rules:
//	  - {operations: [CREATE, UPDATE], apiGroups: [example.com], apiVersions: ["*"], resources: [backups, backups/status]}
//
// # Requests
//
// The definition and its version are those of request.resource: the one that the object is in, which is another than
// request.requestResource where the server has converted the object for the rule. Nothing is converted here.
//
//   - CREATE, UPDATE, and UPDATE of the status subresource are judged.
//   - DELETE and CONNECT are allowed as they are. So is the scale subresource: the review has the Scale and not the object that it
//     changes.
//   - A resource, or a version, that no file defines (or that is not served) is allowed with a warning; with -fail-closed it is denied.
//
// What is no review, or contradicts itself, gets an error of HTTP with a line of text: 400, or 405, 413 and 415 for another method, a
// body of more than 8 MiB, and another content type than application/json or a compressed body.
//
// # Limits
//
// No review takes the webhook down, and none keeps the others waiting for long: package guard says how. Each is answered before the timeout
// that the server puts into the URL's query. A review that finds no place until then gets 503, and one that is not finished gets 504.
//
// What becomes of a request whose review got an error of HTTP is up to the configuration's failurePolicy. Keep the default, which is Fail:
// with Ignore, an object that takes too long to judge is accepted.
//
// -memory, or else the environment variable GOMEMLIMIT, says how much memory the webhook may use. Without both it is 512 MiB. This is the
// soft limit of the Go runtime, so give the container a third more.
package main
