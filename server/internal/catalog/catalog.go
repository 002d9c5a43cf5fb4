package catalog

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
)

//go:embed builtin.yaml
var serverKindsYAML []byte

// The plural names of the resources that every server has, except that fixed definitions are no resource.
const (
	Definitions = "customresourcedefinitions"
	Namespaces  = "namespaces"
)

// Pods is the plural name of Pods.
const Pods = "pods"

// The types of kinds with subresources of their own.
const (
	AccountType     = "core.v1.ServiceAccount"
	NamespaceType   = "core.v1.Namespace"
	CertificateType = "certificates.v1.CertificateSigningRequest"
)

// A Catalog has all kinds that are served, as of one revision of the store. It is immutable.
type Catalog struct {
	Revision    int64
	Definitions []*crd.CustomResourceDefinition // all stored or fixed definitions, sorted by name

	// These documents are computed when they are first needed. They must not be modified.

	Discovery         func() *protocol.Discovery          // all groups except the core group
	Core              func() protocol.APIResourceList     // the resources of the core group
	OpenAPIV3         func() map[string]*openapi.Document // by key
	OpenAPIV3Index    func() *openapi.Document
	OpenAPIV2         func() (*openapi.Document, error)
	OpenAPIV2Protobuf func() ([]byte, error)

	sorted   []*Kind
	kinds    map[[3]string]*Kind // by group, version and plural name
	byKind   map[[3]string]*Kind // by group, version and kind
	byPlural map[[2]string]*Kind // by group and plural name: any version
}

// Kind returns a version of a resource, or nil if it is not served.
func (c *Catalog) Kind(group, version, plural string) *Kind {
	return c.kinds[[3]string{group, version, plural}]
}

// KindOf returns the version of a resource whose objects have the given kind, or nil.
func (c *Catalog) KindOf(group, version, kind string) *Kind {
	return c.byKind[[3]string{group, version, kind}]
}

// Resource returns any version of a resource, or nil if none is served.
func (c *Catalog) Resource(group, plural string) *Kind { return c.byPlural[[2]string{group, plural}] }

// Kinds returns all kinds, sorted by group, then resource, then version. The result must not be modified.
func (c *Catalog) Kinds() []*Kind { return c.sorted }

// customOnly reports whether definitions and namespaces are the only built-in kinds.
func (c *Catalog) customOnly() bool { return c.Kind("", "v1", Pods) == nil }

// HasBuiltIn reports whether a group has built-in kinds, besides namespaces.
func (c *Catalog) HasBuiltIn(group string) bool {
	if group == AuthenticationGroup || group == AuthorizationGroup {
		group = "" // with the kinds of this group, there are reviews
	}
	return slices.ContainsFunc(c.Kinds(), func(k *Kind) bool { return k.BuiltIn && k.Group == group && k.Type != NamespaceType })
}

// Definition returns the stored definition with a name, or nil.
func (c *Catalog) Definition(name string) *crd.CustomResourceDefinition {
	i, found := slices.BinarySearchFunc(c.Definitions, name, func(d *crd.CustomResourceDefinition, name string) int {
		return cmp.Compare(d.Name(), name)
	})
	if !found {
		return nil
	}
	return c.Definitions[i]
}

// Published returns the definitions in the OpenAPI documents, apart from the built-in kinds that are only in those of
// version 3: the server's own, and those that are established (PV3-004).
func (c *Catalog) Published() []*crd.CustomResourceDefinition {
	var out []*crd.CustomResourceDefinition
	for _, k := range c.Kinds() {
		established := k.BuiltIn && k.Described() || k.Definition.HasCondition(crd.Established)
		// The kinds of one definition are adjacent.
		if established && (len(out) == 0 || out[len(out)-1] != k.Definition) {
			out = append(out, k.Definition)
		}
	}
	return out
}

