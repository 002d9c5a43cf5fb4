package protocol_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server/protocol"
)

// scalers and zones are established definitions. scalers has everything that discovery shows. zones has names that were
// not all accepted, and a storage version that is not served.
const (
	scalers = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: scalers.auto.example.com}, spec: {
		group: auto.example.com, scope: Namespaced,
		names: {plural: scalers, singular: scaler, kind: Scaler, listKind: ScalerList, shortNames: [sc, scl], categories: [all, autos]},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}},
			subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}}]}}`
	zones = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: zones.infra.example.com}, spec: {
		group: infra.example.com, scope: Cluster, names: {plural: zones, kind: Zone, shortNames: [zn, z]},
		versions: [{name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}, subresources: {status: {}}},
			{name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}},
			{name: v1alpha1, served: false, storage: true, schema: {openAPIV3Schema: {type: object}}}]},
		status: {acceptedNames: {plural: zones, singular: zone, kind: Zone, listKind: ZoneList, shortNames: [zn]}, conditions: [], storedVersions: [v1alpha1]}}`
)

const (
	allVerbs    = `["delete","deletecollection","get","list","patch","create","update","watch"]`
	statusVerbs = `["get","patch","update"]`
)

// DSC-003: the entries of a version in a server's response.
func TestAPIResources(t *testing.T) {
	require.Equal(t, `[{"name":"scalers","singularName":"scaler","namespaced":true,"kind":"Scaler","verbs":`+allVerbs+
		`,"shortNames":["sc","scl"],"categories":["all","autos"],"storageVersionHash":"2TfxUrH66Eo="},`+
		`{"name":"scalers/status","singularName":"","namespaced":true,"kind":"Scaler","verbs":`+statusVerbs+`},`+
		`{"name":"scalers/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":`+statusVerbs+`}]`,
		encode(t, protocol.APIResources(given.Definition(t, scalers), "v1")))

	d := given.Definition(t, zones)
	require.Equal(t, `[{"name":"zones","singularName":"zone","namespaced":false,"kind":"Zone","verbs":`+allVerbs+`,"shortNames":["zn"]}]`,
		encode(t, protocol.APIResources(d, "v1")), "DSC-003: accepted names; no hash, since the storage version is not served")
	require.Len(t, protocol.APIResources(d, "v1beta1"), 2, "DSC-003: the subresources are those of the version")
	require.Nil(t, protocol.APIResources(d, "v1alpha1"), "not served")
	require.Nil(t, protocol.APIResources(d, "v2"), "not there")

	d = given.Definition(t, scalers)
	d.Status.Conditions = []crd.Condition{{Type: crd.Terminating, Status: "True"}}
	entries := protocol.APIResources(d, "v1")
	require.Equal(t, []string{"delete", "deletecollection", "get", "list", "watch"}, entries[0].Verbs, "DSC-003: terminating")
	entries[0].ShortNames[0] = "changed"
	require.Equal(t, "sc", d.Spec.Names.ShortNames[0], "the definition is not shared")
}

func discover(t *testing.T, documents ...string) *protocol.Discovery {
	t.Helper()
	var definitions []*crd.CustomResourceDefinition
	for _, document := range documents {
		definitions = append(definitions, given.Definition(t, document), nil)
	}
	return protocol.Discover(definitions, protocol.APIResourceList{GroupVersion: "v1"}, protocol.APIResourceList{
		GroupVersion: "apiextensions.k8s.io/v1", Resources: []protocol.APIResource{
			{Name: "b/status", Kind: "B", Verbs: []string{"get"}},
			{Name: "customresourcedefinitions", SingularName: "customresourcedefinition", Kind: "CustomResourceDefinition", Verbs: []string{"get", "list"}, ShortNames: []string{"crd"}},
			{Name: "customresourcedefinitions/status", Kind: "CustomResourceDefinition", Verbs: []string{"get"}},
		},
	})
}

