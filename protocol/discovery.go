package protocol

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	priority "github.com/crdkit/crdkit/version"
)

// An APIResource says how a resource or a subresource is called, and what can be done with it. It is an entry of an APIResourceList of
// version v1, and marshals as one.
type APIResource struct {
	Name         string `json:"name"`         // the plural, and the subresource behind a slash
	SingularName string `json:"singularName"` // empty for a subresource
	Namespaced   bool   `json:"namespaced"`
	// Group and Version are those of Kind, where they are not those of the list: for the scale subresource.
	Group      string   `json:"group,omitempty"`
	Version    string   `json:"version,omitempty"`
	Kind       string   `json:"kind"`
	Verbs      []string `json:"verbs"`
	ShortNames []string `json:"shortNames,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// StorageVersionHash changes with the version that objects are stored in. It is empty if that is not served.
	StorageVersionHash string `json:"storageVersionHash,omitempty"`
}

// An APIResourceList says what a version of a group has: what GET /apis/GROUP/VERSION answers with.
type APIResourceList struct {
	Kind         string        `json:"kind"`
	APIVersion   string        `json:"apiVersion"`
	GroupVersion string        `json:"groupVersion"`
	Resources    []APIResource `json:"resources"`
}

// An APIGroup says which versions a group has: what GET /apis/GROUP answers with.
type APIGroup struct {
	Kind             string            `json:"kind,omitempty"` // Kind and APIVersion are empty in a list of groups
	APIVersion       string            `json:"apiVersion,omitempty"`
	Name             string            `json:"name"`
	Versions         []APIGroupVersion `json:"versions"` // by falling priority
	PreferredVersion APIGroupVersion   `json:"preferredVersion"`
}

// An APIGroupVersion is a version in an [APIGroup].
type APIGroupVersion struct {
	GroupVersion string `json:"groupVersion"`
	Version      string `json:"version"`
}

// An APIGroupList has all groups: what GET /apis answers with to a client that does not ask for [Discovery.Aggregated].
type APIGroupList struct {
	Kind       string     `json:"kind"`
	APIVersion string     `json:"apiVersion"`
	Groups     []APIGroup `json:"groups"`
}

// APIResources returns the entries that a version of d has in the APIResourceList of its group and version: the resource itself, and the
// subresources status and scale where there are such. They are called by the names that the definition's status has accepted, or, where
// there is no status, by those of its spec. It returns nil for a version that is not served, or does not exist.
func APIResources(d *crd.CustomResourceDefinition, version string) []APIResource {
	if served := d.Version(version); served == nil || !served.Served {
		return nil
	}
	return apiResources(d, d.Lookup(), version)
}

// apiResources returns the entries of a version that is served.
func apiResources(d *crd.CustomResourceDefinition, of *crd.Lookup, name string) []APIResource {
	names := d.AcceptedNames()
	main := APIResource{
		Name:               names.Plural,
		SingularName:       names.Singular,
		Namespaced:         d.Spec.Scope == crd.NamespaceScoped,
		Kind:               names.Kind,
		Verbs:              []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"},
		ShortNames:         slices.Clone(names.ShortNames),
		Categories:         slices.Clone(names.Categories),
		StorageVersionHash: storageVersionHash(d),
	}
	if d.HasCondition(crd.Terminating, crd.ConditionTrue) {
		main.Verbs = []string{"delete", "deletecollection", "get", "list", "watch"}
	}
	out := []APIResource{main}
	sub, err := of.Subresources(name)
	if err != nil || sub == nil {
		return out
	}
	part := APIResource{Namespaced: main.Namespaced}
	if sub.Status != nil {
		part.Name, part.Kind = names.Plural+"/status", names.Kind
		part.Verbs = []string{"get", "patch", "update"}
		out = append(out, part)
	}
	if sub.Scale != nil {
		part.Name, part.Kind, part.Group, part.Version = names.Plural+"/scale", "Scale", "autoscaling", "v1"
		part.Verbs = []string{"get", "patch", "update"}
		out = append(out, part)
	}
	return out
}

// storageVersionHash names the storage version without telling it. The kind is that of the spec, accepted or not.
func storageVersionHash(d *crd.CustomResourceDefinition) string {
	storage, err := d.StorageVersion()
	if err != nil || !d.Version(storage).Served {
		return ""
	}
	sum := sha256.Sum256([]byte(d.Spec.Group + "/" + storage + "/" + d.Spec.Names.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// A Discovery answers the requests by which clients find out what a server has. It is immutable and safe for concurrent use; what its
// methods return shares lists with it, and must not be modified.
type Discovery struct {
	groups []discoveredGroup
}

type discoveredGroup struct {
	name     string
	versions []discoveredVersion // by falling priority
}

type discoveredVersion struct {
	name      string
	resources []APIResource
}

// Discover returns the discovery of a server that serves those definitions, and others: lists that the caller makes for resources
// that are not custom, such as the definitions themselves. Only GroupVersion and Resources of others count, and a list without
// a group, which stands in no list of groups, is not looked at.
//
// A server passes the definitions that are established (see [crd.Established]), and asks anew whenever one of them or its status
// changes. Nil definitions and versions that are not served are left out. Groups of others come first, in order, then those of
// definitions by name; versions by priority; and definitions by their plural.
//
// It takes time and memory linear in what it returns. The definitions are not modified, and nothing is shared with them.
func Discover(definitions []*crd.CustomResourceDefinition, others ...APIResourceList) *Discovery {
	b := discovering{groups: map[string]map[string][]APIResource{}}
	for _, list := range others {
		if group, name, ok := strings.Cut(list.GroupVersion, "/"); ok {
			b.add(group, name, slices.Clone(list.Resources))
		}
	}
	b.sortFrom = len(b.order)
	sorted := slices.DeleteFunc(slices.Clone(definitions), func(d *crd.CustomResourceDefinition) bool { return d == nil })
	slices.SortStableFunc(sorted, func(x, y *crd.CustomResourceDefinition) int {
		return strings.Compare(x.AcceptedNames().Plural, y.AcceptedNames().Plural)
	})
	for _, d := range sorted {
		of := d.Lookup()
		for i := range d.Spec.Versions {
			if v := &d.Spec.Versions[i]; v.Served && d.Version(v.Name) == v {
				b.add(d.Spec.Group, v.Name, apiResources(d, of, v.Name))
			}
		}
	}
	return b.discovery()
}

// discovering collects resources by group and version.
type discovering struct {
	groups   map[string]map[string][]APIResource
	order    []string // of the groups
	sortFrom int      // where in order the names are to be sorted
}

func (b *discovering) add(group, name string, resources []APIResource) {
	versions, ok := b.groups[group]
	if !ok {
		versions = map[string][]APIResource{}
		b.groups[group] = versions
		b.order = append(b.order, group)
	}
	versions[name] = append(versions[name], resources...)
}

func (b *discovering) discovery() *Discovery {
	slices.Sort(b.order[b.sortFrom:])
	out := &Discovery{groups: make([]discoveredGroup, 0, len(b.order))}
	for _, group := range b.order {
		versions := b.groups[group]
		names := make([]string, 0, len(versions))
		for name := range versions {
			names = append(names, name)
		}
		slices.Sort(names) // so that names of equal priority have an order
		priority.Sort(names)
		g := discoveredGroup{name: group}
		for _, name := range names {
			g.versions = append(g.versions, discoveredVersion{name, versions[name]})
		}
		out.groups = append(out.groups, g)
	}
	return out
}

// group returns the group of that name, or nil.
func (d *Discovery) group(name string) *discoveredGroup {
	for i := range d.groups {
		if d.groups[i].name == name {
			return &d.groups[i]
		}
	}
	return nil
}

func (g *discoveredGroup) apiGroup() APIGroup {
	out := APIGroup{Name: g.name, Versions: make([]APIGroupVersion, len(g.versions))}
	for i, v := range g.versions {
		out.Versions[i] = APIGroupVersion{g.name + "/" + v.name, v.name}
	}
	out.PreferredVersion = out.Versions[0]
	return out
}

// Groups returns all groups, for GET /apis.
func (d *Discovery) Groups() APIGroupList {
	out := APIGroupList{Kind: "APIGroupList", APIVersion: "v1", Groups: make([]APIGroup, len(d.groups))}
	for i := range d.groups {
		out.Groups[i] = d.groups[i].apiGroup()
	}
	return out
}

// Group returns the group of that name, for GET /apis/GROUP, or nil: there is no such path then (404).
func (d *Discovery) Group(name string) *APIGroup {
	g := d.group(name)
	if g == nil {
		return nil
	}
	out := g.apiGroup()
	out.Kind, out.APIVersion = "APIGroup", "v1"
	return &out
}

// Resources returns the resources of a version of a group, for GET /apis/GROUP/VERSION, or nil: there is no such path then (404).
func (d *Discovery) Resources(group, version string) *APIResourceList {
	g := d.group(group)
	if g == nil {
		return nil
	}
	for _, v := range g.versions {
		if v.name == version {
			return &APIResourceList{
				Kind: "APIResourceList", APIVersion: "v1", GroupVersion: group + "/" + version, Resources: v.resources,
			}
		}
	}
	return nil
}
