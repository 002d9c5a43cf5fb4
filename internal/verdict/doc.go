// Package verdict decides whether a value is valid and in its stored form, without a path, a message or an allocation.
// It also has the only definition of each keyword (keywords.go), from which package report makes errors.
//
// It is the fast path of validate and resource: nearly every object that reaches an API server is valid, has no unknown
// field and lacks no default, and one walk confirms that. Only if [OK] is false do the operations walk again, with
// paths, to find the errors or to make the changes. Package prune implements PRU-003 again, to make a copy; tests
// compare it with [Stored]. [Object] and [Compare] check whole objects and their updates.
//
// The results of [Lists], [Embedded] and [Stored] may be false negatives, which send the caller to the slow path, but
// never false positives. The result of [Schema] alone is exact, because the branches of combinators depend on it.
//
// Values that are not JSON are treated as jsonval.Normalize converts them. Those that it refuses (NaN, infinities,
// structs) are not valid for any schema, not even for one without a type.
package verdict
