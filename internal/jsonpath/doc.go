// Package jsonpath finds the value that a printer column shows: it parses the jsonPath of a column, and evaluates it on an object.
//
//	p, err := jsonpath.Parse(".status.conditions[?(@.type=='Ready')].status")
//	value, ok := p.First(obj)
//
// A path is a template in the manner of kubectl, without the braces around it. Names, indexes, slices, unions, wildcards, filters, the
// recursive descent and literals are supported. A path may close its brace and open another one (`.a}{.b`): the value is that of the first
// pair of braces, and there is none if any of the others fails.
//
// # Values
//
// Objects consist of the values of package jsonval. Nothing is found in a map or list of another Go type. In filters, numbers of other types
// and named scalars are compared as the JSON that they encode to.
//
// # Errors
//
// A text that cannot be parsed is an error of [Parse]. An evaluation that fails (an index out of range, a comparison of a number with a
// string) finds nothing, like one whose path leads nowhere.
//
// # Concurrency and cost
//
// A Path is immutable. One that consists of names, indexes and filters allocates nothing if each step has at most one value.
// An evaluation that visits more than a million values, or more than 10,000 nested containers, finds nothing.
//
// # Parity
//
// Kubernetes 1.37, clauses TAB-010 to TAB-012. Deviations:
//
//   - A wildcard or a recursive descent visits the keys of a map sorted, where a server's order is random.
//   - `range` and `end` find nothing. On a server they are evaluated once, and then lose what precedes them.
//   - Filters may be nested 100 deep; nesting them needs unusual quotes.
package jsonpath
