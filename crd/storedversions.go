package crd

import "slices"

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
