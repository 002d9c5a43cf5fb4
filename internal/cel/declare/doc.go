// Package declare has the CEL type of each node of a schema, with the sizes on which the static cost of a rule is
// based.
//
// A [Type] is one position of a schema as rules see it. [Scope] returns the type of the topmost node with rules;
// [Type.Property] and [Type.Items] walk down the schema from there, for the compilation of rules; [Type.Field],
// [Type.Elem] and [Type.Key] walk down inside an expression. With [NewProvider], cel-go's checker looks up the fields
// of a type by its name.
//
// Types are built on demand: a schema may have thousands of nodes below a rule that reads two fields. A Type keeps what
// it has built, so it must not be used by two goroutines at once. The only other state is cel-go's registry of the
// google.protobuf types, which is built once and not modified.
//
// Clauses: CTY-001 to CTY-021, CWH-008, CWH-009, CES-011.
package declare
