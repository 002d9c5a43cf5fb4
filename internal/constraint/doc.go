// Package constraint lists what a schema demands of values (required fields, enums, patterns, bounds, formats, lists
// whose items differ), and says which of these demands an error is about.
//
//	for _, c := range constraint.List(s) {
//		fmt.Println(c.Path, c.Kind, c.Text)
//	}
//	id, ok := constraint.Of(s, err)
//
// Types do not count, nor do the branches of combinators: their errors name a type or a combinator. A
// minimum of nothing (minLength: 0) demands nothing, and the formats of numbers are part of their type.
package constraint
