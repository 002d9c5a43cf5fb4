// Package single evaluates one rule of a schema at a time. It reports what package cel does not: which rules apply to
// an object at all, which of them it satisfies, and which rule an error comes from.
//
//	for _, r := range single.List(props) {
//		verdict := r.Evaluate(ctx, obj, old)
//	}
//
// A rule is compiled in a schema of its own: what is on the way to it, and all below it. Objects are checked as on a
// server, without ratcheting: a rule that fails for a value that did not change has failed.
package single
