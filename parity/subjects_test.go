package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

// A subject is a definition with objects, which both sides have compiled: what the benchmarks measure.
type subject struct {
	name     string
	document []byte // of the definition, JSON
	ours     *resource.Version
	schema   *schema.Structural
	theirs   *reference.Resource

	complete map[string]any // valid, with all of its defaults
	partial  map[string]any // valid, as a user writes it
	unknown  map[string]any // complete, with two fields that the schema does not know
	invalid  map[string]any // complete, with two values of a wrong type
}

// subjects returns all of them: two from testdata, and two that are too big to read.
func subjects(tb testing.TB) []*subject {
	var all []*subject
	for _, name := range []string{"backup", "shop"} {
		all = append(all, newSubject(tb, name, file(tb, name+".crd.yaml"), file(tb, name+".yaml")))
	}
	definition, dense, sparse := wide(tb)
	return append(all, newSubject(tb, "wide-dense", definition, dense), newSubject(tb, "wide-sparse", definition, sparse))
}

func file(tb testing.TB, name string) []byte {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(tb, err)
	text, err = yaml.YAMLToJSON(text)
	require.NoError(tb, err)
	return text
}

func newSubject(tb testing.TB, name string, document, object []byte) *subject {
	s := &subject{name: name, document: document}
	d, err := reference.NewDefinitions().Parse(document)
	require.NoError(tb, err, name)
	s.theirs, err = reference.NewResource(d, "v1")
	require.NoError(tb, err, name)
	s.ours, err = parseOurs(document)
	require.NoError(tb, err, name)
	s.schema = s.ours.Schema()

	s.partial, err = unstructured.Decode(object)
	require.NoError(tb, err, name)
	s.complete, _ = s.theirs.Schema.Default(s.partial).(map[string]any)
	s.unknown = changed(s.complete, func(spec map[string]any) {
		spec["colour"] = map[string]any{"a": int64(1)}
		spec["size"] = "x"
	})
	s.invalid = changed(s.complete, func(spec map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(spec))[:2] {
			spec[k] = []any{[]any{}}
		}
	})
	return s
}

// changed returns a copy of an object whose spec has been changed.
func changed(obj map[string]any, change func(spec map[string]any)) map[string]any {
	c, _ := reference.Copy(obj).(map[string]any)
	change(c["spec"].(map[string]any))
	return c
}

// wide returns a definition with 40 sections of 25 fields, an object that has nearly all of them and 200 entries of a list, and one
// that has three.
func wide(tb testing.TB) (definition, dense, sparse []byte) {
	sections, full := map[string]any{}, map[string]any{}
	for i := range 40 {
		fields, values := map[string]any{}, map[string]any{}
		for j := range 25 {
			name := fmt.Sprintf("field%02d", j)
			switch j % 5 {
			case 0:
				fields[name], values[name] = map[string]any{"type": "string", "maxLength": 63, "pattern": "^[a-z]+[0-9]*$"}, "value1"
			case 1:
				fields[name], values[name] = map[string]any{"type": "integer", "format": "int32", "minimum": 0, "maximum": 1000}, 17
			case 2:
				fields[name] = map[string]any{"type": "boolean", "default": true}
			case 3:
				fields[name], values[name] = map[string]any{"type": "string", "enum": []any{"A", "B", "C", "D"}}, "C"
			case 4:
				fields[name], values[name] = map[string]any{"type": "array", "items": map[string]any{"type": "number"}}, []any{1, 2.5}
			}
		}
		name := fmt.Sprintf("section%02d", i)
		sections[name], full[name] = map[string]any{"type": "object", "required": []any{"field00"}, "properties": fields}, values
	}
	entry := map[string]any{
		"type": "object", "required": []any{"name"},
		"properties": map[string]any{
			"name": map[string]any{"type": "string", "minLength": 1}, "weight": map[string]any{"type": "integer", "default": 1},
			"labels": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
		},
	}
	sections["entries"] = map[string]any{
		"type": "array", "items": entry, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
	}
	entries := make([]any, 200)
	for i := range entries {
		entries[i] = map[string]any{"name": fmt.Sprintf("entry%03d", i), "labels": map[string]any{"a": "x", "b": "y"}}
	}
	full["entries"] = entries
	object := func(spec map[string]any) []byte {
		return toJSON(tb, map[string]any{
			"apiVersion": "example.org/v1", "kind": "Wide", "metadata": map[string]any{"name": "w", "namespace": "n", "generation": 1}, "spec": spec,
		})
	}
	definition = toJSON(tb, map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "wides.example.org"},
		"spec": map[string]any{
			"group": "example.org", "scope": "Namespaced", "names": map[string]any{"plural": "wides", "kind": "Wide"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": sections}},
			}}}},
		},
	})
	return definition, object(full), object(map[string]any{
		"section07": map[string]any{"field00": "a", "field01": 3}, "section31": map[string]any{"field00": "b"}, "entries": entries[:2],
	})
}

func toJSON(tb testing.TB, v any) []byte {
	text, err := json.Marshal(v)
	require.NoError(tb, err)
	return text
}

func namespaceOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	namespace, _ := meta["namespace"].(string)
	return namespace
}

// The two sides of each benchmark do the same work, with the same outcome.
func TestSubjects(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, obj := range []map[string]any{s.complete, s.partial, s.unknown} {
				require.Empty(t, listedReference(s.validateReference(obj)))
				require.Empty(t, listed(validate.Validate(s.schema, obj)))
			}
			errs := listedReference(s.validateReference(s.invalid))
			require.GreaterOrEqual(t, len(errs), 2)
			require.Equal(t, errs, listed(validate.Validate(s.schema, s.invalid)))

			require.Equal(t, s.complete, prune.Prune(s.schema, s.unknown))
			require.Equal(t, s.complete, defaulting.Default(s.schema, s.partial))
			require.NotEqual(t, s.complete, s.partial)

			ours := s.ours.Create(context.Background(), s.complete)
			require.NoError(t, ours.Err())
			theirs := s.theirs.Create(context.Background(), namespaceOf(s.complete), s.complete)
			require.NoError(t, theirs.Decode)
			require.Equal(t, theirs.Object, ours.Object)
		})
	}
}
