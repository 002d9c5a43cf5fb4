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
// # Walks
//
// A [Frame] keeps the path of a walk through an object on the Go stack until an error needs its text. It renders the
// three forms in which a server prints a path: in the messages of schema checks ([Frame.Name]), as an unknown field
// ([Frame.Dotted]), and as the field of all other errors ([Frame.Path]). It also renders the path of the schema that
// describes the value ([Frame.Schema]).
//
// # Old values
//
// An update may keep values that are equal to their old ones even if they are invalid (ratcheting), and rules see the
// old value as oldSelf. The two uses differ in which old value corresponds to a new one. For oldSelf that follows the
// data ([Items] for lists that are maps, keys for objects, whether or not a schema has them: CEV-021). For ratcheting
// it also follows the schema ([Pair]): a key without a schema has no counterpart, and makes the object that has it a
// changed value (RAT-001, RAT-009).
//
// # Built-in kinds
//
// A [BuiltIn] describes how requests for a kind that is built into a server differ from those for custom resources, and
// a [GoType] what its field managers know of its objects. A resource.Resource holds both.
//
// # Concurrency
//
// Nodes are safe for concurrent use by multiple goroutines. What is computed on first use (a pattern's automaton, the
// text of an enum) is guarded.
//
// # Parity
//
// Kubernetes 1.37, clauses VAL-003, VAL-010 to VAL-013, VAL-020 to VAL-023, VAL-030, SVT-007, LST-002 to LST-006 and
// RAT-001 to RAT-009.
package plan
