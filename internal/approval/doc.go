// Package approval reads the approval that definitions need in the groups that belong to Kubernetes.
package approval
