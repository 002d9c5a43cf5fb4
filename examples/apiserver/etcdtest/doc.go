// Package etcdtest tests the etcd store with a real etcd, which runs as a separate process on the loopback interface.
// The package is a separate module, so that the example depends on etcd's client but not on its server.
package etcdtest
