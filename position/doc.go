// Package position finds where in a document a value is written: line and column of a field's path or of a JSON pointer, in YAML and JSON.
//
//	for _, part := range position.Split(file) {
//		doc, err := position.Locate(part)
//		for _, e := range result.Errors {
//			place := doc.Of(e) // place.Line, place.Column
//		}
//	}
//
// Nothing here is needed to decode or to judge an object: parse a document once there is something to say about it.
//
// # Which place
//
// [Document.Value] is where a value begins, [Document.Key] where its key does, and [Document.Nearest] is the key of the nearest value around
// it that is there. [Document.Of] chooses among them for an error: the value for a bad value, the key of what is around it for a missing one.
//
// Lines and columns are those of the whole file, from 1, and columns count characters. A value behind an alias is where the anchor has it,
// and so is one that a merge key brings. An empty value is where its key is. Of keys that come twice the last one counts, as for a server.
//
// # Errors and cost
//
// A document that cannot be parsed has an error, and no places but its beginning. [Locate] takes time and memory linear in the document: aliases
// are not expanded. The other functions take time linear in the maps on the way. Nothing panics, and a parsed document keeps no text of the file
// but the keys and values. It is safe for concurrent use.
//
// # Parity
//
// A server says nothing of places, so the places are this package's own. Its clauses are those of the family POS: docs/behaviour.md in the
// repository lists them with their tests.
package position
