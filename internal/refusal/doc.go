// Package refusal makes the answers of a server to a request that it refuses for another reason than a list of errors: the ones that
// more than one package needs.
//
// # Parity
//
// Kubernetes 1.37, texts byte for byte. Clauses DEC-014, DEC-016, STR-001.
package refusal
