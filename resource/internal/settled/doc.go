// Package settled decides whether the JSON text of an object is valid, in its stored form, and passes its rules,
// without decoding it.
//
// A [Scan] makes one pass over the bytes along the compiled schema. It accepts a text only if all decoders read it in
// the same way, every value is valid for its schema, and pruning, defaulting and storage change nothing. For nearly all
// objects it allocates nothing. The result may be a false negative, so that the caller has to decode the object, but
// never a false positive.
//
// The walk records the position of each value on a tape. [Scan.Passes] follows the tape to the values with rules. Which
// parts of a value its rules read is known from their compilation. The texts of these parts make a key: if the rules
// have passed for a value with the same key, they pass again. Otherwise only these parts are decoded, and the rules are
// evaluated. Most values in the objects of a cluster have been seen before.
//
// It shares the checks with the packages that work on decoded objects: package validity checks the keywords, package
// plan has the compiled schema, package ruleset the rules and what they read, package objectmeta checks metadata, and
// package jsonscan finds the end of a string. This package adds the walk over bytes. Without embedded resources and
// without rules, or if the rules have passed for the same values before, it takes a seventh to a fifth of the time that
// encoding/json takes to decode the text into a map, and a quarter to two fifths of that of package unstructured
// (docs/performance.md). Two checks are implemented again, for bytes: objects without a schema must be empty (PRU-003),
// and the items of a set or a list map differ (keys.go). Tests here and in package resource compare the results with
// those for decoded objects.
//
// # False negatives
//
// A text is not accepted, even if its object is valid and in its stored form, if it has whole numbers with a fraction
// or an exponent, escapes in keys of metadata, lone surrogates, invalid UTF-8, or values nested deeper than 400 levels,
// or if the check takes too much work: for patterns, combinators, values that have to be decoded after all (metadata of
// embedded resources, enums of objects, sets of objects), rules on metadata, and rules on many levels that read the
// same part of the object.
//
// # Memory
//
// Strings that are passed to checks and to rules share the bytes of the text, and are not kept. The keys of values
// whose rules have passed are copies.
package settled
