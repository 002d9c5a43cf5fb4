// Crdkit answers questions about CustomResourceDefinitions and custom objects in files, as a Kubernetes API server
// would, without one: what does it say of these manifests, would it take this definition, what do rules cost, which
// versions of Kubernetes take it. Every answer has its file, line and column.
//
//	go install github.com/crdkit/crdkit/cmd/crdkit@latest
//	crdkit validate -crd config/crd/bases manifests/
//
// docs/command.md in the repository has each subcommand with an example; crdkit help lists them.
package main
