// Crdkit answers questions about CustomResourceDefinitions and custom objects in files, as a Kubernetes API server
// would, without one. What are the errors in these manifests? Is this definition accepted? What do its rules cost?
// Which Kubernetes versions accept it? Every answer has its file, line and column.
//
//	go install github.com/crdkit/crdkit/cmd/crdkit@latest
//	crdkit validate -crd config/crd/bases manifests/
//
// docs/command.md in the repository has each subcommand with an example; crdkit help lists them.
package main
