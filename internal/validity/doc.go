// Package validity decides whether a value is valid and in its stored form, and reports what is wrong with it.
//
// # The verdict
//
// [OK], [Object] and [Compare] decide without a path, a message or an allocation: verdict.go, object.go, lists.go,
// branches.go and compare.go. keywords.go has one function for each keyword; those of strings and numbers are methods
// of [plan.StringChecks] and [plan.NumberChecks].
//
// This is the fast path of validate and resource: nearly every object that reaches an API server is valid, has no
// unknown field and lacks no default, and one walk confirms that. Only if [OK] is false do the operations walk again,
// with paths, to find the errors or to make the changes. Package prune implements PRU-003 again, to make a copy; tests
// compare it with [Stored]. [Object] and [Compare] check whole objects and their updates.
//
// The results of [Lists], [Embedded] and [Stored] may be false negatives, which send the caller to the slow path, but
// never false positives. The result of [Schema] alone is exact, because the branches of combinators depend on it.
//
// Values that are not JSON are treated as jsonval.Normalize converts them. Those that it refuses (NaN, infinities,
// structs) are not valid for any schema, not even for one without a type.
//
// # The errors
//
// [Report] reports the parts of a value that violate its schema, with a server's texts: errors.go, scalar.go,
// combinator.go and messages.go. [ReportLists] and [ReportEmbedded] report the other violations: duplicates.go and
// embedded.go. It is the walk behind package validate, and behind package ratchet, with which an update may keep
// existing errors. It is for values whose verdict is that they are invalid, asks for the verdict of each part, enters
// only the parts that fail, and renders a path only for an error.
//
// With an old value ([ReportUpdate], in ratchet.go) the walk has a plan.Pair for each value with a counterpart. A server validates
// everything and then drops the errors of each value that is equal to its counterpart (RAT-004). It is equivalent to
// compare, at each error, the innermost enclosing value that has a counterpart (RAT-005). This walk does that before it
// adds an error, so valid parts are never compared.
package validity
