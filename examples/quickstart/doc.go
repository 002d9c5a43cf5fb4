// Quickstart is the first program: it reads a CustomResourceDefinition, asks whether a Kubernetes API server would take it, and creates two
// objects as that server would. The first is fine: it prints what the server would store, and a warning. The second is wrong in seven ways:
// it prints what kubectl would. Both answers are the demonstration, and the exit code is 0.
//
// The command does the same for files of your own: crdkit validate -crd crd.yaml nightly.yaml broken.yaml.
package main
