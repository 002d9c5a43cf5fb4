// Package finding collects errors, warnings and hints about a definition or object, with their positions. The errors
// and warnings are the server's; a server gives no hints.
package finding
