// Package listing shows people where something is: an object as YAML with marks at some of its lines, and the line of a document that a
// path leads to.
package listing
