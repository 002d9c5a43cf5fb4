// Package constraint lists the constraints of a schema (required fields, enums, patterns, bounds, formats, lists of
// unique items) and its rules, finds what an error is about, and evaluates rules.
//
//	for _, c := range constraint.List(s) {
//		fmt.Println(c.Path, c.Kind, c.Text)
//	}
//	id, ok := constraint.Of(err)
//
// Types and the branches of combinators do not count as constraints: their errors name a type or a combinator. Minimums
// of 0 (minLength: 0) constrain nothing, and the formats of numbers are part of their type.
//
// # Rules
//
// A [Rule] is evaluated without the others. It reports what package cel does not: whether the rule applies to an object
// at all, and whether the object satisfies it.
//
//	for _, r := range constraint.Rules(props) {
//		verdict := r.Evaluate(ctx, obj, old)
//	}
//
// A rule is compiled in a schema of its own, which has the nodes above and below the rule. Objects are checked as on a
// server, but without ratcheting: a rule that is false for an unchanged value fails.
package constraint
