// Package explain describes a field of a definition: its type, bounds, default and description, the rules about it and
// their costs, and the Kubernetes versions that support its features.
//
// Nothing is modified, and results share nothing with the definition. The cost is that of kubeversion.Range.
//
// Clauses: those of the families TYP and CES in docs/internals/behaviour.md.
package explain
