// Package cabundle reads the CA bundles of conversion webhooks, as far as to say whether a server can.
//
// The build tag crdkit_nox509 leaves crypto/x509 out, which is a tenth of a small WebAssembly program: every
// certificate counts as readable then whose ASN.1 is a sequence of the right length. Nothing else of the module depends
// on the tag.
//
// Clauses: EST and CVL in docs/behaviour.md.
package cabundle
