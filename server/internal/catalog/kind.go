package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/resource"
)

// A Kind is one version of one resource, as it is served.
type Kind struct {
	Definition *crd.CustomResourceDefinition
	Names      crd.Names // the accepted names

	Group, VersionName string
	Namespaced         bool
	Status, Scale      bool // the kind has these subresources
	BuiltIn            bool // the kind is one of the server's own
	Terminating        bool // the definition is being deleted, and no objects may be created

	// Only for built-in kinds:
	Type          string         // in [BuiltInTypes]
	Generation    bool           // objects have a generation, which counts changes of the spec
	Initial       map[string]any // the status of a new object
	Unconditional bool           // an update may leave out the resourceVersion
	Segments      bool           // names are path segments instead of DNS subdomains
	Lists         []string       // the lists at the top level that are null if they are empty
	// ReturnsDeleted says that the answer to a DELETE is the object.
	ReturnsDeleted bool
	DeprecatedIn   since.Minor // the minor version since which each request gets a warning
	Deprecation    string      // the warning; empty for none

	// Compiled returns the compiled definition. The pointer changes when the spec changes.
	Compiled func() *Compiled
}

// Compiled is a compiled definition.
type Compiled struct {
	Resource *resource.Resource
	Tracked  *apply.Resource // Resource with managedFields, for writes

	closeWebhook func() // closes the connections to the conversion webhook; nil if there is none
}

// Version returns the version for reads.
func (k *Kind) Version() *resource.Version { return k.Compiled().Resource.Version(k.VersionName) }

// Tracked returns the version for writes, which updates managedFields.
func (k *Kind) Tracked() *apply.Version { return k.Compiled().Tracked.Version(k.VersionName) }

// APIVersion returns the apiVersion of objects.
func (k *Kind) APIVersion() string { return objectmeta.APIVersion(k.Group, k.VersionName) }

// GoType returns the type of which kube-apiserver has the objects of a built-in kind, as its error messages have it.
func (k *Kind) GoType() string {
	name, _, _ := strings.Cut(k.Group, ".")
	if name == "" || name == "events" {
		name = "core"
	}
	return "*" + name + "." + k.Names.Kind
}

// Resource returns the name of the resource in error messages.
func (k *Kind) Resource() resource.GroupResource {
	return resource.GroupResource{Group: k.Group, Resource: k.Definition.Spec.Names.Plural}
}

// Prefix returns the prefix of the keys of all objects, or of those in a namespace.
func (k *Kind) Prefix(namespace string) string {
	if k.BuiltIn {
		return prefix("/", k.Definition, namespace)
	}
	return Prefix(k.Definition, namespace)
}

// CoreGroup stands for the core group in keys. The group of a custom resource always has a dot.
const CoreGroup = "core"

// Prefix returns the prefix of the keys of all objects of a stored definition, or of those in a namespace. Objects of a
// resource that is also a built-in one, in another version, are apart from those: what the server reads of the built-in
// kinds, such as roles, has passed their checks.
func Prefix(d *crd.CustomResourceDefinition, namespace string) string {
	if isBuiltIn(d.Spec.Group, d.Spec.Names.Plural) {
		return prefix("/custom/", d, namespace)
	}
	return prefix("/", d, namespace)
}

// isBuiltIn reports whether a group with a dot has a built-in resource.
func isBuiltIn(group, plural string) bool {
	if !strings.HasSuffix(group, ".k8s.io") {
		return false // groups of definitions have a dot
	}
	return group == crd.Group && plural == Definitions ||
		slices.ContainsFunc(readBuiltInKinds().Kinds, func(k builtInKind) bool { return k.Group == group && k.Plural == plural })
}

func prefix(root string, d *crd.CustomResourceDefinition, namespace string) string {
	out := root + cmp.Or(d.Spec.Group, CoreGroup) + "/" + d.Spec.Names.Plural + "/"
	if namespace != "" {
		out += namespace + "/"
	}
	return out
}

// registries are the beginnings of keys in a server's store, for the built-in resources whose name is not the beginning.
var registries = map[string]string{
	"services": "/services/specs", "endpoints": "/services/endpoints", "nodes": "/minions", "replicationcontrollers": "/controllers",
	"ingresses": "/ingress", "apiservices": "/apiregistration.k8s.io/apiservices",
}

// registryOf returns how the keys of a built-in resource begin in a server's store.
func registryOf(group, plural string) string {
	if group == crd.Group {
		return ""
	}
	return cmp.Or(registries[plural], "/"+plural)
}

// Registry returns how the keys of the objects begin in a server's store, after the prefix of all keys. Errors have it.
func (k *Kind) Registry() string {
	if own := registryOf(k.Group, k.Names.Plural); k.BuiltIn && own != "" {
		return own
	}
	return "/" + k.Group + "/" + k.Names.Plural
}

// Key returns the key of an object.
func (k *Kind) Key(namespace, name string) string { return k.Prefix(namespace) + name }

// kindsOf returns the versions of a definition that are served: none if its names were never accepted (DIS-003).
func kindsOf(d *crd.CustomResourceDefinition, compiled func() *Compiled, builtIn bool) (kinds []*Kind) {
	accepted := d.HasCondition(crd.NamesAccepted) || d.HasCondition(crd.Established)
	if !accepted && !builtIn {
		return nil
	}
	of, seen := d.Lookup(), map[string]bool{}
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		first := !seen[v.Name] // of a name counts
		if seen[v.Name] = true; !first || !v.Served {
			continue
		}
		k := &Kind{
			Definition: d, Names: d.AcceptedNames(), Compiled: compiled,
			Group: d.Spec.Group, VersionName: v.Name, Namespaced: d.Spec.Scope == crd.NamespaceScoped,
			BuiltIn: builtIn, Terminating: d.HasCondition(crd.Terminating),
		}
		if sub, err := of.Subresources(v.Name); err == nil {
			k.Status, k.Scale = sub.Status != nil, sub.Scale != nil
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// Described reports whether a built-in kind has descriptions and is in the OpenAPI document of version 2: only
// definitions and namespaces are. The others would make that document large.
func (k *Kind) Described() bool {
	return k.Names.Plural == Definitions && k.Group == crd.Group || k.Names.Plural == Namespaces && k.Group == ""
}
