// Package single evaluates one rule of a schema at a time. It reports what package cel does not: which rules apply to
// an object at all, and which of them it satisfies.
//
//	for _, r := range single.List(props) {
//		verdict := r.Evaluate(ctx, obj, old)
//	}
//
// A rule is compiled in a schema of its own, which has the nodes above and below the rule. Objects are checked as on a
// server, but without ratcheting: a rule that is false for an unchanged value fails.
package single
