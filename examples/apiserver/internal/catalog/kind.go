package catalog

import (
	"slices"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/resource"
)

// A Kind is one version of one resource, as it is served.
type Kind struct {
	Definition *crd.CustomResourceDefinition
	Names      crd.Names // those that were accepted
	Version    *resource.Version
	Tracked    *apply.Version     // Version with managedFields: for writes
	Compiled   *resource.Resource // what Version is of: another one where the spec has changed

	Group, VersionName string
	Namespaced         bool
	Status, Scale      bool // the subresources that there are
	BuiltIn            bool // the server's own: a definition, or a namespace
	Terminating        bool // objects are on their way out, and nobody may create more
}

// APIVersion returns what objects have as their apiVersion.
func (k *Kind) APIVersion() string {
	if k.Group == "" {
		return k.VersionName
	}
	return k.Group + "/" + k.VersionName
}

// Resource returns the name of the resource in refusals.
func (k *Kind) Resource() protocol.GroupResource { return k.Compiled.GroupResource() }

// Prefix returns what the keys of all objects begin with, or of those in a namespace.
func (k *Kind) Prefix(namespace string) string {
	return Prefix(k.Definition, namespace)
}

// Prefix returns what the keys of all objects of a definition begin with, or of those in a namespace.
func Prefix(d *crd.CustomResourceDefinition, namespace string) string {
	group := d.Spec.Group
	if group == "" {
		group = "core" // no custom group is a single word
	}
	out := "/" + group + "/" + d.Spec.Names.Plural + "/"
	if namespace != "" {
		out += namespace + "/"
	}
	return out
}

// Key returns the key of an object.
func (k *Kind) Key(namespace, name string) string { return k.Prefix(namespace) + name }

// kindsOf returns the versions of a definition that are served: none if its names were never accepted (DIS-003).
func kindsOf(d *crd.CustomResourceDefinition, r *resource.Resource, tracked *apply.Resource, builtIn bool) (kinds []*Kind) {
	accepted := d.HasCondition(crd.NamesAccepted, crd.ConditionTrue) || d.HasCondition(crd.Established, crd.ConditionTrue)
	if !accepted && !builtIn {
		return nil
	}
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		served := slices.ContainsFunc(kinds, func(k *Kind) bool { return k.VersionName == name })
		if served || !d.Serves(name) {
			continue
		}
		k := &Kind{
			Definition: d, Names: d.AcceptedNames(), Version: r.Version(name), Tracked: tracked.Version(name), Compiled: r,
			Group: d.Spec.Group, VersionName: name, Namespaced: d.Spec.Scope == crd.NamespaceScoped,
			BuiltIn: builtIn, Terminating: d.HasCondition(crd.Terminating, crd.ConditionTrue),
		}
		if sub, err := d.Lookup().Subresources(name); err == nil {
			k.Status, k.Scale = sub.Status != nil, sub.Scale != nil
		}
		kinds = append(kinds, k)
	}
	return kinds
}
