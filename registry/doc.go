// Package registry finds the definition for an object. It reads CustomResourceDefinitions from files, directories,
// embedded files and strings, indexes them by group, version and kind, and handles requests for the objects of all of
// them.
//
//	reg, err := registry.Load("config/crd/bases") // files, directories and patterns
//	result := reg.CreateBody(ctx, body)           // YAML or JSON; reg.Create and reg.Update take maps
//	if err := result.Err(); err != nil {
//		// the server's error, which may be that it does not serve the kind
//	}
//
// [Load] reads from the file system, [LoadFS] from an fs.FS such as an embed.FS, [Parse] reads a text, and [New] takes
// definitions that a program already has. [Registry.Find] returns a [Definition], which has its scope, its storage
// version and its source, and is compiled when it is first needed. [Registry.Compile] compiles all of them, for programs
// that want to report errors on startup.
//
// # Bad documents
//
// A document that cannot be read does not hide the others. The functions that read return a registry with everything
// that could be read, together with an error that joins an [Error] for each document that could not; errors.As and
// errors.Is examine these. A program that needs all documents stops at the error. A program that can do without some of
// them logs the error and continues.
//
// # What a registry does not check
//
// A registry does not check whether a server would accept a definition: package crdcheck does that. Two definitions
// with the same name, or with the same group and kind, are an error, and the first one is used.
//
// # Mutation and concurrency
//
// A Registry is immutable and safe for concurrent use. No function modifies its arguments. Definitions are shared: do
// not modify them after adding them to a registry.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family REG: docs/internals/behaviour.md in the
// repository lists them with their tests. Results are those of package resource. If a definition has a conversion
// webhook, the webhook is not called: unless [Registry.WithConverter] sets a converter, requests that need a conversion
// are validated, and their results are Unconverted.
package registry
