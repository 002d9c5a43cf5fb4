// Package stored iterates over the objects that lie in a store, for package audit: in the file of the example server,
// in an etcd snapshot, and in a live etcd cluster.
//
//	for body, err := range stored.Snapshot("snapshot.db", "/registry/example.com/widgets/") {
//
// Each value is the JSON of an object as it is stored, good until the next one is asked for. A value that is not JSON
// (a built-in kind of Kubernetes, or one that is encrypted) comes as an error with its key, and the iteration goes on.
// It ends after an error of the store.
//
// Memory does not depend on the number of objects, except that of Snapshot, which remembers 16 bytes for each key.
package stored
