// Package hint adds hints to the errors of objects and definitions: what the author may have meant, and how to fix it.
// Hints are sentences for people. They accompany a server's texts and never change them. Their wording may change in
// any version.
//
// The package also finds the position of a definition's error in the document, because a server reports paths of the
// unversioned form.
//
// Nothing is modified. All functions may be called by several goroutines.
//
// Clauses: BET-003, for the paths of a definition's errors.
package hint
