package parity

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/server"
)

// PV2-015: a version 2 document in protobuf is the message that gnostic makes of its JSON. The first document has all
// members.
func TestOpenAPIProtobuf(t *testing.T) {
	text := given.File(t, "../openapi/testdata/PV2-015-members.json")
	none, err := openapi.V2()
	require.NoError(t, err)
	members, err := openapi.MergeV2(text, none)
	require.NoError(t, err)
	requireGnostic(t, members)

	var definitions []*crd.CustomResourceDefinition
	for _, file := range given.Files(t, "testdata/*.crd.yaml") {
		definitions = append(definitions, given.Definition(t, given.File(t, file)))
	}
	for _, text := range recordedDefinitions(t) {
		definitions = append(definitions, given.Definition(t, text))
	}
	for _, d := range definitions {
		doc, err := openapi.V2(d)
		require.NoError(t, err)
		requireGnostic(t, doc)
	}
	all, err := openapi.V2(definitions...)
	require.NoError(t, err)
	requireGnostic(t, all)
}

// PV2-015: a server sends its document, with all kinds, to clients that ask for protobuf.
func TestOpenAPIProtobufOfServer(t *testing.T) {
	s, err := server.New(t.Context(), server.Options{})
	require.NoError(t, err)
	defer s.Close()
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: "http://server", Transport: s.RoundTripper()})
	require.NoError(t, err)
	got, err := client.OpenAPISchema()
	require.NoError(t, err)
	answer, err := (&http.Client{Transport: s.RoundTripper()}).Get("http://server/openapi/v2")
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NotEmpty(t, got.Definitions.AdditionalProperties)
	requireSameMessage(t, text, got)
}

// recordedDefinitions returns those whose published documents are recorded in the directory that CRDKIT_CONFORMANCE
// names, if it does.
func recordedDefinitions(t *testing.T) (texts [][]byte) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		return nil
	}
	for _, file := range given.Files(t, filepath.Join(dir, "published", "*.json")) {
		text := given.File(t, file)
		var recorded struct{ CRD json.RawMessage }
		require.NoError(t, json.Unmarshal(text, &recorded))
		texts = append(texts, recorded.CRD)
	}
	return texts
}

// Each definition that gnostic can read the document of is the same in protobuf.
func FuzzOpenAPIProtobuf(f *testing.F) {
	const start = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"g.io","names":{"plural":"ks","kind":"K"},
		"scope":"Namespaced","versions":[{"name":"v1","served":true,"subresources":{"status":{},"scale":{}},"schema":{"openAPIV3Schema":`
	for _, schema := range []string{
		`{"type":"object","properties":{"spec":{"type":"object","required":["a",""],"properties":{"a":{"enum":["x","yes",null,1.50,"a\u2028b",{"b":[1,{"c":"d e"}]}]}}}}}`,
		`{"type":"object","description":"a","additionalProperties":{"type":"integer","maximum":1e300,"minimum":-0.5,"multipleOf":3},"maxProperties":3}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set","maxItems":2,"example":["b\u007f"]},
			"b":{"x-kubernetes-int-or-string":true,"x-kubernetes-validations":[{"rule":"self != 'a:b'","message":"no \"a:b\"\n"}]}}}`,
	} {
		f.Add([]byte(start + schema + "}}]}}"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := crd.Parse(text)
		if err != nil {
			return
		}
		doc, err := openapi.V2(d)
		if err != nil {
			return
		}
		b, err := doc.AppendProtobuf(nil)
		require.NoError(t, err)
		require.NoError(t, proto.Unmarshal(b, new(openapi_v2.Document)))
		if _, err := openapi_v2.ParseDocument(doc.AppendJSON(nil)); err == nil {
			requireGnostic(t, doc)
		}
	})
}

// requireGnostic compares a document in protobuf with gnostic's reading of its JSON.
func requireGnostic(t *testing.T, d *openapi.Document) {
	t.Helper()
	b, err := d.AppendProtobuf(nil)
	require.NoError(t, err)
	got := new(openapi_v2.Document)
	require.NoError(t, proto.Unmarshal(b, got))
	requireSameMessage(t, d.AppendJSON(nil), got)
}

// requireSameMessage compares a message with gnostic's reading of JSON.
func requireSameMessage(t *testing.T, text []byte, got *openapi_v2.Document) {
	t.Helper()
	want, err := openapi_v2.ParseDocument(text)
	require.NoError(t, err)
	canonicalYAML(t, want.ProtoReflect())
	canonicalYAML(t, got.ProtoReflect())
	if !proto.Equal(want, got) {
		require.Equal(t, prototext.Format(want), prototext.Format(got))
		t.Fatal("the messages differ")
	}
}

// canonicalYAML replaces the YAML in a message with its value as JSON, and refuses fields that the message does not
// have.
func canonicalYAML(t *testing.T, m protoreflect.Message) {
	require.Empty(t, m.GetUnknown())
	if value, ok := m.Interface().(*openapi_v2.Any); ok {
		var v any
		require.NoError(t, yaml.Unmarshal([]byte(value.Yaml), &v), value.Yaml)
		value.Yaml = string(given.JSON(t, v))
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				canonicalYAML(t, v.List().Get(i).Message())
			}
		default:
			canonicalYAML(t, v.Message())
		}
		return true
	})
}
