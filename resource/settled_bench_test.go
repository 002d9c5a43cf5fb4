package resource_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A subject is a settled object with its version.
type subject struct {
	name string
	v    *resource.Version
	body []byte
}

// objectsVariable is the environment variable for a directory of objects. Each line of its objects.tsv has the file of
// an object and the file of its definition in ../conformance/random/crds.
const objectsVariable = "CRDKIT_OBJECTS"

// settledSubjects returns a gadget, and the objects in the directory of objectsVariable, as stored.
func settledSubjects(t testing.TB) (all []subject) {
	add := func(name string, v *resource.Version, document []byte) {
		r := v.Create(t.Context(), given.Object(t, document))
		require.NoError(t, r.Err(), name)
		body := given.JSON(t, r.Object) // includes a status that is a default of the schema
		if len(r.Warnings) == 0 {
			all = append(all, subject{name, v, body})
		}
	}
	add("gadget", compile(t, gadgets).Version("v1"), []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns",`+
		`"labels":{"a":"b","c":"d"},"annotations":{"a":"\n"}},"spec":{"replicas":2,"size":"small","ratio":1.5,"note":"\u00e9\n","tags":["b","a"],`+
		`"free":{"x":[1,{"z":null,"c":1e-3}]}}}`))
	dir := os.Getenv(objectsVariable)
	if dir == "" {
		return all
	}
	for line := range strings.Lines(string(given.File(t, filepath.Join(dir, "objects.tsv")))) {
		file, definition, _ := strings.Cut(strings.TrimSpace(line), "\t")
		d := given.Definition(t, given.File(t, filepath.Join(dir, "../conformance/random/crds", definition)))
		document := given.File(t, filepath.Join(dir, file))
		obj := given.Object(t, document)
		_, name, _ := strings.Cut(obj["apiVersion"].(string), "/")
		for i := range d.Spec.Versions {
			d.Spec.Versions[i].Storage = d.Spec.Versions[i].Name == name
		}
		r, err := resource.Compile(d)
		require.NoError(t, err)
		add(strings.TrimSuffix(file, ".yaml"), r.Version(name), document)
	}
	return all
}

// BenchmarkSettled has a benchmark for each object and each function that reads its text. The last functions do less
// than Settled.
func BenchmarkSettled(b *testing.B) {
	for _, s := range settledSubjects(b) {
		for _, of := range []struct {
			name string
			f    func() bool
		}{
			{"settled", func() bool { return s.v.Settled(s.body) }},
			{"create", func() bool { return s.v.CreateBody(b.Context(), s.body).Err() == nil }},
			{"encoding-json", func() bool { var m map[string]any; return json.Unmarshal(s.body, &m) == nil }},
			{"unstructured", func() bool { _, err := unstructured.Decode(s.body); return err == nil }},
			{"json-valid", func() bool { return json.Valid(s.body) }},
			{"scan", func() bool { in := jsonscan.New(s.body); defer in.Release(); in.Skip(); return in.End() }},
		} {
			b.Run(s.name+"/"+of.name, func(b *testing.B) {
				require.True(b, of.f())
				b.SetBytes(int64(len(s.body)))
				b.ReportAllocs()
				for b.Loop() {
					of.f()
				}
			})
		}
	}
}
