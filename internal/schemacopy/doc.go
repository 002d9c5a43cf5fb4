// Package schemacopy changes schemas without modifying them: what changes is copied, and what is equal is shared.
package schemacopy
