// Package keyword is the table of the keywords of a schema, and of the objects that are their values: one row per field
// of a struct, by the name in its tag.
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
// # Cost
//
// Finding a field by its name and taking a pointer to it costs about 25 ns, and allocates nothing. It uses package
// reflect, but looks up no methods or names with it.
package keyword
