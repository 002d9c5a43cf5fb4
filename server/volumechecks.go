package server

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/format"
)

// This file has the checks of PersistentVolumes.

// persistentSources are the sources of PersistentVolumes, in the order in which a server looks for them. It checks the
// first.
var persistentSources = []string{
	"hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte", "cephfs", "iscsi", "cinder", "fc",
	"flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi",
}

var persistentConstraints = map[string][]constraint{
	"hostPath": volumeSources["hostPath"],
	"local":    {{"", required("path", "")}, {"path", withoutParents}},
	"nfs": {{"", required("server", "")}, {"", required("path", "")}, {"path", func(c *checks, at *field.Path, v any) {
		if s, _ := v.(string); s != "" && !path.IsAbs(s) {
			c.add(field.Invalid(at, s, "must be an absolute path"))
		}
	}}},
	"csi": {
		{"", required("driver", "")},
		{"driver", named(func(s string) []string { return format.DNS1123Subdomain(strings.ToLower(s)) })},
		{"", required("volumeHandle", "")},
	},
}

// withoutParents allows paths without steps to a parent.
func withoutParents(c *checks, at *field.Path, v any) {
	s, _ := v.(string)
	if slices.Contains(strings.Split(s, "/"), "..") {
		c.add(field.Invalid(at, s, "must not contain '..'"))
	}
}

func checkVolume(c *checks, obj, _ map[string]any) {
	spec := mapAt(obj, "spec")
	modes := listAt(spec, "accessModes")
	c.required(specPath.Child("accessModes"), spec["accessModes"], "")
	c.descend(specPath, spec, "accessModes", accessModes)
	shared := func(v any) bool { return v == "ReadOnlyMany" || v == "ReadWriteMany" || v == "ReadWriteOnce" }
	if slices.Contains(modes, any("ReadWriteOncePod")) && slices.ContainsFunc(modes, shared) {
		c.add(field.Forbidden(specPath.Child("accessModes"), "may not use ReadWriteOncePod with other access modes"))
	}
	c.capacity(spec)
	c.volumeAffinity(spec)
	c.persistentSource(spec)
	c.descend(specPath, spec, "persistentVolumeReclaimPolicy", oneOf("Delete", "Recycle", "Retain"))
	if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" && path.Clean(text(mapAt(spec, "hostPath"), "path")) == "/" {
		c.add(field.Forbidden(specPath.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'"))
	}
	c.descend(specPath, spec, "storageClassName", named(format.DNS1123Subdomain))
	c.descend(specPath, spec, "volumeMode", volumeModes)
}

// capacity checks that a volume says how large it is, and nothing else.
func (c *checks) capacity(spec map[string]any) {
	at, capacity := specPath.Child("capacity"), mapAt(spec, "capacity")
	c.required(at, spec["capacity"], "")
	if _, sized := capacity["storage"]; !sized || len(capacity) > 1 {
		c.add(field.NotSupported(at, anyMap(capacity), "storage"))
	}
	amount := text(capacity, "storage")
	q, err := quantity.Parse(amount)
	if err == nil && q.Sign() <= 0 {
		if n, err := q.Int64(); err == nil && n < 0 {
			c.add(field.Invalid(at.Key("storage"), n, "must be a valid resource quantity"))
		}
		c.add(field.Invalid(at.Key("storage"), amount, "must be greater than zero"))
	}
}

// volumeAffinity checks from which Nodes a volume can be reached.
func (c *checks) volumeAffinity(spec map[string]any) {
	at := specPath.Child("nodeAffinity")
	affinity, has := spec["nodeAffinity"].(map[string]any)
	switch {
	case has && affinity["required"] == nil:
		c.add(field.Required(at.Child("required"), "must specify required node constraints"))
	case has:
		c.descend(at, affinity, "required", required("nodeSelectorTerms", "must have at least one node selector term"))
	}
}

func (c *checks) persistentSource(spec map[string]any) {
	found := false
	for _, source := range persistentSources {
		switch at := specPath.Child(source); {
		case spec[source] == nil:
		case source == "flexVolume":
			found = true // a server does not say that it is one too many
		case found:
			c.add(field.Forbidden(specPath.Child(cmp.Or(volumePaths[source], source)), "may not specify more than 1 volume type"))
		default:
			found = true
			c.constrain(at, spec[source], persistentConstraints[source])
			if source == "local" && spec["nodeAffinity"] == nil {
				c.add(field.Required(specPath.Child("nodeAffinity"), "Local volume requires node affinity"))
			}
		}
	}
	if !found {
		c.add(field.Required(specPath, "must specify a volume type"))
	}
}
