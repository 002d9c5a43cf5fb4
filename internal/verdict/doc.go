// Package verdict decides, without a path, a message or an allocation, whether a value is valid and in its stored form. It also has the one
// definition of each keyword (keywords.go), from which package report makes errors.
//
// It is the fast path under validate and resource: nearly every object that reaches an API server is valid, has no
// unknown field and lacks no default, and one walk shows that. Only if [OK] is false do the operations walk again,
// with paths, to find out what is wrong or to make the changes. [Object] and [Compare] answer for whole objects and their updates.
//
// The answer to [Lists], [Embedded] and [Stored] may be a false negative, which sends the caller to the slow path, never a false positive. The
// answer to [Schema] alone is exact, since the branches of combinators are judged by it.
//
// Values outside the domain of JSON are what jsonval.Normalize makes of them. Those that it refuses (NaN, infinities, structs)
// are valid for no schema, not even one without a type.
package verdict
