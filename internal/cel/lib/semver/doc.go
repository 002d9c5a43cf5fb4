// Package semver implements the semantic versions of CEL rules.
//
//	v, err := semver.Parse("1.2.3-rc.1", false)
//	// ...
//	w, err := semver.Parse("v1.2", true) // normalized to 1.2.0
//	// ...
//	v.Compare(w) // 1
//
// # Concurrency and cost
//
// Versions are immutable. [Parse] takes time and memory linear in the text, parts of which are kept; [Version.Compare]
// does not allocate.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-050 to CLI-052. Surprising behaviour:
//
//   - The numbers have 64 bits without a sign, but CEL's integers have a sign: large ones are negative (CLI-050).
//   - Normalizing writes zeros for missing numbers: "1.2.-rc" is 1.2.0-rc (CLI-051).
package semver
