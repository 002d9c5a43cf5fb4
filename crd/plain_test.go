package crd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/strictjson"
)

// The head of a definition in YAML, with one version that has a schema, for more to be written behind it.
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

// Plain texts are read without the detour, and others are not.
func TestPlain(t *testing.T) {
	for _, row := range []struct {
		name, text    string
		plain, strict bool
	}{
		{"every key of v1", everyV1, true, true},
		{"every key of v1beta1", everyV1beta1, true, true},
		{"YAML", plainYAML, true, true},
		{"JSON behind a byte order mark", "\uFEFF " + everyV1, true, true},
		{"YAML behind a byte order mark", "\uFEFF" + plainYAML, true, true},
		{"CDC-003 an unknown key in a schema", plainYAML + "            readOnly: true\n", true, false},
		{"CDC-003 an unknown key beside it", plainYAML + "    foo: 1\n", true, false},
		{"CDC-003 an unknown key in the metadata", strings.Replace(plainYAML, "  name: lamps", "  foo: x\n  name: lamps", 1), true, false},
		{"no schema", headV1 + "spec:\n  versions:\n  - schema: {}\n  - schema:\n      openAPIV3Schema:\n  -\n", true, true},
		{"schemas that are none", headV1 + "spec:\n  versions: {}\n", false, false},
		{"CDC-006 a wrong value", plainYAML + "            nullable: 1\n", false, false},
		{"CDC-006 a wrong value elsewhere", plainYAML + "  scope: 1\n", false, false},
		{"CDC-004 a key twice", plainYAML + "            type: string\n", false, false},
		{"CDC-004 a key of the spec twice", plainYAML + "  group: a\n", false, false},
		{"another kind", "apiVersion: v1\nkind: Secret\n", false, false},
		{"two documents", plainYAML + "---\n" + plainYAML, false, false},
		{"an anchor", plainYAML + "  scope: &a Cluster\n", false, false},
		{"two objects", everyV1 + everyV1, false, false},
	} {
		plain, strict := parsePlain([]byte(row.text), false), parsePlain([]byte(row.text), true)
		require.Equal(t, row.plain, plain != nil, row.name)
		require.Equal(t, row.strict, strict != nil, row.name)
		comparePlain(t, row.text)
	}
}

func comparePlain(t *testing.T, text string) {
	t.Helper()
	data := []byte(text)
	plain := parsePlain(data, false)
	strict := parsePlain(data, true)
	if strict != nil {
		require.Equal(t, plain, strict)
		findings, err := strictjson.Findings(data, knownKeys(strict.APIVersion))
		require.NoError(t, err)
		require.Empty(t, findings)
	}
	if plain == nil {
		return
	}
	// What servers use, and nothing of ours but for the binder.
	jsonText := []byte(strings.TrimPrefix(text, "\uFEFF"))
	if !strings.HasPrefix(strings.TrimSpace(string(jsonText)), "{") {
		if strings.Contains(text, "\n---") {
			return // that reads the first document only, be it empty
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
	require.Equal(t, want, plain)
}

// A bundle of plain documents is read as its documents are.
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

// What is plain is the same as what a server's decoders make of it, and strict decoding has nothing to say about it where that is asked.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{everyV1, everyV1beta1, plainYAML, plainYAML + "  foo:\n  - a\n", headV1 + "spec:\n  versions:\n  -\n"} {
		f.Add(text)
	}
	f.Fuzz(comparePlain)
}
