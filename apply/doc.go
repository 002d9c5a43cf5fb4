// Package apply answers server-side apply requests, and keeps metadata.managedFields in all other writes, as an API server does.
//
// Each writer of an object has a name, its field manager, and managedFields says which manager set which fields. An apply sends the part of an
// object that a manager cares about. The server merges it into the stored object, removes the fields that the manager applied before
// and left out now, and refuses to change what another manager owns, unless it is forced.
//
//	r, err := resource.Compile(definition)
//	a, err := apply.Compile(r)
//	v := a.Version("v1").With(resource.RequestOptions{Namespace: "default", Name: "web"})
//
//	result := v.Apply(ctx, body, live, apply.Options{Manager: "my-operator"}) // live is the stored object, nil for none
//	if err := result.Err(); err != nil {
//		return err // Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas
//	}
//
// [Version.Create], [Version.Update], [Version.Patch] and the others are package resource's requests with managedFields as a server keeps them.
//
// For clients, [Owners] and [Fields] tell who owns what in paths that people can read, [Version.Extract] returns what a manager applied, and
// [Version.Conflicts] says why an apply is refused.
//
// # Sharing
//
// Live objects, and what is sent, are not modified. Results share values with them. All types are safe for concurrent use.
//
// # Security considerations
//
// Bodies and objects have the limits of package resource. Reading and writing managedFields takes time in proportion to their size. Merging and
// comparing objects is structured-merge-diff's, as on a server, and takes time in proportion to the square of the longest list of type set or
// map, or the largest object, that is granular. What would take more than seconds is bounded, as no server bounds it: an apply is refused with
// 413, and any other write keeps the stored managedFields. That is so for
//
//   - an object with lists and maps of more than 32,768 items that come in no order, or fields whose paths have more than 16 MiB together;
//   - managedFields with more entries than 33,554,432 divided by the number of the object's fields;
//   - an entry with thousands of fields below what the schema makes atomic by now.
//
// Conflicts are listed up to the default [github.com/crdkit/crdkit/field.Limit], and an apply that is not forced is refused where the paths of possible conflicts are too
// long. A context that ends does not stop structured-merge-diff.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family SSA: docs/behaviour.md in the repository lists them with their
// tests. Merging and sets of fields are those of sigs.k8s.io/structured-merge-diff, which a server uses. Deviations:
//
//   - A write without a manager is one of the manager "unknown": a server names it after the client's User-Agent, which only the caller knows.
package apply
