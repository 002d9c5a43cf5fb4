// Package jsonpath finds the value of a printer column: it parses the jsonPath of a column, and evaluates it on an
// object.
//
//	p, err := jsonpath.Parse(".status.conditions[?(@.type=='Ready')].status")
//	value, ok := p.First(obj)
//
// A path is a kubectl template without the outer braces. Names, indexes, slices, unions, wildcards, filters, the
// recursive descent and literals are supported. A path may close its brace and open another one (`.a}{.b`): the value
// is that of the first pair of braces, and there is no value if any of the others fails.
//
// [Age] prints how long ago something was, as the columns of a table do.
//
// # Values
//
// Objects consist of the values of package jsonval. Paths do not enter maps or lists of other Go types. In filters,
// numbers of other types and named scalars are compared as their JSON.
//
// # Errors
//
// [Parse] returns an error for an invalid path. An evaluation that fails (an index out of range, a comparison of a
// number with a string) finds nothing, like a path without a value.
//
// # Concurrency and cost
//
// A Path is immutable. A path of names, indexes and filters allocates nothing if each segment has at most one value. An
// evaluation that visits more than a million values, or more than 10,000 nested containers, finds nothing.
//
// # Parity
//
// Kubernetes 1.37, clauses TAB-010 to TAB-012 and TAB-022. Deviations:
//
//   - A wildcard or a recursive descent visits the keys of a map sorted, where a server's order is random.
//   - `range` and `end` find nothing. On a server they are evaluated once, and then lose what precedes them.
//   - Filters may be nested 100 deep; nesting them needs unusual quotes.
package jsonpath
