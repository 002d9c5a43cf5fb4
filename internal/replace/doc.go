// Package replace prepares a request that replaces a stored object with one from a file, as kubectl replace and kubectl
// apply do. The author of a file writes what is wanted, and a dump of a cluster also has what only a server sets. Either
// may be the old object or the new one.
package replace
