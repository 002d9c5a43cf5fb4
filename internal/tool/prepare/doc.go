// Package prepare prepares requests for objects and definitions from files, as kubectl does. The author of a file writes
// what is wanted, and a dump of a cluster also has what only a server sets. Either may be the old object or the new one.
package prepare
