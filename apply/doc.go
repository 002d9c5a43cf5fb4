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
// # Parity
//
// Kubernetes 1.37, clauses SSA-001 to SSA-051. Merging and sets of fields are those of sigs.k8s.io/structured-merge-diff, which a server uses.
package apply
