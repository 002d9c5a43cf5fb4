// Package registry finds the definition for an object. It reads CustomResourceDefinitions from files, directories, embedded files and
// texts, keeps them by group, version and kind, and answers requests for the objects of all of them.
//
//	reg, err := registry.Load("config/crd/bases") // files, directories and patterns
//	result := reg.CreateBody(ctx, body)           // YAML or JSON; reg.Create and reg.Update take maps
//	if err := result.Err(); err != nil {
//		// what a server would say, including that it does not serve the kind
//	}
//
// [Load] reads names of the file system, [LoadFS] those of an fs.FS such as an embed.FS, [Parse] a text, and [New] takes definitions that
// a program has already. [Registry.Find] and [Registry.FindResource] return a [Definition], which knows its scope, its storage version and
// where it was read, and compiles itself when it is first needed. [Registry.Compile] compiles all of them, for programs that want to know
// at their start.
//
// # Bad documents
//
// A document that cannot be read does not hide the others. The functions that read return a registry with all that could be read, together
// with an error that joins an [Error] for each document that could not; errors.As and errors.Is look into it. A program that wants all or
// nothing stops at the error. One that reads whatever is in a directory logs it and goes on.
//
// # What is not asked here
//
// A registry does not ask whether a server would take a definition: that is package crdcheck's question. Two definitions of one name, or
// of one group and kind, are errors, and the first counts.
//
// # Mutation and concurrency
//
// A Registry is immutable and safe for concurrent use. No function modifies its arguments. Definitions are shared: they must not be
// modified once they are in a registry.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family REG: docs/behaviour.md in the repository lists them with
// their tests. Answers are those of package resource. Deliberately different: where a definition asks a webhook to convert objects, there
// is none to ask, so that only the apiVersion of an object changes, unless [Registry.WithConverter] gives a converter.
package registry
