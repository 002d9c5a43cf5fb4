package protocol

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// DiscoveryV2 is the apiVersion of an [APIGroupDiscoveryList]. Clients before 1.30 do not know it, and ask for a list
// of groups.
const DiscoveryV2 = "apidiscovery.k8s.io/v2"

// An APIGroupDiscoveryList has all groups and their contents: the answer to GET /apis for clients that ask for it. It
// marshals as one.
type APIGroupDiscoveryList struct {
	document discoveryDocument
}

// A discoveryDocument is the JSON of an [APIGroupDiscoveryList].
type discoveryDocument struct {
	Kind       string         `json:"kind,omitempty"`
	APIVersion string         `json:"apiVersion,omitempty"`
	Metadata   struct{}       `json:"metadata"`
	Items      []groupContent `json:"items"`
}

type groupContent struct {
	Metadata struct {
		Name string `json:"name,omitempty"` // empty for the core group
	} `json:"metadata"`
	Versions []versionContent `json:"versions"`
}

type versionContent struct {
	Version   string            `json:"version"`
	Resources []resourceContent `json:"resources,omitempty"`
	Freshness string            `json:"freshness"` // Current: the data is the server's own
}

type resourceContent struct {
	Resource         string               `json:"resource"`
	ResponseKind     responseKind         `json:"responseKind"`
	Scope            string               `json:"scope"` // Namespaced or Cluster
	SingularResource string               `json:"singularResource"`
	Verbs            []string             `json:"verbs"`
	ShortNames       []string             `json:"shortNames,omitempty"`
	Categories       []string             `json:"categories,omitempty"`
	Subresources     []subresourceContent `json:"subresources,omitempty"`
}

type subresourceContent struct {
	Subresource  string       `json:"subresource"`
	ResponseKind responseKind `json:"responseKind"`
	Verbs        []string     `json:"verbs"`
}

// A responseKind names what the objects of a resource are.
type responseKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// Aggregated returns all groups and their contents, with apiVersion [DiscoveryV2]. If an entry of others has no group
// and version for its kind, it gets those of its list.
func (d *Discovery) Aggregated() APIGroupDiscoveryList {
	return aggregate(d.groups)
}

// Aggregated returns the contents of l alone, in the form of [Discovery.Aggregated]. For the core group, whose
// GroupVersion is v1, it is the answer to GET /api.
func (l APIResourceList) Aggregated() APIGroupDiscoveryList {
	group, name, ok := strings.Cut(l.GroupVersion, "/")
	if !ok {
		group, name = "", l.GroupVersion
	}
	return aggregate([]discoveredGroup{{group, []discoveredVersion{{name, l.Resources}}}})
}

func aggregate(groups []discoveredGroup) APIGroupDiscoveryList {
	out := discoveryDocument{Kind: AsAPIGroupDiscoveryList, APIVersion: DiscoveryV2, Items: make([]groupContent, len(groups))}
	for i, g := range groups {
		item := &out.Items[i]
		item.Metadata.Name = g.name
		item.Versions = make([]versionContent, len(g.versions))
		for j, v := range g.versions {
			item.Versions[j] = versionContent{Version: v.name, Resources: v.aggregated(g.name), Freshness: "Current"}
		}
	}
	return APIGroupDiscoveryList{out}
}

// aggregated returns the resources of a version, each with its subresources, sorted by name.
func (v *discoveredVersion) aggregated(group string) []resourceContent {
	out := make([]resourceContent, 0, len(v.resources))
	index := make(map[string]int, len(v.resources))
	for _, r := range v.resources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		index[r.Name] = len(out)
		out = append(out, resourceContent{
			Resource: r.Name, SingularResource: r.SingularName, Scope: scope(r), ResponseKind: r.responseKind(group, v.name),
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		})
	}
	for _, r := range v.resources {
		parent, name, ok := strings.Cut(r.Name, "/")
		if !ok {
			continue
		}
		at, ok := index[parent]
		if !ok { // a subresource without a resource, among others
			at = len(out)
			index[parent] = at
			out = append(out, resourceContent{Resource: parent, Scope: scope(r), Verbs: []string{}})
		}
		out[at].Subresources = append(out[at].Subresources, subresourceContent{name, r.responseKind(group, v.name), r.Verbs})
	}
	slices.SortStableFunc(out, func(x, y resourceContent) int { return strings.Compare(x.Resource, y.Resource) })
	return out
}

func (r APIResource) responseKind(group, version string) responseKind {
	if r.Group != "" || r.Version != "" {
		group, version = r.Group, r.Version
	}
	return responseKind{group, version, r.Kind}
}

func scope(r APIResource) string {
	if r.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// MarshalJSON returns the list as a server sends it.
func (l APIGroupDiscoveryList) MarshalJSON() ([]byte, error) { return json.Marshal(l.document) }

// ContentType returns the Content-Type of l. Without it, clients mistake l for another kind of list. A server also
// sends the headers Vary: Accept and Cache-Control: public.
func (l APIGroupDiscoveryList) ContentType() string {
	return "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
}

// ETag returns the ETag header of l, with its quotes. A server answers 304 to a request with the same value in
// If-None-Match.
func (l APIGroupDiscoveryList) ETag() string {
	l.document.Kind, l.document.APIVersion = "", "" // as in a server
	text, _ := json.Marshal(l)                      // cannot fail
	return fmt.Sprintf(`"%X"`, sha512.Sum512(text))
}
