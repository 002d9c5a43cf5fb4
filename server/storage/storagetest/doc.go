// Package storagetest tests implementations of [storage.Store] with [Run].
package storagetest
