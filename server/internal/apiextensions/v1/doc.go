// Package v1 has the fields of an apiextensions.k8s.io/v1 CustomResourceDefinition as a server's decoder reads them.
// Errors of decoding show the names of its types and of the package, so they are those of Kubernetes.
package v1
