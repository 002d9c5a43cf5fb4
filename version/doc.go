// Package version orders the version names of an API group as a Kubernetes API server does: v2 before v1, v1 before
// v1beta1, v1beta1 before v2alpha1. Discovery lists the versions of a group in this order and prefers the first. A
// warning about a deprecated version proposes one that comes before it.
//
//	names := []string{"v1beta1", "v10", "v2"}
//	version.Sort(names) // v10 v2 v1beta1
//
// A name is Kubernetes-like if it is a v and a number, optionally followed by alpha or beta and a second number, and
// the numbers fit 64 bits: v1, v2beta3. These come first: by stability, then by the first number, then by the second.
// All other names follow in byte order. Any text is a valid argument.
//
// # Concurrency and cost
//
// The functions have no state, and do not allocate.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family VER: docs/internals/behaviour.md in the
// repository lists them with their tests. One deliberate deviation: Sort is stable, so names of equal priority (v1 and
// v01) keep their order. A server's order of them is accidental.
package version
