// Package refusal has what several packages need to refuse a request: lists of errors, and the answers of a server that
// are no lists. All checks of objects and definitions append to a [List], so that results have a bounded number of errors
// and bytes of text, however hostile the input is. An [About] says what a list of errors is about.
//
// # Parity
//
// Kubernetes 1.37, texts byte for byte. Clauses DEC-014, DEC-016, STR-001.
package refusal
