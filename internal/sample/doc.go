// Package sample makes objects for a schema: one with what it requires, one with all that it describes, and for each
// constraint and each rule one that breaks just that.
//
//	m := sample.For(definition, version, rules)
//	obj, err := m.Minimal(ctx)
//	broken, err := m.Break(ctx, constraint)
//
// # How
//
// Values are made from the schema, from the root down (value.go): texts from patterns and formats (text.go), numbers
// from bounds (number.go), one branch after the other where there is a choice. What they have to fulfil together is not
// solved but tried: package validate says whether a value will do. Then come the rules (repair.go): as long as some
// fail, the maker changes what they are about (it adds and drops fields, and puts in what the rule mentions) and keeps
// what makes fewer fail. So there may be valid objects and none is found. What is found is always right, since the
// version itself was asked.
//
// # Concurrency and cost
//
// Everything is deterministic. A Maker is for one goroutine. Trials are bounded for each object.
package sample
