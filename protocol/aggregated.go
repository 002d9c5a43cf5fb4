package protocol

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The apiVersions of an [APIGroupDiscoveryList]. A 1.37 server has only the first one; clients before 1.30 know only
// the second one.
const (
	DiscoveryV2      = "apidiscovery.k8s.io/v2"
	DiscoveryV2beta1 = "apidiscovery.k8s.io/v2beta1"
)

// An APIGroupDiscoveryList has all groups and their contents: the answer to GET /apis for clients that ask for it.
type APIGroupDiscoveryList struct {
	Kind       string              `json:"kind,omitempty"`
	APIVersion string              `json:"apiVersion,omitempty"` // [DiscoveryV2], or DiscoveryV2beta1, which has the same form
	Metadata   struct{}            `json:"metadata"`
	Items      []APIGroupDiscovery `json:"items"`
}

// An APIGroupDiscovery is a group in an [APIGroupDiscoveryList].
type APIGroupDiscovery struct {
	Metadata DiscoveryMeta         `json:"metadata"`
	Versions []APIVersionDiscovery `json:"versions"`
}

// A DiscoveryMeta has the name of a group.
type DiscoveryMeta struct {
	Name string `json:"name,omitempty"` // empty for the core group
}

// An APIVersionDiscovery is a version of an [APIGroupDiscovery].
type APIVersionDiscovery struct {
	Version   string                 `json:"version"`
	Resources []APIResourceDiscovery `json:"resources,omitempty"`
	Freshness string                 `json:"freshness"` // Current: the data is the server's own
}

// An APIResourceDiscovery is a resource of an [APIVersionDiscovery].
type APIResourceDiscovery struct {
	Resource         string                    `json:"resource"`
	ResponseKind     GroupVersionKind          `json:"responseKind"`
	Scope            string                    `json:"scope"` // Namespaced or Cluster
	SingularResource string                    `json:"singularResource"`
	Verbs            []string                  `json:"verbs"`
	ShortNames       []string                  `json:"shortNames,omitempty"`
	Categories       []string                  `json:"categories,omitempty"`
	Subresources     []APISubresourceDiscovery `json:"subresources,omitempty"`
}

// An APISubresourceDiscovery is a subresource of an [APIResourceDiscovery].
type APISubresourceDiscovery struct {
	Subresource  string           `json:"subresource"`
	ResponseKind GroupVersionKind `json:"responseKind"`
	Verbs        []string         `json:"verbs"`
}

// A GroupVersionKind names what the objects of a resource are.
type GroupVersionKind struct {
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
	out := APIGroupDiscoveryList{Kind: AsAPIGroupDiscoveryList, APIVersion: DiscoveryV2, Items: make([]APIGroupDiscovery, len(groups))}
	for i, g := range groups {
		item := &out.Items[i]
		item.Metadata.Name = g.name
		item.Versions = make([]APIVersionDiscovery, len(g.versions))
		for j, v := range g.versions {
			item.Versions[j] = APIVersionDiscovery{Version: v.name, Resources: v.aggregated(g.name), Freshness: "Current"}
		}
	}
	return out
}

// aggregated returns the resources of a version, each with its subresources, sorted by name.
func (v *discoveredVersion) aggregated(group string) []APIResourceDiscovery {
	out := make([]APIResourceDiscovery, 0, len(v.resources))
	index := make(map[string]int, len(v.resources))
	for _, r := range v.resources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		index[r.Name] = len(out)
		out = append(out, APIResourceDiscovery{
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
			out = append(out, APIResourceDiscovery{Resource: parent, Scope: scope(r), Verbs: []string{}})
		}
		out[at].Subresources = append(out[at].Subresources, APISubresourceDiscovery{name, r.responseKind(group, v.name), r.Verbs})
	}
	slices.SortStableFunc(out, func(x, y APIResourceDiscovery) int { return strings.Compare(x.Resource, y.Resource) })
	return out
}

func (r APIResource) responseKind(group, version string) GroupVersionKind {
	if r.Group != "" || r.Version != "" {
		group, version = r.Group, r.Version
	}
	return GroupVersionKind{group, version, r.Kind}
}

func scope(r APIResource) string {
	if r.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// ContentType returns the Content-Type of l. Without it, clients mistake l for another kind of list. A server also
// sends the headers Vary: Accept and Cache-Control: public.
func (l APIGroupDiscoveryList) ContentType() string {
	_, version, _ := strings.Cut(l.APIVersion, "/")
	return "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList"
}

// ETag returns the ETag header of l, with its quotes. A server answers 304 to a request with the same value in
// If-None-Match.
func (l APIGroupDiscoveryList) ETag() string {
	l.Kind, l.APIVersion = "", "" // as in a server: the same for all apiVersions
	text, err := json.Marshal(l)
	if err != nil {
		return "" // cannot happen: strings and lists of strings always marshal
	}
	return fmt.Sprintf(`"%X"`, sha512.Sum512(text))
}
