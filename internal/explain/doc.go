// Package explain says what there is to say of a field of a definition: its type, bounds, default and description, the rules that are about it and
// what these may cost, and since which Kubernetes what it uses is there.
//
// Nothing is modified, and what is returned shares nothing with the definition. The cost is that of kubeversion.Range.
//
// Clauses: those of the families TYP and CES in docs/behaviour.md.
package explain