// newCatalog returns a catalog of these kinds.
func newCatalog(revision int64, definitions []*crd.CustomResourceDefinition, kinds []*Kind) *Catalog {
	c := &Catalog{
		Revision: revision, Definitions: definitions,
		kinds: make(map[[3]string]*Kind, len(kinds)), byKind: make(map[[3]string]*Kind, len(kinds)), byPlural: map[[2]string]*Kind{},
	}
	for _, k := range kinds {
		setKind(c.kinds, [3]string{k.Group, k.VersionName, k.Names.Plural}, k)
	}
	c.sorted = slices.SortedFunc(maps.Values(c.kinds), func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Names.Plural, b.Names.Plural), cmp.Compare(a.VersionName, b.VersionName))
	})
	for _, k := range c.sorted {
		setKind(c.byKind, [3]string{k.Group, k.VersionName, k.Names.Kind}, k)
		setKind(c.byPlural, [2]string{k.Group, k.Names.Plural}, k)
	}
	c.Core = sync.OnceValue(func() protocol.APIResourceList { return c.builtInResources("") })
	c.Discovery = sync.OnceValue(c.discover)
	c.OpenAPIV3 = sync.OnceValue(func() map[string]*openapi.Document {
		docs, _ := openapi.V3All(c.Published()...) // without the versions that conflict with those before them
		if !c.customOnly() {
			for key, d := range kubernetesDocuments() {
				if custom := docs[key]; custom != nil && key != coreDocument {
					if both, err := openapi.MergeV3(d, custom); err == nil {
						d = both
					}
				}
				docs[key] = d
			}
		}
		return docs
	})
	c.OpenAPIV3Index = sync.OnceValue(func() *openapi.Document { return openapi.Index(c.OpenAPIV3()) })
	c.OpenAPIV2 = sync.OnceValues(func() (*openapi.Document, error) { return openapi.V2(c.Published()...) })
	c.OpenAPIV2Protobuf = sync.OnceValues(func() ([]byte, error) {
		d, err := c.OpenAPIV2()
		if err != nil {
			return nil, err
		}
		return d.AppendProtobuf(nil)
	})
	return c
}

// discover returns the discovery documents of all groups except the core group.
func (c *Catalog) discover() *protocol.Discovery {
	custom := slices.DeleteFunc(c.Published(), func(d *crd.CustomResourceDefinition) bool { return c.Definition(d.Name()) == nil })
	var groups []protocol.APIResourceList
	if c.Kind(crd.Group, "v1", Definitions) != nil {
		groups = append(groups, c.builtInResources(crd.Group))
	}
	for _, k := range c.Kinds() {
		known := slices.ContainsFunc(groups, func(l protocol.APIResourceList) bool { return l.GroupVersion == k.APIVersion() })
		if k.BuiltIn && k.Group != "" && !known {
			groups = append(groups, c.builtInResources(k.Group))
		}
	}
	if !c.customOnly() {
		groups = append(groups, reviewLists()...)
	}
	return protocol.Discover(custom, groups...)
}

// setKind sets a kind in a map. A built-in kind stays: a definition does not replace it.
func setKind[K comparable](in map[K]*Kind, at K, k *Kind) {
	if old := in[at]; old == nil || !old.BuiltIn || k.BuiltIn {
		in[at] = k
	}
}

// builtInResources returns the built-in resources of a group.
func (c *Catalog) builtInResources(group string) protocol.APIResourceList {
	list := protocol.APIResourceList{Kind: "APIResourceList", APIVersion: "v1"}
	if group == "" && !c.customOnly() {
		list.Resources = append(list.Resources, bindings)
	}
	for _, k := range c.Kinds() {
		if k.BuiltIn && k.Group == group {
			list.GroupVersion = k.APIVersion()
			list.Resources = append(list.Resources, protocol.APIResources(k.Definition, k.VersionName)...)
			list.Resources = append(list.Resources, subresources[k.Type]...)
		}
	}
	return list
}

// serverKinds returns the kinds that every server has: definitions and namespaces.
var serverKinds = sync.OnceValues(func() (kinds []*Kind, err error) {
	definitions, err := crd.ParseAll(serverKindsYAML)
	if err != nil {
		return nil, err
	}
	for _, d := range definitions {
		compiled := sync.OnceValue(func() *Compiled {
			if d.Spec.Group == crd.Group {
				return mustCompile(d, nil, definitionStruct(BuiltInTypes()))
			}
			of := &plan.BuiltIn{
				Fields: selectableFields[NamespaceType],
				Complete: func(obj map[string]any, values int) (map[string]any, bool) {
					return defaultBuiltIn(NamespaceType, obj, values)
				},
				DecodeError: func(text []byte) error { return BuiltInTypes().DecodeError(NamespaceType, text) },
			}
			return mustCompile(d, of, BuiltInTypes().structOf(NamespaceType))
		})
		for _, k := range kindsOf(d, compiled, true) {
			k.Generation = k.Names.Plural == Definitions
			k.Unconditional = !k.Generation
			k.Type = NamespaceType
			if k.Names.Plural == Definitions {
				k.Type = DefinitionType
			}
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
})

// mustCompile compiles a built-in definition. of is nil for definitions. A test compiles all of them.
func mustCompile(d *crd.CustomResourceDefinition, of *plan.BuiltIn, typ *plan.GoType) *Compiled {
	r, err := resource.Compile(d)
	if err != nil {
		panic(err)
	}
	plan.SetBuiltIn(r, of, typ)
	tracked, err := apply.Compile(r)
	if err != nil {
		panic(err)
	}
	return &Compiled{Resource: r, Tracked: tracked}
}
