// Package declare gives the CEL type of each node of a schema, with the sizes that the static cost of a rule is estimated from.
//
// A [Type] is one place as rules see it. [Scope] makes the type of the node where rules begin; [Type.Property], [Type.Items]
// and [Type.Values] go down the schema from there, as the walk that compiles rules does; [Type.Field], [Type.Elem] and
// [Type.Key] go down inside an expression. [NewProvider] lets cel-go's checker look up the fields of a type by its name.
//
// Nothing is built before it is asked for: a schema may have thousands of nodes below a rule that reads two fields. What is
// built is kept, so a Type must not be used by two goroutines at once. There is no state outside of Types, save cel-go's registry
// of the google.protobuf types, which is made once and only read.
//
// Clauses: CTY-001 to CTY-021, CWH-008, CWH-009, CES-011.
package declare
