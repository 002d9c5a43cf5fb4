// Package storage defines the store of package server: keys with values, one revision that counts every change of any key, and the changes
// themselves, in order, from any revision that is not too long ago.
//
// [NewMemory] returns a store in memory. Other stores implement [Store]; package storagetest has the tests that they must pass. The
// repository's examples/apiserver has one in a file (bbolt) and one in an etcd cluster.
package storage
