// Package listing prints objects as YAML with marks at some lines, and finds the line of a path in a document.
package listing
