// Package semver has the semantic versions of CEL rules.
//
//	v, err := semver.Parse("1.2.3-rc.1", false)
//	// ...
//	w, err := semver.Parse("v1.2", true) // normalized to 1.2.0
//	// ...
//	v.Compare(w) // 1
//
// # Concurrency and cost
//
// Versions are immutable. [Parse] takes time and memory in proportion to the text, which is kept in part; [Valid] and
// [Version.Compare] do not allocate.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-050 to CLI-052. What surprises most:
//
//   - The numbers have 64 bits, but CEL's integers have a sign: large ones are negative (CLI-050).
//   - Normalizing writes zeros where no number is: "1.2.-rc" is 1.2.0-rc (CLI-051).
package semver
