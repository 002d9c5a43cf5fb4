// Package storagetest tests implementations of [storage.Store]: a store that passes [Run] does what package storage says.
package storagetest
