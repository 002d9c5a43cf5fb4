package crdcheck

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// What a server does to a definition before it checks it: PRE-001, PRE-002. Only what errors depend on is done here.

// updatedStatus returns the status of d when it replaces old; nil for a create: PRE-001, PRE-002.
func updatedStatus(d, old *crd.CustomResourceDefinition) (s crd.Status) {
	if old != nil {
		s = old.Status
	}
	s.StoredVersions = d.StoredVersionsAfter(old)
	return s
}

// createdMetadata returns the metadata of a new definition, and whether the generic rules for objects are known to
// hold. Unlike a request, it keeps a namespace: an error is more helpful than dropping it silently.
func createdMetadata(d *crd.CustomResourceDefinition) (meta map[string]any, valid bool) {
	var s objectmeta.Summary
	if s.Summarize(d.Metadata, nil) && s.KeptByCreate && s.ValidCreate(false) {
		return d.Metadata, true // a missing generation affects no error
	}
	namespace, _ := d.Metadata["namespace"].(string)
	meta, _, _ = objectmeta.PrepareCreate(d.Metadata, namespace)
	return meta, false
}

// updatedMetadata returns the metadata of d when it replaces old: what an update cannot change is restored, and a
// change of the spec increments the generation.
func updatedMetadata(d, old *crd.CustomResourceDefinition, changed bool) map[string]any {
	meta, _ := objectmeta.DeduplicateOwners(d.Metadata)
	meta = objectmeta.Retain(objectmeta.WithManagedFields(meta, old.Metadata), old.Metadata)
	if changed {
		meta = objectmeta.WithGeneration(meta, old.Generation()+1)
	}
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
