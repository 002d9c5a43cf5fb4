package crdcheck

import (
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
)

var storedPath = field.NewPath("status", "storedVersions")

// storedVersionErrors returns the errors in status.storedVersions with respect to the versions: CVL-023. Their order is
// that of a server: no stored version at all, which is then the only error; storage versions that are not in the list;
// versions of the list that are not in the spec, each at its last index, in the order of the list.
func storedVersionErrors(stored []string, versions []crd.Version) field.List {
	if len(stored) == 0 {
		return field.List{field.Invalid(storedPath, stored, "must have at least one stored version")}
	}
	last := make(map[string]int, len(stored)) // the last index of each name without a version so far
	for i, name := range stored {
		last[name] = i
	}
	var errs field.List
	for i := range versions {
		v := &versions[i]
		// As in a server, a second version with the same name does not find it again.
		if _, ok := last[v.Name]; v.Storage && !ok {
			errs = append(errs, field.Invalid(storedPath, stored, "must have the storage version "+v.Name))
		}
		delete(last, v.Name)
	}
	for i, name := range stored {
		if n, missing := last[name]; missing && n == i {
			errs = append(errs, field.Invalid(storedPath.Index(i), name, fmt.Sprintf("missing from spec.versions; %[1]s was previously a "+
				"storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s "+
				"and removes %[1]s from status.storedVersions", name)))
		}
	}
	return errs
}
