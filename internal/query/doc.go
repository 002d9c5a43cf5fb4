// Package query reads objects for a list request: it finds the values of printer columns, and it reports which objects
// the selectors of the request select.
//
// # Paths
//
// [ParsePath] parses the jsonPath of a printer column:
//
//	p, err := query.ParsePath(".status.conditions[?(@.type=='Ready')].status")
//	value, ok := p.First(obj)
//
// A path is a kubectl template without the outer braces. Names, indexes, slices, unions, wildcards, filters, the
// recursive descent and literals are supported. A path may close its brace and open another one (`.a}{.b`): the value
// is that of the first pair of braces, and there is no value if any of the others fails.
//
// [Age] prints how long ago something was, as the columns of a table do.
//
// # Selectors
//
// There are label selectors, and field selectors for the selectable fields of a custom resource's version:
//
//	offered := query.NewSelectable(true, ".spec.colour")
//	s, err := offered.Selector("tier in (front,back),!legacy", "spec.colour=red")
//	selected := s.Matches(obj)
//
// # Values
//
// Objects are maps as package unstructured decodes them. Paths do not enter maps or lists of other Go types. In filters
// of paths, numbers of other types and named scalars are compared as their JSON.
//
// Field selectors compare text: absent and null are the empty text, numbers are compared as they are read back from
// storage, and numbers of other Go types as the decoded form of their JSON. A value that is not JSON cannot be read: an
// object with such a value in a selectable field is not selected. Labels are ignored unless they are a map[string]any
// of strings; null counts as an empty string.
//
// # Mutation and aliasing
//
// Nothing is modified. A parsed selector shares its text's memory.
//
// # Errors
//
// [ParsePath] returns an error for an invalid path. An evaluation that fails (an index out of range, a comparison of a
// number with a string) finds nothing, like a path without a value.
//
// Parse errors of selectors have the server's texts, byte for byte; a server sends them with code 400. The first of
// several errors is reported: for a label selector by position in the text, for a field selector by the terms in byte
// order.
//
// # Concurrency
//
// All types are immutable, and safe for concurrent use.
//
// # Cost
//
// A path of names, indexes and filters allocates nothing if each segment has at most one value. An evaluation that
// visits more than a million values, or more than 10,000 nested containers, finds nothing.
//
// Parsing a selector takes time linear in the text, except for sorting its parts, and does not recurse. Matching takes
// a lookup for each requirement and for the keys of each term's path. It allocates only for the texts of numbers, lists
// and maps.
//
// # Parity
//
// Kubernetes 1.37, clauses SEL-001 to SEL-006, TAB-010 to TAB-012 and TAB-022. Deviations:
//
//   - A wildcard or a recursive descent visits the keys of a map sorted, where a server's order is random.
//   - `range` and `end` find nothing. On a server they are evaluated once, and then lose what precedes them.
//   - Filters may be nested 100 deep; nesting them needs unusual quotes.
//   - A selectable path is parsed as the keys that a server reads from it, with .* for everything below. A path with
//     other JSONPath syntax (brackets, filters, descent, literals), which a server would either refuse in a definition
//     or fail to evaluate on each object, selects no objects.
package query
