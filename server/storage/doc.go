// Package storage defines the store of package server. It has keys with values, one revision for all keys, which every
// change increases, and the history of recent changes, in order.
//
// [NewMemory] returns a store in memory. Other stores implement [Store] and must pass the tests of package storagetest.
// The repository's examples/apiserver has a store in a file (bbolt) and one in an etcd cluster.
package storage
