// Package settled decides whether the JSON text of an object is valid, in its stored form, and passes its rules,
// without decoding it.
//
// A [Scan] makes one pass over the bytes along the compiled schema. It says yes only if all decoders read the text in
// the same way, if every value is valid for its schema, and if pruning, defaulting and storage change nothing. For
// nearly all objects it allocates nothing. There may be false negatives, for which the caller decodes the object, but
// no false positives.
//
// The walk writes where each value is on a tape. [Scan.Passes] goes along the tape to the values with rules. What the
// rules of a value read of it is known from their compilation, and makes a key: if they have passed for a value with
// the same key, they pass. Otherwise just that is decoded, and the rules are evaluated. In the objects of a cluster,
// most values have been seen before.
//
// It shares the checks with the packages that work on decoded objects: package verdict has the keywords and the search
// for equal items, package plan their compiled form, package ruleset the rules and what they read, package objectmeta
// the rules of metadata, package jsonscan the search for the end of a string. This package adds the walk over bytes.
// Without embedded resources, and without rules or with values that have passed them before, that takes a seventh to a
// fifth of the time that encoding/json takes to make a map of the text, and a quarter to two fifths of that of package
// unstructured (docs/performance.md). One rule is here again because it works on bytes: where there is no schema,
// objects must be empty (PRU-003). Tests here and in package resource compare the answers with those for decoded
// objects.
//
// # False negatives
//
// The answer is no, even if the object is in its stored form, for whole numbers with a fraction or an exponent,
// escapes in keys of metadata, lone surrogates, invalid UTF-8, values nested deeper than 400 levels, and for what takes
// too much work: patterns, combinators, values that have to be decoded after all (metadata of embedded resources,
// enums of objects, sets of objects), rules on metadata, and rules that read the same part of an object in many levels.
//
// # Memory
//
// Strings that are passed to checks and to rules share the bytes of the text, and are not kept. The keys of values
// whose rules have passed are copies.
package settled
