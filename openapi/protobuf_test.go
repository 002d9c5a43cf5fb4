package openapi

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// PV2-015: a document with all members. TestOpenAPIProtobuf in parity compares the same document with gnostic's
// encoding.
func TestProtobuf(t *testing.T) {
	d := mergeV2(t, string(given.File(t, "testdata/PV2-015-members.json")), v2(t))
	got, err := d.AppendProtobuf(nil)
	require.NoError(t, err)
	var lines strings.Builder
	for rest := hex.EncodeToString(got); rest != ""; {
		n := min(len(rest), 128)
		lines.WriteString(rest[:n] + "\n")
		rest = rest[n:]
	}
	requireFile(t, "PV2-015-members.hex", lines.String())
	behind, err := d.AppendProtobuf([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, "before"+string(got), string(behind))
}

// Members with null are omitted.
func TestProtobufNull(t *testing.T) {
	const start, end = `{"swagger":"2.0","paths":{"/a":{"get":{"parameters":[{"name":"n","in":"query"}`, `]}}},"definitions":{},"parameters":{}}`
	none, err := mergeV2(t, start+end, v2(t)).AppendProtobuf(nil)
	require.NoError(t, err)
	with, err := mergeV2(t, start+`,null],"tags":null,"schemes":[null`+end, v2(t)).AppendProtobuf(nil)
	require.NoError(t, err)
	require.Equal(t, none, with)
}

func TestProtobufErrors(t *testing.T) {
	for _, r := range []struct{ name, static, want string }{
		{"unknown member", `"hosts":[]`, "openapi: hosts: the message has no such member"},
		{"an extension where there are none", `"definitions":{"A":{"properties":{"x-a":{}}}}`, ""},
		{"a name that is no extension", `"paths":{"x":{}}`, ""},
		{"a member that begins like an extension", `"info":{"x":1}`, "openapi: info.x: the message has no such member"},
		{"deep", `"paths":{"/a":{"get":{"parameters":[{"in":"query"},{"in":"query","style":"form"}]}}}`,
			"openapi: paths./a.get.parameters.1.style: the message has no such member"},
		{"after a path", `"info":{"contact":{"name":"a"},"license":{"x-a":1,"a":2}}`, "openapi: info.license.a: the message has no such member"},
		{"not a list", `"schemes":"http"`, "openapi: schemes: the message has another type here"},
		{"not an object", `"info":[]`, "openapi: info: the message has another type here"},
		{"not a string", `"host":1`, "openapi: host: the message has another type here"},
		{"not a type", `"definitions":{"A":{"type":1}}`, "openapi: definitions.A.type: the message has another type here"},
		{"not a boolean", `"definitions":{"A":{"readOnly":1}}`, "openapi: definitions.A.readOnly: the message has another type here"},
		{"not an integer", `"definitions":{"A":{"maxItems":1.5}}`, "openapi: definitions.A.maxItems: the message has another type here"},
		{"not a number", `"definitions":{"A":{"maximum":"1"}}`, "openapi: definitions.A.maximum: the message has another type here"},
		{"a number that is too large", `"definitions":{"A":{"maximum":1e400}}`, "openapi: definitions.A.maximum: the message has another type here"},
		{"a list of schemas", `"definitions":{"A":{"items":[{}]}}`, "openapi: definitions.A.items: the message has another type here"},
		{"not a parameter", `"parameters":{"A":1}`, "openapi: parameters.A: the message has another type here"},
		{"not a reference", `"paths":{"/a":{"parameters":[{"$ref":1}]}}`, "openapi: paths./a.parameters.0: the message has another type here"},
	} {
		static := `{"swagger":"2.0",` + r.static + `}`
		d := &Document{format: formatV2, json: []byte(static)}
		got, err := d.AppendProtobuf([]byte("a"))
		if r.want == "" {
			require.NoError(t, err, r.name)
			continue
		}
		require.EqualError(t, err, r.want, r.name)
		require.Equal(t, "a", string(got), r.name)
	}
	_, err := v3(t, shirts(t, ""), "v1").AppendProtobuf(nil)
	require.EqualError(t, err, "openapi: a document to write in protobuf is not of version 2")
}

// The YAML of extensions: for the extensions of Kubernetes' documents, it is the text that gnostic writes.
func TestProtobufYAML(t *testing.T) {
	for text, want := range map[string]string{
		`null`:        "null\n",
		`true`:        "true\n",
		`-1.50e3`:     "-1.50e3\n",
		`[]`:          "[]\n",
		`{}`:          "{}\n",
		`"list"`:      "list\n",
		`""`:          "\"\"\n",
		`["a-b","c"]`: "- a-b\n- \"c\"\n",
		`[{"group":"","kind":"Shirt","version":"v1"},{"a/b.c":false}]`:  "- group: \"\"\n  kind: Shirt\n  version: v1\n- a/b.c: false\n",
		`{"kind":"Shirt","more":[1,{"aa":"bb","cc":[]},{}],"empty":{}}`: "kind: Shirt\nmore: [1, {aa: bb, cc: []}, {}]\nempty: {}\n",
		`[[1,2],[],{},"aa"]`: "- [1, 2]\n- []\n- {}\n- aa\n",
		`["true","False","yes","no","on","OFF","null","nullable"]`:                             "- \"true\"\n- \"False\"\n- \"yes\"\n- \"no\"\n- \"on\"\n- \"OFF\"\n- \"null\"\n- nullable\n",
		`["1a","-a","AZ","az","a@","a[","aa` + "`" + `","a{","a0","a9","a:","aa/","a b","_a"]`: "- \"1a\"\n- \"-a\"\n- AZ\n- az\n- \"a@\"\n- \"a[\"\n- \"aa`\"\n- \"a{\"\n- a0\n- a9\n- \"a:\"\n- aa/\n- \"a b\"\n- \"_a\"\n",
		`["@a","[a","{a","` + "`" + `a"]`:                                                      "- \"@a\"\n- \"[a\"\n- \"{a\"\n- \"`a\"\n",
		`"a\nb \u2028 \u0000 \u007f \ud83d\ude00 é"`:                                           `"a\nb \u2028 \x00 \x7f \U0001f600 \u00e9"` + "\n",
	} {
		e := protoEncoder{dec: protoDecoder([]byte(text))}
		require.Equal(t, want, string(e.yaml(e.next())), text)
		require.False(t, e.dec.More(), text)
	}
}

// Memory is linear in the depth, and the depth is not limited.
func TestProtobufDepth(t *testing.T) {
	const deep = 20000
	nested := strings.Repeat(`{"type":"object","properties":{"a":`, deep) + "{}" + strings.Repeat("}}", deep)
	d := &Document{format: formatV2, json: []byte(`{"definitions":{"A":` + nested + `},"x-deep":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}")}
	got, err := d.AppendProtobuf(nil)
	require.NoError(t, err)
	require.Less(t, len(got), 2*d.Size())
}

// Everything that V2 writes can be written in protobuf.
func FuzzProtobuf(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1","served":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"enum":[{"b":[null,1.5e300]}],"maximum":1e308}}}}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := crd.Parse(data)
		if err != nil {
			return
		}
		doc, err := V2(d)
		if err != nil {
			return
		}
		_, err = doc.AppendProtobuf(nil)
		require.NoError(t, err)
	})
}
