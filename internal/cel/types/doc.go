// Package types has the types of CEL expressions, those of the nodes of a schema with their sizes, and the values of
// literals.
//
// # Types
//
// A [Type] is a kind, a name, and the types that it is built from: list(int) has the kind [ListKind], the name list and
// the parameter int. Simple types are variables such as [IntType]. All others come from the New functions; two of them
// may describe the same type, so they are compared with [Type.IsEquivalentType], not with ==.
//
// Some messages of google.protobuf stand for types of the language, so [NewObjectType] returns those for them.
//
// # Schemas
//
// A [SchemaType] is one position of a schema as rules see it: its type, and the sizes on which the static cost of a rule
// is based. [Scope] returns that of the topmost node with rules; [SchemaType.Property] and [SchemaType.Items] walk down
// the schema from there, for the compilation of rules; [SchemaType.Field], [SchemaType.Elem] and [SchemaType.Key] walk
// down inside an expression. With [NewProvider], the check of an expression looks up the fields of a type by its name,
// and finds the types of google.protobuf.
//
// They are built on demand: a schema may have thousands of nodes below a rule that reads two fields.
//
// # Concurrency
//
// Types and values are not modified once they exist, so that they may be used by several goroutines. A SchemaType keeps
// what it has built, so it must not be used by two goroutines at once.
//
// Clauses: CTY-001 to CTY-021, CWH-008, CWH-009, CES-011.
package types
