// Package cli has the subcommands of crdkit, each in a file with its name. The other files have what they share:
// documents.go reads files as documents, definitions.go reads and checks definitions, validator.go validates objects,
// and findings.go reports errors at their positions. schemaposition.go finds the position of a keyword in a schema,
// dump.go reads dumps of objects, and text.go has formats of text for people.
package cli
