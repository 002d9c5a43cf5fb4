// Package catalog has the kinds that a server serves: its own, and those of the stored definitions. A [Catalog] is an
// immutable snapshot. A [Keeper] follows the store and makes a new catalog when definitions change.
package catalog
