package crdcheck

import (
	"maps"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// What a server does to a definition before it looks at it: PRE-001, PRE-002. Of that, only what errors can tell of is done here.

// updatedStatus returns the status of d in the place of old, nil for a create: PRE-001, PRE-002.
func updatedStatus(d, old *crd.CustomResourceDefinition) (s crd.Status) {
	if old != nil {
		s = old.Status
	}
	s.StoredVersions = d.StoredVersionsAfter(old)
	return s
}

// createdMetadata returns the metadata of a new definition, and whether it is known to be valid by the rules of any object. Unlike
// a request, it keeps a namespace: an error says more than its silent loss.
func createdMetadata(d *crd.CustomResourceDefinition) (meta map[string]any, valid bool) {
	var s objectmeta.Summary
	if s.Summarize(d.Metadata, nil) && s.KeptByCreate && s.ValidCreate(false) {
		return d.Metadata, true // no error can tell that it has no generation yet
	}
	namespace, _ := d.Metadata["namespace"].(string)
	meta, _, _ = objectmeta.PrepareCreate(d.Metadata, namespace)
	return withManagedFields(meta, d.Metadata, nil), false
}

// updatedMetadata returns the metadata of d in the place of old: what an update cannot change is put back, and a change of the spec
// counts the generation up.
func updatedMetadata(d, old *crd.CustomResourceDefinition, changed bool) map[string]any {
	meta, _ := objectmeta.DeduplicateOwners(d.Metadata)
	meta = objectmeta.Retain(withManagedFields(meta, meta, old.Metadata), old.Metadata)
	if changed {
		meta = objectmeta.WithGeneration(meta, old.Generation()+1)
	}
	return meta
}

// withManagedFields returns meta with the managed fields that its rules get to see (MET-015).
func withManagedFields(meta, sent, old map[string]any) map[string]any {
	if meta["managedFields"] == nil && old["managedFields"] == nil {
		return meta
	}
	meta = maps.Clone(meta)
	delete(meta, "managedFields")
	if kept := objectmeta.ManagedFields(sent, old); len(kept) > 0 {
		if meta == nil {
			meta = map[string]any{}
		}
		meta["managedFields"] = kept
	}
	return meta
}

// The paths that nearly every check begins with. Paths are immutable.
var (
	metadataPath   = field.NewPath("metadata")
	specPath       = field.NewPath("spec")
	versionsPath   = specPath.Child("versions")
	namesPath      = specPath.Child("names")
	validationPath = specPath.Child("validation")
	topSchemaPath  = validationPath.Child("openAPIV3Schema")
	conversionPath = specPath.Child("conversion")
	acceptedPath   = field.NewPath("status", "acceptedNames")

	firstVersionPath = versionsPath.Index(0)
	firstSchemaPath  = firstVersionPath.Child("schema").Child("openAPIV3Schema")
)

// versionPath returns the path of the version at index i.
func versionPath(i int) *field.Path {
	if i == 0 {
		return firstVersionPath
	}
	return versionsPath.Index(i)
}

// schemaPath returns the path of the schema of the version at index i.
func schemaPath(i int) *field.Path {
	if i == 0 {
		return firstSchemaPath
	}
	return versionPath(i).Child("schema").Child("openAPIV3Schema")
}
