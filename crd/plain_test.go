package crd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/keyword"
)

// The head of a definition in YAML, with one version that has a schema. Tests append to it.
const plainYAML = headV1 + `metadata:
  name: lamps.example.com
spec:
  group: example.com
  names: {}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        description: |-
          A lamp.

          It shines.
        type: object
        properties:
          spec:
            type: object
            description: What it is
              like.
            properties:
              watt: {}
            required:
            - watt
`

// Plain texts use the fast path, and others do not.
func TestPlain(t *testing.T) {
	for _, row := range []struct {
		name, text string
		plain, all bool // all: with all findings of strict decoding
		findings   int
	}{
		{"every key of v1", everyV1, true, true, 0},
		{"every key of v1beta1", everyV1beta1, true, true, 0},
		{"YAML", plainYAML, true, true, 0},
		{"JSON behind a byte order mark", "\uFEFF " + everyV1, true, true, 0},
		{"YAML behind a byte order mark", "\uFEFF" + plainYAML, true, true, 0},
		{"CDC-003 an unknown key in a schema", plainYAML + "            readOnly: true\n", true, true, 1},
		{"CDC-003 an unknown key", plainYAML + "    foo: 1\n", true, true, 1},
		{"CDC-003 an unknown key in the metadata", strings.Replace(plainYAML, "  name: lamps", "  foo: x\n  name: lamps", 1), true, true, 1},
		{"CDC-003 an unknown key in a schema, with a value", plainYAML + "            readOnly:\n              a:\n                b: 1\n", true, true, 1},
		{"CDC-003 unknown keys in a schema", plainYAML + "            readOnly: true\n            example2: 1\n", true, false, 0},
		{"CDC-003 unknown keys inside and outside of a schema", plainYAML + "            readOnly: true\n    foo: 1\n", true, false, 0},
		{"CDC-004 an unknown key twice", plainYAML + "            readOnly: true\n            readOnly: true\n", true, false, 0},
		{"CDC-004 a key twice in the value of an unknown one", plainYAML + "            readOnly:\n              a: 1\n              a: 2\n", false, false, 0},
		{"no schema", headV1 + "spec:\n  versions:\n  - schema: {}\n  - schema:\n      openAPIV3Schema:\n  -\n", true, true, 0},
		{"schemas that are none", headV1 + "spec:\n  versions: {}\n", false, false, 0},
		{"CDC-006 a wrong value", plainYAML + "            nullable: 1\n", false, false, 0},
		{"CDC-006 a wrong value elsewhere", plainYAML + "  scope: 1\n", false, false, 0},
		{"CDC-004 a key twice", plainYAML + "            type: string\n", false, false, 0},
		{"CDC-004 a key of the spec twice", plainYAML + "  group: a\n", false, false, 0},
		{"another kind", "apiVersion: v1\nkind: Secret\n", false, false, 0},
		{"two documents", plainYAML + "---\n" + plainYAML, false, false, 0},
		{"an anchor", plainYAML + "  scope: &a Cluster\n", false, false, 0},
		{"two objects", everyV1 + everyV1, false, false, 0},
	} {
		plain := parsePlain([]byte(row.text))
		require.Equal(t, row.plain, plain != nil, row.name)
		var findings []string
		var all bool
		if plain != nil {
			findings, all = plain.findings()
		}
		require.Equal(t, row.all, all, row.name)
		require.Equal(t, row.findings, len(findings), row.name)
		comparePlain(t, row.text)
	}
}

func comparePlain(t *testing.T, text string) {
	t.Helper()
	data := []byte(text)
	plain := parsePlain(data)
	if plain == nil {
		return
	}
	if got, all := plain.findings(); all {
		findings, err := keyword.Findings(data, knownKeys(plain.APIVersion))
		require.NoError(t, err)
		require.Equal(t, findings, got)
	}
	// Use the libraries of a server, and from this package only the binder.
	jsonText := []byte(strings.TrimPrefix(text, "\uFEFF"))
	if !strings.HasPrefix(strings.TrimSpace(string(jsonText)), "{") {
		if strings.Contains(text, "\n---") {
			return // the library reads only the first document, even if it is empty
		}
		var err error
		jsonText, err = yaml.YAMLToJSON(data)
		require.NoError(t, err)
	}
	var obj map[string]any
	require.NoError(t, kjson.UnmarshalCaseSensitivePreserveInts(jsonText, &obj))
	typ, wrong := typeOf(obj)
	require.Nil(t, wrong)
	want, wrong := bind(obj, typ)
	require.Nil(t, wrong)
	require.Equal(t, want, plain.CustomResourceDefinition)
}

// A bundle of plain documents is parsed like its documents.
func TestPlainBundle(t *testing.T) {
	text := []byte("# lamps\n---\n" + plainYAML + "---\napiVersion: v1\nkind: Secret\nspec:\n  versions:\n  - schema:\n      openAPIV3Schema: {}\n---\n" + plainYAML)
	all, ok := parsePlainAll(text, true)
	require.True(t, ok)
	require.Equal(t, []*CustomResourceDefinition{mustParse(t, plainYAML), mustParse(t, plainYAML)}, all)
	_, ok = parsePlainAll(text, false)
	require.False(t, ok)
	_, err := ParseAll(text)
	require.EqualError(t, err, `crd: document 2: kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "Secret" of "v1"`)
	all, ok = parsePlainAll([]byte("---\n"), false)
	require.True(t, ok)
	require.Nil(t, all)
}

// The fast path has the same result as a server's decoders, and no findings of strict decoding if these are requested.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{everyV1, everyV1beta1, plainYAML, plainYAML + "  foo:\n  - a\n", headV1 + "spec:\n  versions:\n  -\n"} {
		f.Add(text)
	}
	f.Fuzz(comparePlain)
}
