// Package catalog knows what a server serves: its own kinds, and those of the definitions that are stored. A [Catalog] is one state of
// that, which never changes; a [Keeper] follows the store and makes the next one.
package catalog
