// Package explain tells people what a server does not: about a field, an error, or the cost of a rule.
//
// [Field] describes a field of a definition: its type, bounds, default and description, the rules about it and their
// costs, and the Kubernetes versions that support its features. The result shares nothing with the definition. The cost
// is that of kubeversion.Range.
//
// The functions for hints say what the author of an object or a definition may have meant, and how to fix it. Hints are
// sentences for people. They accompany a server's texts and never change them. Their wording may change in any version.
//
// [DocumentPath] finds the position of a definition's error in the document, because a server reports paths of the
// unversioned form.
//
// Nothing is modified. All functions may be called by several goroutines.
//
// Clauses: BET-003, for the paths of a definition's errors, and those of the families TYP and CES in
// docs/internals/behaviour.md.
package explain
