// Package api holds the list of everything that this module exports, in docs/api.txt: a change of it is seen in the
// diff of that file.
package api
