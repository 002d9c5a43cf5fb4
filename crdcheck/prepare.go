package crdcheck

import (
	"maps"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// This file does what a server does to a definition before it checks it, as far as errors depend on it: PRE-001,
// PRE-002.

// updatedStatus returns the status of d when it replaces old; nil for a create: PRE-001, PRE-002.
func updatedStatus(d, old *crd.CustomResourceDefinition) (s crd.Status) {
	if old != nil {
		s = old.Status
	}
	s.StoredVersions = d.StoredVersionsAfter(old)
	return s
}

// createdMetadata returns the metadata of a new definition, and whether the generic rules for objects are known to
// hold. A server clears a namespace: STR-008.
func createdMetadata(d *crd.CustomResourceDefinition) (meta map[string]any, valid bool) {
	var s objectmeta.Summary
	if s.Summarize(d.Metadata, nil) && s.KeptByCreate && s.ValidCreate(false) {
		return d.Metadata, true // a missing generation affects no error
	}
	meta = readMetadata(d.Metadata)
	meta, _, _ = objectmeta.PrepareCreate(meta, "", false)
	return meta, false
}

// readMetadata returns the metadata of a definition, which may have been built in Go, as a server reads it. If it
// cannot be read, it is returned as it is, and the check reports the error.
func readMetadata(meta map[string]any) map[string]any {
	if read, _, err := objectmeta.Read(meta, false); err == nil {
		return read
	}
	return meta
}

// updatedMetadata returns the metadata of d when it replaces old: what an update cannot change is restored, and a
// change of the spec increments the generation.
func updatedMetadata(d, old *crd.CustomResourceDefinition, changed bool) map[string]any {
	oldMeta := withoutNamespace(readMetadata(old.Metadata))
	meta, _ := objectmeta.DeduplicateOwners(withoutNamespace(readMetadata(d.Metadata)))
	return objectmeta.Retain(objectmeta.WithManagedFields(meta, oldMeta), oldMeta, changed)
}

// withoutNamespace returns meta without a namespace, which a server clears: STR-008.
func withoutNamespace(meta map[string]any) map[string]any {
	if _, ok := meta["namespace"]; !ok {
		return meta
	}
	meta = maps.Clone(meta)
	delete(meta, "namespace")
	return meta
}

// The paths that nearly every check uses. Paths are immutable.
var (
	metadataPath   = field.NewPath("metadata")
	specPath       = field.NewPath("spec")
	versionsPath   = specPath.Child("versions")
	namesPath      = specPath.Child("names")
	validationPath = specPath.Child("validation")
	topSchemaPath  = validationPath.Child("openAPIV3Schema")
	conversionPath = specPath.Child("conversion")
	acceptedPath   = field.NewPath("status", "acceptedNames")
)

// allVersions is the index of the schema of all versions, which v1beta1 may have.
const allVersions = -1

// schemaPath returns the path of the schema of the version at index i, or of that of all versions.
func schemaPath(i int) *field.Path {
	if i == allVersions {
		return topSchemaPath
	}
	return versionsPath.Index(i).Child("schema").Child("openAPIV3Schema")
}
