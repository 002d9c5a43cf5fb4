package protocol_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server/protocol"
)

const kubectlGet = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"

// TAB-032: the form of a response, by the Accept header.
func TestNegotiateObject(t *testing.T) {
	table := protocol.Form{MediaType: jsonType, As: protocol.AsTable, APIVersion: protocol.MetaV1}
	plain := protocol.Form{MediaType: jsonType}
	for _, row := range []struct {
		name, accept string
		want         protocol.Form // the zero value: refused
	}{
		{"no header", "", plain},
		{"anything", "*/*", plain},
		{"anything, in one character", "*", plain},
		{"any application", "application/*", plain},
		{"YAML", "application/yaml", protocol.Form{MediaType: yamlType}},
		{"kubectl get", kubectlGet, table},
		{"an old table", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", protocol.Form{MediaType: jsonType, As: protocol.AsTable, APIVersion: protocol.MetaV1beta1}},
		{"a table in YAML", "application/yaml;as=Table;v=v1;g=meta.k8s.io", protocol.Form{MediaType: yamlType, As: protocol.AsTable, APIVersion: protocol.MetaV1}},
		{"blanks", " application/json ; as=Table ; v=v1 ; g=meta.k8s.io ", table},
		{"metadata", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", protocol.Form{MediaType: jsonType, As: protocol.AsPartialObjectMetadataList, APIVersion: protocol.MetaV1}},
		{"a wish that cannot be fulfilled is passed over", "application/json;as=Pie;v=v1;g=meta.k8s.io,application/json", plain},
		{"an unknown version is, too", "application/json;as=Table;v=v9;g=meta.k8s.io,application/json", plain},
		{"and another group", "application/json;as=Table;v=v1;g=x,application/yaml", protocol.Form{MediaType: yamlType}},
		{"and another format", "application/vnd.kubernetes.protobuf,application/json", plain},
		{"weights", "application/yaml;q=0.5,application/json;q=0.9", plain},
		{"an invalid weight is 0", "application/json;q=x,application/yaml", protocol.Form{MediaType: yamlType}},
		{"the more special goes first", "*/*,application/yaml", protocol.Form{MediaType: yamlType}},
		{"events in JSON", "application/json;stream=watch", plain},
		{"not in YAML", "application/yaml;stream=watch", protocol.Form{}},
		{"no other stream", "application/json;stream=x", protocol.Form{}},
		{"server version", "application/json;sv=v1", plain},
		{"no other", "application/json;sv=v2", protocol.Form{}},
		{"unknown parameters", "application/json;pretty=1;charset=utf-8;x;y=;z=1=2", plain},
		{"only a form that there is not", "application/json;as=Pie;v=v1;g=meta.k8s.io", protocol.Form{}},
		{"a version of nothing", "application/json;v=v1;g=meta.k8s.io", protocol.Form{}},
		{"protobuf alone", "application/vnd.kubernetes.protobuf", protocol.Form{}},
		{"no media type", "json", protocol.Form{}},
		{"too many parts", "application/json/x", protocol.Form{}},
		{"nothing at all", ",", protocol.Form{}},
		{"too many", strings.Repeat("text/html,", 100) + "application/json", protocol.Form{}},
	} {
		got, refused := protocol.NegotiateObject(row.accept)
		require.Equal(t, row.want, got, "TAB-032 %s: %s", row.name, row.accept)
		if row.want.MediaType != "" {
			require.NoError(t, refused, row.name)
			continue
		}
		require.Equal(t, "406 NotAcceptable: only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
			encodeStatus(refused), row.name)
	}
	metadata := protocol.Form{MediaType: jsonType, As: protocol.AsPartialObjectMetadata}
	list := protocol.Form{MediaType: jsonType, As: protocol.AsPartialObjectMetadataList}
	require.NoError(t, metadata.Fits(false))
	require.NoError(t, list.Fits(true))
	require.NoError(t, table.Fits(true))
	require.NoError(t, table.Fits(false))
	require.Equal(t, "406 NotAcceptable: you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)", encodeStatus(metadata.Fits(true)), "TAB-032")
	require.Equal(t, "500 : content is not a list", encodeStatus(list.Fits(false)))
	require.Equal(t, "406 NotAcceptable: you requested PartialObjectMetadata, but the requested object is a list (*core.PodList)", encodeStatus(metadata.FitsType("*core.Pod", true)), "TAB-032")
	require.Equal(t, "406 NotAcceptable: you requested PartialObjectMetadataList, but the requested object is not a list (*core.Pod)", encodeStatus(list.FitsType("*core.Pod", false)), "TAB-032")
	require.NoError(t, metadata.FitsType("*core.Pod", false))
	for _, c := range []struct {
		object string
		list   bool
	}{{"{items: []}", true}, {"{items: [1]}", true}, {"{items: {}}", false}, {"{items: null}", false}, {"{spec: {items: []}}", false}} {
		obj := given.Object(t, c.object)
		require.NoError(t, table.FitsObject(obj))
		require.EqualError(t, list.FitsObject(obj), list.Fits(false).Error())
		if c.list {
			require.EqualError(t, metadata.FitsObject(obj), "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.Unstructured)", c.object)
		} else {
			require.NoError(t, metadata.FitsObject(obj), c.object)
		}
	}
}

// DSC-005: the form of a discovery response.
func TestNegotiateDiscovery(t *testing.T) {
	const (
		v2   = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
		beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
	)
	aggregated := func(version string) protocol.Form {
		return protocol.Form{MediaType: jsonType, As: protocol.AsAPIGroupDiscoveryList, APIVersion: version}
	}
	plain := protocol.Form{MediaType: jsonType}
	for _, row := range []struct {
		name, accept string
		has          []string
		want         protocol.Form // the zero value: refused
	}{
		{"kubectl", v2 + "," + beta + ",application/json", []string{protocol.DiscoveryV2}, aggregated(protocol.DiscoveryV2)},
		{"after another clause", "application/json," + v2, []string{protocol.DiscoveryV2}, aggregated(protocol.DiscoveryV2)},
		{"old kubectl", beta + ",application/json", []string{protocol.DiscoveryV2}, plain},
		{"only the old form", beta, []string{protocol.DiscoveryV2}, protocol.Form{}},
		{"a server that has it", beta, []string{protocol.DiscoveryV2, "apidiscovery.k8s.io/v2beta1"}, aggregated("apidiscovery.k8s.io/v2beta1")},
		{"no header", "", []string{protocol.DiscoveryV2}, plain},
		{"below a group, where it does not exist", v2, nil, protocol.Form{}},
		{"below a group", v2 + ",application/json", nil, plain},
		{"no table", "application/json;as=Table;v=v1;g=meta.k8s.io", []string{protocol.DiscoveryV2}, protocol.Form{}},
	} {
		got, refused := protocol.NegotiateDiscovery(row.accept, row.has...)
		require.Equal(t, row.want, got, "DSC-005 %s", row.name)
		require.Equal(t, row.want.MediaType == "", refused != nil, row.name)
	}
}

func FuzzNegotiate(f *testing.F) {
	f.Add(kubectlGet)
	f.Add("*/*;q=0.1, application/yaml ;as=Table;;=;v,")
	f.Fuzz(func(t *testing.T, accept string) {
		a, refused := protocol.NegotiateObject(accept)
		require.Equal(t, refused != nil, a == protocol.Form{})
		if refused == nil {
			require.Contains(t, []string{jsonType, yamlType}, a.MediaType)
			require.Equal(t, a.As == "", a.APIVersion == "")
		}
	})
}

// PV2-015: the form of a document.
func TestNegotiateDocument(t *testing.T) {
	const older, newer = "application/older+protobuf", "application/newer+protobuf"
	for _, row := range []struct{ name, accept, want string }{
		{"no header", "", jsonType},
		{"anything", "*/*", jsonType},
		{"any application", "application/*", jsonType},
		{"any JSON", "*/json", jsonType},
		{"protobuf", newer, newer},
		{"an older name", older, older},
		{"in the client's order", older + "," + newer, older},
		{"the other order", newer + "," + older + ",application/json", newer},
		{"weights", newer + ";q=0.5,application/json;q=0.9", jsonType},
		{"parameters do not count", "application/json;as=Table;v=v1;g=meta.k8s.io;stream=x", jsonType},
		{"unsupported media types are skipped", "application/yaml,text/plain," + newer, newer},
		{"nothing else", "application/yaml", ""},
		{"another kind of the same name", "text/json", ""},
	} {
		require.Equal(t, row.want, protocol.NegotiateDocument(row.accept, jsonType, older, newer), "PV2-015 %s", row.name)
	}
}
