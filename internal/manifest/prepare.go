package manifest

import (
	"maps"

	"github.com/crdkit/crdkit/crd"
)

// ownedMembers are the members of metadata that a server sets and then compares. A new object that lacks them has those
// of the old object, and an old object from a file that lacks them has those of the new one. The others that a server
// sets, such as generation and managedFields, are taken from the old object by every update.
var ownedMembers = [...]string{"resourceVersion", "uid", "creationTimestamp"}

// Replace returns obj and old as they are when obj replaces old: a member of the metadata that a server owns and that
// one of them lacks is that of the other one. If both have it, both keep it: an update of another state is a conflict.
// Neither is modified. If nothing changes, they are returned themselves.
func Replace(obj, old map[string]any) (map[string]any, map[string]any) {
	meta, oldMeta := metadata(obj), metadata(old)
	is, was, changed, oldChanged := merge(meta, oldMeta)
	return withMetadata(obj, is, changed), withMetadata(old, was, oldChanged)
}

// ReplaceDefinition returns a definition and the one that it replaces as [Replace] does. In addition, old counts as
// established unless it has that condition, and as stored in its storage version unless its status has a list. A
// definition in a file has no status, and the one that it stands for is usually served.
func ReplaceDefinition(d, old *crd.CustomResourceDefinition) (*crd.CustomResourceDefinition, *crd.CustomResourceDefinition) {
	is, was, changed, _ := merge(d.Metadata, old.Metadata)
	if changed {
		d = &crd.CustomResourceDefinition{APIVersion: d.APIVersion, Metadata: is, Spec: d.Spec, Status: d.Status}
	}
	old = &crd.CustomResourceDefinition{APIVersion: old.APIVersion, Metadata: was, Spec: old.Spec, Status: old.Status}
	if old.Condition(crd.Established) == nil {
		conditions := old.Status.Conditions[:len(old.Status.Conditions):len(old.Status.Conditions)]
		old.Status.Conditions = append(conditions, crd.Condition{Type: crd.Established, Status: "True"})
	}
	if len(old.Status.StoredVersions) == 0 {
		old.Status.StoredVersions = old.StoredVersionsAfter(nil)
	}
	return d, old
}

// Stored reports whether an object has something that only a server sets, so that it is one from a cluster.
func Stored(obj map[string]any) bool {
	meta := metadata(obj)
	return hasMember(meta, "resourceVersion") || hasMember(meta, "uid")
}

// merge returns both metadata with the owned members of each other, and which of them changed.
func merge(meta, old map[string]any) (is, was map[string]any, changed, oldChanged bool) {
	is, was = meta, old
	for _, name := range ownedMembers {
		switch mine, theirs := hasMember(meta, name), hasMember(old, name); {
		case theirs && !mine:
			is, changed = withMember(is, changed, name, old[name]), true
		case mine && !theirs:
			was, oldChanged = withMember(was, oldChanged, name, meta[name]), true
		}
	}
	return is, was, changed, oldChanged
}

// hasMember reports whether metadata has a member: null, which generators write for a time, and an empty text are none.
func hasMember(meta map[string]any, name string) bool {
	v := meta[name]
	return v != nil && v != ""
}

// withMember returns m, or a copy if it is not one already, in which name has the value v.
func withMember(m map[string]any, copied bool, name string, v any) map[string]any {
	if !copied {
		if m = maps.Clone(m); m == nil {
			m = map[string]any{}
		}
	}
	m[name] = v
	return m
}

func metadata(obj map[string]any) map[string]any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta
}

func withMetadata(obj, meta map[string]any, changed bool) map[string]any {
	if !changed {
		return obj
	}
	return withMember(obj, false, "metadata", meta)
}

// Removed returns why no server accepts a request with a definition, and what to do about it, or two empty texts: the
// API of apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22. Package crd still reads such definitions, because
// stored ones and old releases have that form.
func Removed(d *crd.CustomResourceDefinition) (message, hint string) {
	if d.APIVersion != crd.APIVersionV1beta1 {
		return "", ""
	}
	return `no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1": Kubernetes 1.22 removed it`,
		"write it as apiextensions.k8s.io/v1, with a schema, subresources and printer columns in each version: " +
			"controller-gen does that by default, and so does V1 of the Go package crd"
}
