// Package constraint lists the constraints of a schema (required fields, enums, patterns, bounds, formats, lists of
// unique items), and finds the constraint that an error is about.
//
//	for _, c := range constraint.List(s) {
//		fmt.Println(c.Path, c.Kind, c.Text)
//	}
//	id, ok := constraint.Of(err)
//
// Types and the branches of combinators do not count as constraints: their errors name a type or a combinator. Minimums
// of 0 (minLength: 0) constrain nothing, and the formats of numbers are part of their type.
package constraint
