// Package declare has the CEL type of each node of a schema, with the sizes on which the static cost of a rule is
// based.
//
// A [Type] is one position of a schema as rules see it. [Scope] returns the type of the topmost node with rules;
// [Type.Property] and [Type.Items] walk down the schema from there, for the compilation of rules; [Type.Field],
// [Type.Elem] and [Type.Key] walk down inside an expression. With [NewProvider], the check of an expression looks up
// the fields of a type by its name, and finds the types of google.protobuf.
//
// Types are built on demand: a schema may have thousands of nodes below a rule that reads two fields. A Type keeps what
// it has built, so it must not be used by two goroutines at once.
//
// Clauses: CTY-001 to CTY-021, CWH-008, CWH-009, CES-011.
package declare
