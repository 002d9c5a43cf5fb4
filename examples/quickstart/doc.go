// Quickstart is a first program. It reads a CustomResourceDefinition, checks whether a Kubernetes API server would
// accept it, and creates two objects as a server would. The first object is valid: the program prints what a server
// would store, and a warning. The second object has seven errors: the program prints them as kubectl would. The exit
// code is 0 in spite of them.
//
// The command does the same for your own files: crdkit validate -crd crd.yaml nightly.yaml broken.yaml.
package main
