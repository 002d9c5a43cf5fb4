// Package cli has the subcommands of crdkit, a file each. The other files have what they share: documents.go reads arguments as documents,
// definitions.go makes a registry of those that are definitions, judge.go says what a server would say of one document, and findings.go puts
// that at its place, with the hints of package hint.
package cli
