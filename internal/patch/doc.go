// Package patch applies the patches of a request to an object, as an API server does, and computes the patch that
// changes one object into another.
//
//	p, refused := patch.Accept("application/merge-patch+json", body)
//	old, err := patch.Encode(obj)
//	text, findings, refused := p.ApplyStrict(old) // then decode text
//
// A server patches text. The result is decoded like the body of any other request, and errors quote the text. So this
// package also works on text: test operations compare the spelling of values, and errors show it.
//
// # Merge patches
//
// They follow RFC 7396 with one difference: if a list replaces a missing member, the objects in it lose their null
// members.
//
// # JSON patches
//
// They follow RFC 6902, except for the differences in PAT-004. The most surprising ones are these. The first step of a
// path is ignored if it does not begin with a slash. Indexes may be negative, or have a plus sign and leading zeros.
// Replacing a missing member adds it, copying one gives null, and a missing value is null. A test compares spelling: 5
// is not 5.0, and < is not \u003c. There are three kinds of null: a null that an operation sets is not equal to one
// from a text when an object around it is tested, nor to a missing value, and a copy of it is accepted as an empty
// object.
//
// # Mutation, aliasing and concurrency
//
// No function modifies its arguments. A [Patch] holds the body it was made from, and may be used by multiple
// goroutines. The caller owns the returned text. The values in the operations of [Diff] are those of its target object.
//
// # Cost
//
// Applying takes time and memory linear in the body and the object, except for following paths and for insertions into
// long lists. Bodies, operations, copied bytes and nesting are limited as in a server (DEC-007, DEC-016). [Diff]
// allocates nothing for equal objects.
//
// # Parity
//
// Kubernetes 1.37. Clauses PAT-001 to PAT-005, DEC-005, DEC-007, DEC-012, DEC-016. Deviations:
//   - Server-side apply is not done here: application/apply-patch+yaml is refused like an unknown content type, with
//     the message that lists it.
//   - An operation that makes a server panic is refused as a failed operation.
//   - A copy of a value that operations have nested more than [jsonval.MaxDepth] levels deep always fails; a server
//     accepts it if it is removed again.
package patch
