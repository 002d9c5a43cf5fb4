// Package sample makes objects for a schema: one with the required fields, one with all fields, and for each constraint
// and each rule one that breaks only that.
//
//	m := sample.For(definition, version, rules)
//	obj, err := m.Minimal(ctx)
//	broken, err := m.Break(ctx, constraint)
//
// # How
//
// Values are made from the schema, from the root down (value.go): texts from patterns and formats (text.go), numbers
// from bounds (number.go), one branch after the other where there is a choice. Combined constraints are not solved;
// candidates are tried until package validate accepts one. Then come the rules (repair.go): as long as some fail, the
// maker changes the fields that they read (it adds and drops fields, and sets values that the rule mentions) and keeps
// each change with which fewer fail. It may find no valid object although there is one. Every object it returns was
// accepted by the version.
//
// # Concurrency and cost
//
// Everything is deterministic. A Maker is for one goroutine. Trials are bounded for each object.
package sample
