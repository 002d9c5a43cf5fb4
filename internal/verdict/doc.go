// Package verdict decides, without a path, a message or an allocation, whether there is anything to say about a value.
//
// It is the fast path under validate and resource: nearly every object that reaches an API server is valid, has no
// unknown field and lacks no default, and one walk over it shows that. Only when [OK] says no do the operations walk again,
// with frames, to find out what is wrong or to make the changes. [Look] tells them which of the questions are still open,
// and [Compare] does for a value and its old one what two looks and a comparison would.
//
// An answer of false to a question with [Lists], [Embedded] or [Stored] may be wrong: it only sends the caller to the slow
// path. To [Schema] alone the answer is exact, since the branches of combinators are judged by it.
//
// Values outside the domain of JSON are what jsonval.Normalize makes of them. Those that it refuses (NaN, infinities, structs)
// fit no schema, not even one without a type.
package verdict
