// Package selector parses the selectors of a list request, and reports which objects they select: label selectors, and
// field selectors for the selectable fields of a custom resource's version.
//
//	offered := selector.NewSelectable(true, ".spec.colour")
//	s, err := offered.Selector("tier in (front,back),!legacy", "spec.colour=red")
//	selected := s.Matches(obj)
//
// # Values
//
// Objects are maps as package unstructured decodes them. Fields are compared as text: absent and null are the empty
// text, numbers are compared as they are read back from storage, and numbers of other Go types as the decoded form of
// their JSON. A value that is not JSON cannot be read: an object with such a value in a selectable field is not
// selected. Labels are ignored unless they are a map[string]any of strings; null counts as an empty string.
//
// # Mutation and aliasing
//
// Nothing is modified. A parsed selector shares its text's memory.
//
// # Errors
//
// Parse errors have the server's texts, byte for byte; a server sends them with code 400. The first of several errors
// is reported: for a label selector by position in the text, for a field selector by the terms in byte order.
//
// # Concurrency
//
// All types are immutable, and safe for concurrent use.
//
// # Cost
//
// Parsing takes time linear in the text, except for sorting its parts, and does not recurse. Matching takes a lookup
// for each requirement and for the keys of each term's path. It allocates only for the texts of numbers, lists and
// maps.
//
// # Parity
//
// Kubernetes 1.37. Clauses SEL-001 to SEL-006. Deviation: a selectable path is parsed as the keys that a server reads
// from it, with .* for everything below. A path with other JSONPath syntax (brackets, filters, descent, literals),
// which a server would either refuse in a definition or fail to evaluate on each object, selects no objects.
package selector
