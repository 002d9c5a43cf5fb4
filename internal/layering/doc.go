// Package layering checks the module's architecture: each package imports only packages in lower layers, nothing of
// k8s.io is in the module's graph, packages that need no CEL do not link it, and every package has a doc.go.
package layering
