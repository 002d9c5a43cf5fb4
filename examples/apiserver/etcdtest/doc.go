// Package etcdtest tests the store in etcd against a real one, which is a process of its own on this machine's loopback. It is a module
// of its own, so that the example has etcd's client among its dependencies, and not its server.
package etcdtest
