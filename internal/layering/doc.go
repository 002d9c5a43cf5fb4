// Package layering holds the module's architecture: a table of layers, and tests that each package imports only what
// its layer may import, that nothing of k8s.io is ever in the module's graph, that packages which need no CEL do not
// link it, and that every package has a doc.go.
package layering
