// Package schema reads the openAPIV3Schema of a CustomResourceDefinition, checks that it is structural (its keywords
// outside of combinators say which type each field has), and compiles it into the form that every other package of this
// module takes.
//
//	props, err := schema.Decode(document)   // JSON or YAML
//	s, errs := schema.Compile(props)        // all structural violations, or the tree
//	obj = prune.Prune(s, obj)
//	obj = defaulting.Default(s, obj)
//	errs = validate.Validate(s, obj)
//
// There are two main types. [JSONSchemaProps] is the document as Go data, with every field that a server knows;
// publishing uses it. [Structural] is the compiled form. It is opaque, except that its [Node]s can be inspected.
//
// A compiled schema is for objects, as a server reads a schema to validate them: int-or-string means the types integer
// and string, whatever type is declared; formats that a server does not know are ignored.
//
// # One node
//
// Each operation also works on a single node and a value of any kind: prune.Value, defaulting.Value, validate.Value. To
// use this for a schema that is embedded in another API, compile the schema of an object with that schema as a
// property, and find the node with [Node.Property] from [Structural.Root].
//
// # Concurrency
//
// A Structural is safe for concurrent use by multiple goroutines. What is computed on first use (a pattern's automaton)
// is guarded.
//
// # Cost
//
// Decoding, checking and compiling take time linear in the document. A compiled schema keeps no descriptions.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families TYP, CDC, STC, SVL and SVT:
// docs/internals/behaviour.md in the repository lists them with their tests. Errors of Decode have texts of their own,
// and a path.
//
// # Security considerations
//
// Patterns are RE2, and match in time linear in the string. A pattern's automaton takes at most 192 KiB, and those of
// all schemas together at most 64 MiB. A match that takes more than 134 million steps, one or two seconds, is treated
// as no match. If the patterns of a schema together take more than about a second to parse, that is an error:
// "expression too large". Documents are at most 10,000 levels deep. Schemas built in Go that contain themselves are
// refused. Violations end at a [field.Limit]: by default, 10,000 errors and 3 MiB of text.
package schema

// The files, in the order of the steps: props.go has JSONSchemaProps, whose tags are the list of keywords, and
// children.go the schemas below a schema. decode.go decodes them, and marshal.go encodes them. structural.go and
// unsupported.go find structural violations. compile.go makes a Structural, whose tree is that of internal/plan, which
// the operations walk. node.go has Node, the public view of a node in the tree.
