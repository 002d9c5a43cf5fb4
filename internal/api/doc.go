// Package api keeps the list of everything that this module exports, docs/api.txt, so that each change of the API shows
// in the diff of that file.
package api
