package given

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

type text interface{ string | []byte }

// Object returns the object in a text.
func Object[T text](t testing.TB, text T) map[string]any {
	t.Helper()
	obj, err := unstructured.Decode([]byte(text))
	require.NoError(t, err, "%s", text)
	return obj
}

// Schema returns the schema in a text. It need not be structural.
func Schema[T text](t testing.TB, text T) *schema.JSONSchemaProps {
	t.Helper()
	p, err := schema.Decode([]byte(text))
	require.NoError(t, err, "%s", text)
	return p
}

// Structural returns the compiled form of a structural schema.
func Structural[T text](t testing.TB, text T) *schema.Structural {
	t.Helper()
	s, errs := schema.Compile(Schema(t, text))
	require.Empty(t, errs, "%s", text)
	return s
}

// Loose returns the compiled form of a schema that need not be structural.
func Loose[T text](t testing.TB, text T) *schema.Structural {
	t.Helper()
	s, err := schema.CompileLoose(Schema(t, text))
	require.NoError(t, err, "%s", text)
	return s
}

// Definition returns the definition in a text.
func Definition[T text](t testing.TB, text T) *crd.CustomResourceDefinition {
	t.Helper()
	d, err := crd.Parse([]byte(text))
	require.NoError(t, err, "%s", text)
	return d
}

// Head returns the YAML of a definition up to its versions. The name is that of the definition: its plural and its
// group.
func Head(scope, name, kind string) string { return head("v1", scope, name, kind) }

// OldHead is [Head] in v1beta1.
func OldHead(scope, name, kind string) string { return head("v1beta1", scope, name, kind) }

// Kind returns the YAML of a definition of one version, v1, with this schema in YAML's flow style. For the name see
// [Head].
func Kind(scope, name, kind, schema string) string {
	return Head(scope, name, kind) + "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + schema + "}}\n"
}

// KindWithStatus is [Kind] with a status subresource, and the schemas of spec and status.
func KindWithStatus(scope, name, kind, spec, status string) string {
	d := Kind(scope, name, kind, "{type: object, properties: {spec: "+spec+", status: "+status+"}}")
	return strings.Replace(d, "storage: true,", "storage: true, subresources: {status: {}},", 1)
}

func head(version, scope, name, kind string) string {
	plural, group, _ := strings.Cut(name, ".")
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/%s
kind: CustomResourceDefinition
metadata: {name: %s}
spec:
  group: %s
  scope: %s
  names: {plural: %s, kind: %s}
`, version, name, group, scope, plural, kind)
}

// List returns n items.
func List[T any](n int, item func(i int) T) []T {
	items := make([]T, n)
	for i := range items {
		items[i] = item(i)
	}
	return items
}

// Deep returns v in n lists in one another.
func Deep(n int, v any) any {
	for range n {
		v = []any{v}
	}
	return v
}

// Loop returns a map that contains itself.
func Loop() map[string]any {
	m := map[string]any{}
	m["loop"] = m
	return m
}

// Many returns a list that contains itself three times: there are 3^10000 ways down.
func Many() []any {
	l := make([]any, 3)
	for i := range l {
		l[i] = l
	}
	return l
}

// JSON returns the JSON of v.
func JSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

// File returns what a file has.
func File(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return data
}

// Files returns the names of the files that a pattern matches: at least one.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, "no file matches %s", pattern)
	return names
}

// Rows returns the rows of a file that has one in JSON on each line.
func Rows[T any](t testing.TB, name string) iter.Seq[T] {
	t.Helper()
	data := File(t, name)
	return func(yield func(T) bool) {
		for line := range bytes.Lines(data) {
			var row T
			require.NoError(t, json.Unmarshal(line, &row), name)
			if !yield(row) {
				return
			}
		}
	}
}
