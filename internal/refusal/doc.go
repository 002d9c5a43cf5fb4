// Package refusal has a server's answers to refused requests, other than lists of errors, if more than one package
// needs them. An [About] says what a list of errors is about.
//
// # Parity
//
// Kubernetes 1.37, texts byte for byte. Clauses DEC-014, DEC-016, STR-001.
package refusal
