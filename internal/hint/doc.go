// Package hint says what a server does not: what somebody may have meant whose object or definition has an error, and what would mend it. Hints
// are sentences for people. They stand beside a server's texts, never in them, and may change in any version.
//
// It also says where in a document is what an error of a definition is about, since a server speaks of the unversioned form.
//
// Nothing is modified. All functions may be called by several goroutines.
//
// Clauses: BET-003 says which paths the errors of definitions have.
package hint