func TestGroups(t *testing.T) {
	d := discover(t, zones, scalers)
	const infra = `"name":"infra.example.com","versions":[{"groupVersion":"infra.example.com/v1","version":"v1"},` +
		`{"groupVersion":"infra.example.com/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"infra.example.com/v1","version":"v1"}}`
	require.Equal(t, `{"kind":"APIGroup","apiVersion":"v1",`+infra, encode(t, d.Group("infra.example.com")), "DSC-002")
	one := func(group, version string) string {
		gv := fmt.Sprintf(`{"groupVersion":"%s/%s","version":"%s"}`, group, version, version)
		return fmt.Sprintf(`{"name":%q,"versions":[%s],"preferredVersion":%s}`, group, gv, gv)
	}
	require.Equal(t, `{"kind":"APIGroupList","apiVersion":"v1","groups":[`+one("apiextensions.k8s.io", "v1")+","+one("auto.example.com", "v1")+`,{`+infra+`]}`,
		encode(t, d.Groups()), "DSC-004")
	require.Nil(t, d.Group("other.example.com"), "DSC-002")

	list := d.Resources("infra.example.com", "v1beta1")
	require.Equal(t, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"infra.example.com/v1beta1","resources":[`+
		`{"name":"zones","singularName":"zone","namespaced":false,"kind":"Zone","verbs":`+allVerbs+`,"shortNames":["zn"]},`+
		`{"name":"zones/status","singularName":"","namespaced":false,"kind":"Zone","verbs":`+statusVerbs+`}]}`, encode(t, list), "DSC-003")
	require.Len(t, d.Resources("apiextensions.k8s.io", "v1").Resources, 3)
	for _, gv := range [][2]string{{"infra.example.com", "v1alpha1"}, {"infra.example.com", "v9"}, {"other.example.com", "v1"}, {"", "v1"}} {
		require.Nil(t, d.Resources(gv[0], gv[1]), "DSC-003: %s", gv)
	}
	empty := protocol.Discover(nil)
	require.Equal(t, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`, encode(t, empty.Groups()))
	require.Equal(t, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[]}`, encode(t, empty.Aggregated()))
}

// DSC-001, DSC-002: the order of versions, of several definitions of one group.
func TestGroupVersions(t *testing.T) {
	const document = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: n.example.com, scope: Cluster, names: {plural: %s, kind: Nop}, versions: [%s]}}`
	versions := func(names ...string) (list string) {
		for i, name := range names {
			list += fmt.Sprintf("{name: %s, served: true, storage: %t}, ", name, i == 0)
		}
		return list
	}
	d := discover(t, fmt.Sprintf(document, "nops", versions("foo", "v3alpha1", "v1", "v10")), fmt.Sprintf(document, "maps", versions("v1", "v11beta2", "v2", "v01")))
	var names []string
	for _, v := range d.Group("n.example.com").Versions {
		names = append(names, v.Version)
	}
	require.Equal(t, []string{"v10", "v2", "v01", "v1", "v11beta2", "v3alpha1", "foo"}, names)
	require.Equal(t, "n.example.com/v10", d.Group("n.example.com").PreferredVersion.GroupVersion)
	var plurals []string
	for _, r := range d.Resources("n.example.com", "v1").Resources {
		plurals = append(plurals, r.Name)
	}
	require.Equal(t, []string{"maps", "nops"}, plurals)
}

// DSC-005: all groups in one response.
func TestAggregatedDiscovery(t *testing.T) {
	list := discover(t, zones, scalers).Aggregated()
	kind := func(group, version, kind string) string {
		return fmt.Sprintf(`"responseKind":{"group":%q,"version":%q,"kind":%q}`, group, version, kind)
	}
	zone := func(version, more string) string {
		return `{"version":"` + version + `","resources":[{"resource":"zones",` + kind("infra.example.com", version, "Zone") +
			`,"scope":"Cluster","singularResource":"zone","verbs":` + allVerbs + `,"shortNames":["zn"]` + more + `}],"freshness":"Current"}`
	}
	want := `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[` +
		`{"metadata":{"name":"apiextensions.k8s.io"},"versions":[{"version":"v1","resources":[` +
		`{"resource":"b",` + kind("", "", "") + `,"scope":"Cluster","singularResource":"","verbs":[],"subresources":[{"subresource":"status",` + kind("apiextensions.k8s.io", "v1", "B") + `,"verbs":["get"]}]},` +
		`{"resource":"customresourcedefinitions",` + kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition") +
		`,"scope":"Cluster","singularResource":"customresourcedefinition","verbs":["get","list"],"shortNames":["crd"],"subresources":[{"subresource":"status",` +
		kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition") + `,"verbs":["get"]}]}],"freshness":"Current"}]},` +
		`{"metadata":{"name":"auto.example.com"},"versions":[{"version":"v1","resources":[{"resource":"scalers",` + kind("auto.example.com", "v1", "Scaler") +
		`,"scope":"Namespaced","singularResource":"scaler","verbs":` + allVerbs + `,"shortNames":["sc","scl"],"categories":["all","autos"],"subresources":[` +
		`{"subresource":"status",` + kind("auto.example.com", "v1", "Scaler") + `,"verbs":` + statusVerbs + `},` +
		`{"subresource":"scale",` + kind("autoscaling", "v1", "Scale") + `,"verbs":` + statusVerbs + `}]}],"freshness":"Current"}]},` +
		`{"metadata":{"name":"infra.example.com"},"versions":[` + zone("v1", "") + "," +
		zone("v1beta1", `,"subresources":[{"subresource":"status",`+kind("infra.example.com", "v1beta1", "Zone")+`,"verbs":`+statusVerbs+`}]`) + `]}]}`
	require.Equal(t, want, encode(t, list))
	require.Equal(t, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", list.ContentType())
	tag := list.ETag()
	require.Regexp(t, `^"[0-9A-F]{128}"$`, tag)
	require.NotEqual(t, tag, discover(t, zones).Aggregated().ETag())
	require.Equal(t, tag, discover(t, scalers, zones).Aggregated().ETag(), "the order of definitions does not matter")
}

// DSC-005: the core group has its own response.
func TestAggregatedCore(t *testing.T) {
	list := protocol.APIResourceList{GroupVersion: "v1", Resources: []protocol.APIResource{
		{Name: "namespaces", SingularName: "namespace", Kind: "Namespace", Verbs: []string{"get"}},
		{Name: "events", SingularName: "event", Kind: "Event", Namespaced: true, Verbs: []string{"list"}},
	}}
	require.Equal(t, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[`+
		`{"resource":"events","responseKind":{"group":"","version":"v1","kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":["list"]},`+
		`{"resource":"namespaces","responseKind":{"group":"","version":"v1","kind":"Namespace"},"scope":"Cluster","singularResource":"namespace","verbs":["get"]}],`+
		`"freshness":"Current"}]}]}`, encode(t, list.Aggregated()))
	require.Equal(t, "namespaces", list.Resources[0].Name, "the list is left alone")
}
