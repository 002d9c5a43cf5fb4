package crd

import (
	"slices"

	"github.com/crdkit/crdkit/internal/errlist"
)

// A server keeps a list of all versions that were ever the storage version in status.storedVersions: storage may still
// have objects in any of them. It adds versions to the list, but never removes them. Whoever migrates the stored
// objects must remove the old versions.

// StoredVersionsAfter returns the status.storedVersions that a server gives to d when it replaces old: the list of old,
// with the storage version of d appended unless it is there. If old is nil, d is being created: the list has only its
// storage version, regardless of the status of d. Without a storage version nothing is added.
//
// Nothing is modified. If nothing is added, the result is the list of old itself, otherwise a new one.
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

// RemovableVersions returns the names of the versions that may be removed from spec.versions, in their order, each
// once: those in which no object can be stored. These are all except the storage version and those in
// status.storedVersions. It does not check whether clients still use a version. It returns nil if there are none.
func (d *CustomResourceDefinition) RemovableVersions() []string {
	kept := make(map[string]bool, len(d.Spec.Versions))
	for _, name := range d.Status.StoredVersions {
		kept[name] = true
	}
	for i := range d.Spec.Versions {
		kept[d.Spec.Versions[i].Name] = kept[d.Spec.Versions[i].Name] || d.Spec.Versions[i].Storage
	}
	var names []string
	for i := range d.Spec.Versions {
		if name := d.Spec.Versions[i].Name; !kept[name] {
			names = append(names, name)
		}
	}
	return errlist.Distinct(names)
}

// VersionsToMigrate returns the names in status.storedVersions of the versions other than the storage version in which
// objects may still be stored, in the order of the list, each once: a storage migration has to rewrite these. It
// returns nil if there are none, or if d has no storage version to migrate to.
func (d *CustomResourceDefinition) VersionsToMigrate() []string {
	storage := d.storage()
	if storage == nil {
		return nil
	}
	var names []string
	for _, name := range d.Status.StoredVersions {
		if name != storage.Name {
			names = append(names, name)
		}
	}
	return errlist.Distinct(names)
}

// Migrated returns the status to write when every object has been rewritten: its StoredVersions is the storage version
// alone. A server accepts any list in an update of the status, and does not check that there was a migration. Without a
// storage version, the result is the status of d.
//
// d is not modified. The result shares all other lists with its status.
func (d *CustomResourceDefinition) Migrated() Status {
	s := d.Status
	if v := d.storage(); v != nil {
		s.StoredVersions = []string{v.Name}
	}
	return s
}
