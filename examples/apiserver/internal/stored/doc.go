// Package stored iterates over stored objects, for package audit: those in a file of the example server, in an etcd
// snapshot, and in a live etcd cluster.
//
//	for body, err := range stored.Snapshot("snapshot.db", "/registry/example.com/widgets/") {
//
// Each value is the JSON of a stored object, and is valid until the next iteration. A value that is not JSON (a
// built-in kind of Kubernetes, or an encrypted object) is an error with its key, and the iteration continues. It ends
// after an error of the store.
//
// Memory does not depend on the number of objects, except that of Snapshot, which remembers 16 bytes for each key.
package stored
