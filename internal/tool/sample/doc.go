// Package sample makes objects for a schema: one with the required fields, one with all fields, and for each constraint
// and each rule one that breaks only that.
//
//	m := sample.For(definition, version, rules)
//	obj, err := m.Minimal(ctx)
//	broken, err := m.Break(ctx, constraint)
//
// # Method
//
// Values are made from the schema, from the root down (value.go): strings from patterns and formats (text.go), numbers
// from bounds (number.go), and, for combinators, one branch after the other. Combined constraints are not solved:
// candidates are tried until package validate accepts one. Then come the rules (repair.go): while some fail, the maker
// changes the fields that they read (it adds and drops fields, and sets values that the rule mentions), and keeps each
// change that makes fewer rules fail. It may not find a valid object even if there is one. The version has accepted
// every object that it returns.
//
// # Concurrency and cost
//
// Everything is deterministic. A Maker is for one goroutine. Trials are bounded for each object.
package sample
