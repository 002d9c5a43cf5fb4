// Package selector reads the two selectors of a request for many objects, and says which objects they select: label selectors, and
// field selectors with the fields that a version of a custom resource offers.
//
//	offered := selector.NewSelectable(true, ".spec.colour")
//	s, err := offered.Selector("tier in (front,back),!legacy", "spec.colour=red")
//	selected := s.Matches(obj)
//
// # Values
//
// Objects are maps as package unstructured decodes them. A field is compared by its text: absent and null are the empty text, numbers
// count as storage would give them back, and numbers of other Go types as what their JSON would be decoded to. What no JSON has cannot be
// read: an object that has it in a selectable field is not selected. Labels count only if all of them are strings, or null for an empty one,
// in a map[string]any.
//
// # Mutation and aliasing
//
// Nothing is modified. A parsed selector shares its text's memory.
//
// # Errors
//
// Those of the parsers have the server's texts, byte for byte; a server sends them with code 400. Of several there is the first: of a label
// selector by place in the text, of a field selector by the terms in byte order.
//
// # Concurrency
//
// All types are immutable, and safe for concurrent use.
//
// # Cost
//
// Parsing takes time in proportion to the text, but for the sorting of its parts, and no recursion. Matching takes a look-up for each
// requirement and the keys of a path for each term; it allocates only for the texts of numbers, lists and maps.
//
// # Parity
//
// Kubernetes 1.37. Clauses SEL-001 to SEL-006. Deviation: a selectable path is read as the keys that a server takes a path for, with .*
// for all that stands below. Any other JSONPath in it (brackets, filters, descent, literals), which no server would take in a definition or
// which would fail there on each object, selects no object at all.
package selector
