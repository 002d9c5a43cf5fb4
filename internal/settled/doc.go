// Package settled judges the JSON text of an object along its compiled schema, without decoding it: it finds out whether a server
// would take the text as it stands.
//
// A [Scan] makes one pass over the bytes. It answers yes only if the text is JSON that every decoder reads in the same way, if every
// value fulfils its schema, and if pruning, defaulting and storage change nothing. It allocates nothing for most objects. Its no may
// be wrong: it only sends the caller to the decoder.
//
// The truth of each keyword is defined elsewhere: package schema has the checks of strings and numbers and enums, package names and
// package objectmeta the rules of metadata, package verdict the comparison of values. This package reads what they need from the text.
//
// # What gets a no
//
// Besides what is wrong, or would change: a key with an escape, a key that occurs twice, a number with a fraction of zero or an
// exponent that makes it whole, -0, text nested deeper than 400 levels, metadata with an escape in a name, and what takes too much work.
//
// # Memory
//
// Strings that are handed to checks share the bytes of the text, and are not kept. What [Scan.Ruled] returns shares nothing with the
// text, but belongs to the Scan.
package settled
