// Package keyword has the keys of documents: tables of the keywords of a schema, and the unknown and duplicate keys
// that strict decoding refuses.
//
// # Tables
//
// A table has the keywords of a schema, or those of an object that is the value of one: a row per field of a struct, by
// the name in its tag.
//
//	type object struct {
//		MaxProperties *int64 `keyword:"maxProperties"`
//	}
//
//	var keywords = keyword.Of[object]()
//
// The tags are not named json, because a server prints a rule that is a bad value with the names of the Go fields
// (EMD-003).
//
// A struct that has tags is the only list of its keywords. To decode, write or compare all of them, loop over the
// table, take a pointer to each field, and switch on the pointer's type. So a new keyword is added in one place, and a
// new kind of value in each switch.
//
// Finding a field by its name and taking a pointer to it costs about 25 ns, and allocates nothing. It uses package
// reflect, but looks up no methods or names with it.
//
// # Strict decoding
//
//	findings, err := keyword.Findings(data, new(knownKeys)) // unknown field "spec.colour"
//
// Packages schema and crd each pass a struct whose JSON tags are the keys of their documents. [SchemaKeys] is that of a
// schema. [Findings] modifies only the struct that it fills. It takes time linear in data.
//
// # Parity
//
// Kubernetes 1.37. Clauses CDC-003, CDC-004: the findings are the server's, byte for byte, because they come from the
// server's decoder.
package keyword
