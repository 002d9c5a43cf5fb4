// Package plan has the compiled form of a schema: package schema makes it, and every operation of this module walks it.
//
// A [Node] is one position of a schema. Its keywords are ready for use: properties are sorted and found in constant
// time ([Node.Prop]), bounds are as an API server reads them ([NumberChecks], [StringChecks]), the values of an enum
// are in sets ([Enum]), and [Flags] tell a walk which subtrees it may leave out. Fields are exported so that walks can
// read them without calls. A node that is shared must not be modified.
//
// Users of this module see a schema.Structural and a schema.Node instead, which hide most of this. [Root], [Of] and
// [View] convert between these and nodes; see handle.go.
//
// # Concurrency
//
// Nodes are safe for concurrent use by multiple goroutines. What is computed on first use (a pattern's automaton, the
// text of an enum) is guarded.
//
// # Parity
//
// Kubernetes 1.37, clauses VAL-003, VAL-010 to VAL-013, VAL-020 to VAL-023, VAL-030 and SVT-007.
package plan
