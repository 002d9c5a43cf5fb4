// Package kubeversion tells which Kubernetes takes a definition.
package kubeversion
