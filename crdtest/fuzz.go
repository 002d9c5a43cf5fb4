package crdtest

import (
	"encoding/json"
	"testing"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/unstructured"
)

// Fuzz fuzzes what a server does with objects of a kind (empty: the only one), in each served version. Its seeds are
// the samples of [Set.Sample], valid and invalid ones. It fails if something panics, and if an accepted object is not
// accepted again, or is changed the second time. If the set has a converter for the kind, or if there are options, each
// accepted object is also converted as by [Set.RoundTrips]. Call it from a fuzz test; `go test -fuzz` mutates the seeds:
//
//	func FuzzWidget(f *testing.F) { crdtest.Fuzz(f, crds, "Widget") }
func Fuzz(f *testing.F, s *Set, kind string, opts ...RoundTripOption) {
	f.Helper()
	d, err := s.find("", kind)
	if err != nil {
		f.Fatalf("crdtest: %v", err)
	}
	var tt *trips
	if d.converter != nil || len(opts) > 0 {
		if tt, err = d.trips(opts); err != nil {
			f.Fatalf("crdtest: %v", err)
		}
	}
	var names []string
	for _, v := range d.Spec.Versions {
		if !v.Served {
			continue
		}
		names = append(names, v.Name)
		m := s.Sample(f, kind, v.Name)
		seeds := []map[string]any{m.Minimal, m.Full}
		for _, b := range m.Broken {
			seeds = append(seeds, b.Object)
		}
		for _, obj := range seeds {
			if data, err := json.Marshal(obj); err == nil && obj != nil {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		t.Helper()
		obj, err := unstructured.Decode(data)
		if err != nil {
			t.Skip()
		}
		for _, name := range names {
			if text := d.stable(t, name, obj); text != "" {
				t.Errorf("crdtest: version %s: %s\n%s", name, text, yamltext.Encode(obj))
			}
			if tt != nil {
				for _, text := range tt.fuzzed(t.Context(), name, obj) {
					t.Errorf("crdtest: %s", text)
				}
			}
		}
	})
}

// stable returns what is wrong when an accepted object is created again, or "".
func (d *definition) stable(t testing.TB, name string, obj map[string]any) string {
	v, ver, err := d.version(name)
	if err != nil {
		return err.Error()
	}
	objName, namespace := identity(obj)
	once := v.Create(t.Context(), filled(obj, d, ver.name, objName, namespace))
	if once.Err() != nil {
		return ""
	}
	again := v.Create(t.Context(), once.Object)
	if err := again.Err(); err != nil {
		return "what was stored is refused: " + err.Error()
	}
	if !jsonval.Equal(once.Object, again.Object) {
		return "what was stored changes when it is created once more: " + yamltext.Encode(again.Object)
	}
	return ""
}
