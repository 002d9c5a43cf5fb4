// Package apply answers server-side apply requests, and updates metadata.managedFields in all other writes, as an API
// server does.
//
// Each writer of an object has a name, its field manager, and managedFields records which manager set which fields. An
// apply sends the part of an object that a manager wants to set. The server merges it into the stored object, removes
// the fields that the manager applied before but not now, and refuses to change fields of other managers, unless it is
// forced.
//
//	r, err := resource.Compile(definition)
//	a, err := apply.Compile(r)
//	v := a.Version("v1").With(resource.RequestOptions{Namespace: "default", Name: "web"})
//
//	// live is the stored object, or nil.
//	result := v.Apply(ctx, body, live, apply.Options{Manager: "my-operator"})
//	if err := result.Err(); err != nil {
//		return err // Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas
//	}
//
// [Version.Create], [Version.Update], [Version.Patch] and the others are package resource's requests with managedFields
// as a server updates them.
//
// For clients, [Owners] and [Fields] return who owns what, with readable paths. [Version.Extract] returns what a
// manager applied, and [Version.Conflicts] the conflicts for which an apply is refused.
//
// # Sharing
//
// Live objects and sent objects are not modified. Results share values with them. All types are safe for concurrent
// use.
//
// # Security considerations
//
// Bodies and objects have the limits of package resource. Reading and writing managedFields takes time linear in their
// size. structured-merge-diff merges and compares objects, as in a server. Its time is quadratic in the longest
// granular list of type set or map, or granular object. What would take more than seconds is bounded here, although a
// server has no such bounds: an apply is refused with 413, and any other write keeps the stored managedFields. This
// applies to
//
//   - an object with unsorted lists and maps of more than 32,768 items, or with fields whose paths together have more
//     than 16 MiB;
//   - managedFields with so many entries that their number times that of the object's fields is more than 33,554,432;
//   - an entry with thousands of fields below a value that the schema now makes atomic.
//
// Conflicts are listed up to the default [github.com/crdkit/crdkit/field.Limit]. An apply that is not forced is refused
// if the paths of possible conflicts are too long. structured-merge-diff does not stop when a context ends.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family SSA: docs/internals/behaviour.md in the
// repository lists them with their tests. Merging and sets of fields are those of sigs.k8s.io/structured-merge-diff,
// which a server uses. Deviations:
//
//   - A write without a manager has the manager "unknown". A server derives the name from the client's User-Agent,
//     which only the caller knows.
package apply
