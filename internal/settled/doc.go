// Package settled decides whether the JSON text of an object is valid and in its stored form, without decoding it.
//
// A [Scan] makes one pass over the bytes along the compiled schema. It says yes only if all decoders read the text in
// the same way, if every value is valid for its schema, and if pruning, defaulting and storage change nothing. For
// nearly all objects it allocates nothing. There may be false negatives, for which the caller decodes the object, but no
// false positives.
//
// It shares the checks with the packages that work on decoded objects: package verdict has the keywords, package plan
// their compiled form, package objectmeta the rules of metadata, package jsonscan the search for the end of a string.
// This package adds the walk over bytes. Without rules and embedded resources, that takes a
// seventh to a fifth of the time that encoding/json takes to make a map of the text, and a quarter to two fifths of that
// of package unstructured (docs/performance.md). Tests here and in package resource compare its answers with those for
// decoded objects.
//
// # False negatives
//
// The answer is no, even if the object is in its stored form, for whole numbers with a fraction or an exponent,
// escapes in keys of metadata, lone surrogates, invalid UTF-8, values nested deeper than 400 levels, and for what takes
// too much work: patterns, combinators, and values that have to be decoded after all (metadata of embedded resources,
// enums of objects, sets of objects).
//
// # Memory
//
// Strings that are passed to checks share the bytes of the text, and are not kept. What [Scan.Ruled] returns shares
// nothing with the text, but is reused by the Scan after its release.
package settled
