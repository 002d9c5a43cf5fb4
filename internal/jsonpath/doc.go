// Package jsonpath finds the value that a printer column shows: it parses the jsonPath of a column, and evaluates it on an object.
//
//	p, err := jsonpath.Parse(".status.conditions[?(@.type=='Ready')].status")
//	value, ok := p.First(obj)
//
// A path is a template in the manner of kubectl, without the braces around it. Names, indexes, slices, unions, wildcards, filters, the
// recursive descent and literals are known. A path may close its brace and open another one (`.a}{.b`): the first pair of braces has
// the value, and an error in any of the others takes it away.
//
// # Values
//
// Objects consist of the values of package jsonval. Nothing is found in a map or list of another Go type. Numbers of other types and
// named scalars compare in filters as what they would be in JSON.
//
// # Errors
//
// A text that cannot be parsed is an error of [Parse]. An evaluation that fails (an index out of range, a comparison of a number with a
// string) finds nothing, like one that ends where there is nothing.
//
// # Concurrency and cost
//
// A Path is immutable. One that consists of names, indexes and filters allocates nothing as long as no more than one value is on the way.
// An evaluation that comes by more than a million values, or enters more than 10,000 containers in one another, finds nothing.
//
// # Parity
//
// Kubernetes 1.37, clauses TAB-010 to TAB-012. Deviations:
//
//   - A wildcard or a recursive descent visits the keys of a map sorted, where a server's order is accidental.
//   - `range` and `end` find nothing. A server's evaluate once, and then lose what stood before them.
//   - Filters within filters, which take odd quotes to write at all, may be 100 deep.
package jsonpath
