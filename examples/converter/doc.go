// Package converter converts Routes between two versions of a definition, as a conversion webhook, and tests it without
// a cluster. Begin with README.md.
package converter
