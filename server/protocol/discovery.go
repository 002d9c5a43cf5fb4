package protocol

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	priority "github.com/crdkit/crdkit/version"
)

// An APIResource describes a resource or a subresource: its names and verbs. It is an entry of an APIResourceList of
// version v1, and marshals as one.
type APIResource struct {
	Name         string `json:"name"`         // the plural, followed by a slash and the subresource, if any
	SingularName string `json:"singularName"` // empty for a subresource
	Namespaced   bool   `json:"namespaced"`
	// Group and Version are those of Kind, if they differ from those of the list: for the scale subresource.
	Group      string   `json:"group,omitempty"`
	Version    string   `json:"version,omitempty"`
	Kind       string   `json:"kind"`
	Verbs      []string `json:"verbs"`
	ShortNames []string `json:"shortNames,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// StorageVersionHash changes with the storage version. It is empty if that version is not served.
	StorageVersionHash string `json:"storageVersionHash,omitempty"`
}

// An APIResourceList lists the resources of a version of a group: the answer to GET /apis/GROUP/VERSION.
type APIResourceList struct {
	Kind         string        `json:"kind"`
	APIVersion   string        `json:"apiVersion"`
	GroupVersion string        `json:"groupVersion"`
	Resources    []APIResource `json:"resources"`
}

// An APIGroup lists the versions of a group: the answer to GET /apis/GROUP.
type APIGroup struct {
	Kind             string            `json:"kind,omitempty"` // Kind and APIVersion are empty in a list of groups
	APIVersion       string            `json:"apiVersion,omitempty"`
	Name             string            `json:"name"`
	Versions         []APIGroupVersion `json:"versions"` // by decreasing priority
	PreferredVersion APIGroupVersion   `json:"preferredVersion"`
}

// An APIGroupVersion is a version in an [APIGroup].
type APIGroupVersion struct {
	GroupVersion string `json:"groupVersion"`
	Version      string `json:"version"`
}

// An APIGroupList lists all groups: the answer to GET /apis for clients that do not ask for [Discovery.Aggregated].
type APIGroupList struct {
	Kind       string     `json:"kind"`
	APIVersion string     `json:"apiVersion"`
	Groups     []APIGroup `json:"groups"`
}

// APIResources returns the entries of a version of d in the APIResourceList of its group and version: the resource
// itself, and the subresources status and scale if it has them. Names are those that the definition's status has
// accepted, or those of the spec if there is no status. It returns nil for a version that is not served or does not
// exist.
func APIResources(d *crd.CustomResourceDefinition, version string) []APIResource {
	if served := d.Version(version); served == nil || !served.Served {
		return nil
	}
	return apiResources(d, d.Lookup(), version)
}

// apiResources returns the entries of a served version.
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
	if d.HasCondition(crd.Terminating) {
		main.Verbs = []string{"delete", "deletecollection", "get", "list", "watch"}
	}
	out := []APIResource{main}
	sub, err := of.Subresources(name)
	if err != nil || sub == nil {
		return out
	}
	part := func(name string) APIResource {
		return APIResource{Name: names.Plural + name, Namespaced: main.Namespaced, Kind: names.Kind, Verbs: []string{"get", "patch", "update"}}
	}
	if sub.Status != nil {
		out = append(out, part("/status"))
	}
	if sub.Scale != nil {
		scale := part("/scale")
		scale.Group, scale.Version, scale.Kind = "autoscaling", "v1", "Scale"
		out = append(out, scale)
	}
	return out
}

// storageVersionHash returns a hash of the storage version. The kind is that of the spec, even if it is not accepted.
func storageVersionHash(d *crd.CustomResourceDefinition) string {
	storage, err := d.StorageVersion()
	if err != nil || !d.Version(storage).Served {
		return ""
	}
	sum := sha256.Sum256([]byte(d.Spec.Group + "/" + storage + "/" + d.Spec.Names.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// A Discovery has the responses to discovery requests. It is immutable and safe for concurrent use. The results of its
// methods share lists with it, and must not be modified.
type Discovery struct {
	groups []discoveredGroup
}

type discoveredGroup struct {
	name     string
	versions []discoveredVersion // by decreasing priority
}

type discoveredVersion struct {
	name      string
	resources []APIResource
}

// Discover returns the discovery of a server that serves those definitions, and others: lists that the caller makes for
// resources that are not custom, such as the definitions themselves. Only GroupVersion and Resources of others are
// used. A list without a group is ignored, because no list of groups has it.
//
// A server passes the definitions that are established (see [crd.Established]), and calls Discover again whenever one
// of them or its status changes. Nil definitions and versions that are not served are skipped. Groups of others come
// first, in order, then those of definitions by name; versions are ordered by priority, and definitions by their
// plural.
//
// Discover takes time and memory linear in its result. The definitions are not modified, and the result shares nothing
// with them.
func Discover(definitions []*crd.CustomResourceDefinition, others ...APIResourceList) *Discovery {
	groups := map[string]map[string][]APIResource{} // by group and version
	var order []string                              // of the groups
	add := func(group, name string, resources []APIResource) {
		if groups[group] == nil {
			groups[group] = map[string][]APIResource{}
			order = append(order, group)
		}
		groups[group][name] = append(groups[group][name], resources...)
	}
	for _, list := range others {
		if group, name, ok := strings.Cut(list.GroupVersion, "/"); ok {
			add(group, name, list.Resources)
		}
	}
	first := len(order)
	sorted := slices.DeleteFunc(slices.Clone(definitions), func(d *crd.CustomResourceDefinition) bool { return d == nil })
	slices.SortStableFunc(sorted, func(x, y *crd.CustomResourceDefinition) int {
		return strings.Compare(x.AcceptedNames().Plural, y.AcceptedNames().Plural)
	})
	for _, d := range sorted {
		of := d.Lookup()
		for i := range d.Spec.Versions {
			if v := &d.Spec.Versions[i]; v.Served && d.Version(v.Name) == v {
				add(d.Spec.Group, v.Name, apiResources(d, of, v.Name))
			}
		}
	}
	slices.Sort(order[first:])
	out := &Discovery{groups: make([]discoveredGroup, 0, len(order))}
	for _, group := range order {
		names := slices.Sorted(maps.Keys(groups[group])) // so that the order of names with equal priority is defined
		priority.Sort(names)
		g := discoveredGroup{name: group}
		for _, name := range names {
			g.versions = append(g.versions, discoveredVersion{name, groups[group][name]})
		}
		out.groups = append(out.groups, g)
	}
	return out
}

// group returns the group of that name, or nil.
func (d *Discovery) group(name string) *discoveredGroup {
	i := slices.IndexFunc(d.groups, func(g discoveredGroup) bool { return g.name == name })
	if i < 0 {
		return nil
	}
	return &d.groups[i]
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

// Group returns the group with that name, for GET /apis/GROUP. It returns nil if there is none: the path does not exist
// then (404).
func (d *Discovery) Group(name string) *APIGroup {
	g := d.group(name)
	if g == nil {
		return nil
	}
	out := g.apiGroup()
	out.Kind, out.APIVersion = "APIGroup", "v1"
	return &out
}

// Resources returns the resources of a version of a group, for GET /apis/GROUP/VERSION. It returns nil if there is no
// such version: the path does not exist then (404).
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
