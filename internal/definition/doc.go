// Package definition checks parts of a definition that more than one package asks about: where a webhook is (at a URL or
// behind a Service, as in a webhook configuration), its CA bundle, and the approval that a group needs that belongs to
// Kubernetes. The errors are those of a Kubernetes server.
//
// The build tag crdkit_nox509 leaves out crypto/x509, which is a tenth of a small WebAssembly program. Then a
// certificate counts as readable if its ASN.1 is a sequence of the right length. The tag has no other effect.
//
// Clauses: APP, EST and CVL in docs/internals/behaviour.md.
package definition
