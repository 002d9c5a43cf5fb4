// Package patch applies the patches of a request to an object, as an API server does, and makes the patch that leads from one object to
// another.
//
//	p, refused := patch.Accept("application/merge-patch+json", body)
//	old, err := patch.Encode(obj)
//	text, findings, refused := p.ApplyStrict(old) // then decode text
//
// A server patches text. What comes out is decoded like the body of any other request, and what is wrong with it is said about the
// text ([Undecodable]). So this package works on text, too: it is spelling that test operations compare, and that errors show.
//
// # Merge patches
//
// They are RFC 7396 with one difference: a list that is put where there was no object loses the null members of the objects in it.
//
// # JSON patches
//
// They are RFC 6902 but for what PAT-004 lists; the surprises are these. A path's first step is ignored where it does not begin with a
// slash. Indexes may be negative, or have a plus sign and leading zeros. Replacing a missing member adds it, copying one
// gives null, and a missing value is null. A test compares spelling: 5 is not 5.0, and < is not \u003c. There are three kinds of null: one that
// an operation puts in is not equal to one of a text when an object around it is tested, nor to a missing value, and a copy of it passes
// for an empty object.
//
// # Mutation, aliasing and concurrency
//
// Nothing here modifies its arguments. A [Patch] holds the body it was made of, and may be used by several goroutines at once. The text that
// comes back is the caller's. The values in operations are those of the object that [Diff] leads to.
//
// # Cost
//
// Applying takes time and memory linear in the body and the object, except for the ways that paths go and for insertions into long lists.
// Bodies, operations, copied bytes and levels are bounded as in a server (DEC-007, DEC-016). [Diff] allocates nothing for equal objects.
//
// # Parity
//
// Kubernetes 1.37. Clauses PAT-001 to PAT-005, DEC-005, DEC-007, DEC-012, DEC-016. Deviations:
//   - Server-side apply is not done here: application/apply-patch+yaml is refused like an unknown content type, with the message that
//     lists it.
//   - What makes a server panic is the refusal of an operation that fails.
//   - A copy of something that operations have nested more than [jsonval.MaxDepth] levels deep always fails; a server lets
//     it pass if it is removed again.
package patch
