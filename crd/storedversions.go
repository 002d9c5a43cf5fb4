package crd

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/field"
)

// A server keeps in status.storedVersions which versions were ever the one that objects are stored in: any of them may still be found
// in storage. It adds to the list by itself and never takes from it. That is for whoever has written all objects anew.

// StoredVersionsAfter returns the status.storedVersions that a server gives to d when it replaces old: those of old, with the
// storage version of d behind them unless they have it. If old is nil, d is being created: it has its storage version alone,
// whatever its own status says. Without a storage version nothing is added.
//
// Nothing is modified. If nothing is added the result is old's own list, and otherwise a new one.
func (d *CustomResourceDefinition) StoredVersionsAfter(old *CustomResourceDefinition) []string {
	var stored []string
	if old != nil {
		stored = old.Status.StoredVersions
	}
	v := d.storage()
	if v == nil || slices.Contains(stored, v.Name) {
		return stored
	}
	return append(slices.Clip(stored), v.Name)
}

var storedVersionsPath = field.NewPath("status", "storedVersions")

// StoredVersionErrors returns what keeps d from being taken, of what its status.storedVersions and its versions say of each other;
// nil if nothing does. Its order is that of a server: no stored version at all, which is then the only error; storage versions that
// are not in the list; versions of the list that are not in the spec, each at its last index, in the order of the list.
//
// A server looks at it when the spec is written, after it has changed the list as [CustomResourceDefinition.StoredVersionsAfter] says, and
// not when a status is. d is not modified. The error of a missing storage version shares the list.
func (d *CustomResourceDefinition) StoredVersionErrors() field.List {
	stored := d.Status.StoredVersions
	at := storedVersionsPath
	if len(stored) == 0 {
		return field.List{field.Invalid(at, stored, "must have at least one stored version")}
	}
	last := make(map[string]int, len(stored)) // the last index of each name that no version was found for
	for i, name := range stored {
		last[name] = i
	}
	var errs field.List
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		// A second version of one name does not find it any more, as in a server.
		if _, ok := last[v.Name]; v.Storage && !ok {
			errs = append(errs, field.Invalid(at, stored, "must have the storage version "+v.Name))
		}
		delete(last, v.Name)
	}
	for i, name := range stored {
		if n, missing := last[name]; missing && n == i {
			errs = append(errs, field.Invalid(at.Index(i), name, fmt.Sprintf("missing from spec.versions; %[1]s was previously a "+
				"storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s "+
				"and removes %[1]s from status.storedVersions", name)))
		}
	}
	return errs
}

// RemovableVersions returns the names of the versions that may leave spec.versions, in the order they have there, each once: those in
// which no object may be stored. That is all but the storage version and those that [CustomResourceDefinition.Stores] reports.
// Whether clients still use a version is another question. It returns nil if there are none.
func (d *CustomResourceDefinition) RemovableVersions() []string {
	var names []string
	kept := make(map[string]bool, len(d.Spec.Versions))
	for _, name := range d.Status.StoredVersions {
		kept[name] = true
	}
	for i := range d.Spec.Versions {
		if d.Spec.Versions[i].Storage {
			kept[d.Spec.Versions[i].Name] = true
		}
	}
	for i := range d.Spec.Versions {
		if name := d.Spec.Versions[i].Name; !kept[name] {
			kept[name] = true
			names = append(names, name)
		}
	}
	return names
}

// VersionsToMigrate returns the names in status.storedVersions of the versions that objects may still be stored in though they are not
// the storage version, in the order of the list, each once: what a storage migration has to see to. It returns nil if there are
// none, and if d has no storage version, as there is then none to migrate to.
func (d *CustomResourceDefinition) VersionsToMigrate() []string {
	storage := d.storage()
	if storage == nil {
		return nil
	}
	var names []string
	seen := map[string]bool{storage.Name: true}
	for _, name := range d.Status.StoredVersions {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// Migrated returns the status to write once every object has been written anew: its StoredVersions is the storage version alone.
// A server takes any list in an update of the status, so nobody checks that there was a migration. Without a storage version, the
// result is the status of d.
//
// d is not modified. The result shares all other lists with its status.
func (d *CustomResourceDefinition) Migrated() Status {
	s := d.Status
	if v := d.storage(); v != nil {
		s.StoredVersions = []string{v.Name}
	}
	return s
}
