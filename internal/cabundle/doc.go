// Package cabundle reads the CA bundles of conversion webhooks and reports whether a server accepts them.
//
// The build tag crdkit_nox509 leaves out crypto/x509, which is a tenth of a small WebAssembly program. Then a
// certificate counts as readable if its ASN.1 is a sequence of the right length. The tag has no other effect.
//
// Clauses: EST and CVL in docs/behaviour.md.
package cabundle
