package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 9}}}}}}
`

func TestRun(t *testing.T) {
	dir := t.TempDir()
	definition, old, data := filepath.Join(dir, "widgets.yaml"), filepath.Join(dir, "old.yaml"), filepath.Join(dir, "objects.db")
	require.NoError(t, os.WriteFile(definition, []byte(widgets), 0o600))
	require.NoError(t, os.WriteFile(old, []byte(strings.Replace(widgets, "maximum: 9", "maximum: 99", 1)), 0o600))
	object := func(name, size string) string {
		return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"` + name + `","namespace":"ns","uid":"u","generation":1},"spec":{"size":` + size + `}}`
	}
	s, err := bolt.Open(data, bolt.Options{})
	require.NoError(t, err)
	for name, size := range map[string]string{"a": "1", "b": "10"} {
		_, err := s.Create(t.Context(), "/example.com/widgets/ns/"+name, []byte(object(name, size)))
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())

	for _, c := range []struct {
		args  []string
		stdin string
		code  int
		want  string
	}{
		{[]string{"-crd", definition}, object("a", "3") + object("b", "4"), 0, "2 objects, 2 clean"},
		{[]string{"-crd", definition, "-file", data}, "", 1, "2 objects, 1 clean, 0 changed, 1 broken, 0 of another kind"},
		{[]string{"-crd", definition, "-old", old, "-file", data}, "", 1, "1 broken (1 by the change)"},
		{[]string{"-crd", old, "-file", data, "-prefix", "/example.com/gadgets/"}, "", 0, "0 objects"},
		{[]string{"-crd", definition, "-snapshot", data}, "", 1, "not an etcd snapshot"},
		{[]string{"-crd", filepath.Join(dir, "none")}, "", 2, "no such file"},
		{nil, "", 2, "-crd FILE"},
		{[]string{"-h"}, "", 0, "-snapshot FILE"},
	} {
		var out bytes.Buffer
		require.Equal(t, c.code, run(t.Context(), c.args, strings.NewReader(c.stdin), &out, &out), "%v: %s", c.args, out.String())
		require.Contains(t, out.String(), c.want)
	}
}
