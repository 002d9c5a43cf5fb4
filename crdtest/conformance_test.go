package crdtest

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

var (
	recorded = flag.String("recorded", "", "a directory of answers recorded from a server, for TestRecorded")
	crdFile  = flag.String("crd", "testdata/widgets.yaml", "a file with the definition that BenchmarkRun is about, of its samples")
)

// TestRecorded runs what a server was asked as cases, and expects the server's answers:
//
//	go test ./crdtest -run Recorded -v -recorded DIR
//
// Each *.jsonl file there has a line for a request: the file of its crd, the version, the op (create, update,
// updateStatus), old and object, and the result, or the errors with type, field and message. Requests that have a
// failure instead are left out.
func TestRecorded(t *testing.T) {
	if *recorded == "" {
		t.Skip("no -recorded")
	}
	files := given.Files(t, filepath.Join(*recorded, "*.jsonl"))
	cases, wrong := 0, 0
	for _, file := range files {
		sets := map[string]*Set{}
		data, err := os.Open(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(data)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			var r record
			obj := given.Object(t, lines.Bytes())
			require.NoError(t, unstructured.ToStruct(obj, &r))
			if r.Failure != nil {
				continue
			}
			key := r.CRD + " " + r.Version
			if sets[key] == nil {
				sets[key] = onlyVersion(t, filepath.Join(*recorded, r.CRD), r.Version)
			}
			cases++
			q, err := sets[key].request(context.Background(), r.asCase(obj))
			require.NoError(t, err, r.Name)
			a := q.ask(context.Background())
			if text := r.differs(a, obj); text != "" {
				if wrong++; wrong < 5 {
					t.Errorf("%s\n%s", r.Name, text)
				}
			}
		}
		require.NoError(t, lines.Err())
		require.NoError(t, data.Close())
	}
	t.Logf("%d of %d cases as recorded, from %d files", cases-wrong, cases, len(files))
	require.Zero(t, wrong)
}

type record struct {
	Name    string `json:"name"`
	CRD     string `json:"crd"`
	Version string `json:"version"`
	Op      string `json:"op"`
	Errors  []struct {
		Type    string `json:"type"`
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errors"`
	Failure any `json:"failure"`
}

func (r *record) asCase(obj map[string]any) *Case {
	c := &Case{Object: json.RawMessage(encoded(obj["object"])), Version: r.Version}
	if old, ok := obj["old"]; ok && old != nil {
		c.Old = json.RawMessage(encoded(old))
	}
	if r.Op == "updateStatus" {
		c.Subresource = "status"
	}
	return c
}

// encoded keeps floats apart from integers.
func encoded(v any) []byte {
	data, _ := json.Marshal(v)
	return data
}

func (r *record) differs(a *answer, obj map[string]any) string {
	var want, got []string
	for _, e := range r.Errors {
		want = append(want, e.Type+" "+e.Field+" "+e.Message)
	}
	for _, e := range a.errs {
		got = append(got, string(e.Type)+" "+e.Field+" "+e.ErrorBody())
	}
	lines := lineDiff(want, got)
	result, _ := obj["result"].(map[string]any)
	if len(lines) == 0 && result != nil {
		stored := unstructured.Clone(a.Object)
		for _, o := range []map[string]any{stored, result} {
			if meta, ok := o["metadata"].(map[string]any); ok {
				for _, key := range []string{"generation", "uid", "creationTimestamp", "resourceVersion", "managedFields", "generateName", "name"} {
					delete(meta, key)
				}
			}
		}
		lines = subset(nil, "", result, stored, true)
	}
	return strings.Join(lines, "\n")
}

// onlyVersion loads a definition with one of its versions alone.
func onlyVersion(t *testing.T, file, version string) *Set {
	s := Load(t, file)
	d := s.definitions[0]
	d.Spec.Versions = slices.DeleteFunc(d.Spec.Versions, func(v crd.Version) bool { return v.Name != version })
	require.Len(t, d.Spec.Versions, 1)
	d.Spec.Versions[0].Storage, d.Spec.Versions[0].Served = true, true
	d.Status.StoredVersions = []string{version}
	return s
}

// BenchmarkRun runs 1,000 cases a round, good and bad ones, of a definition that is loaded. ECT-018: that takes less
// than a second.
//
//	go test ./crdtest -run - -bench Run -crd FILE
func BenchmarkRun(b *testing.B) {
	samples := Load(b, *crdFile).Sample(b, "", "")
	objects := []map[string]any{samples.Minimal, samples.Full}
	for _, broken := range samples.Broken {
		objects = append(objects, broken.Object)
	}
	objects = slices.DeleteFunc(objects, func(obj map[string]any) bool { return obj == nil })
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		s := Load(b, *crdFile) // a new one, so that each round compiles what it needs
		b.StartTimer()
		for i := range 1000 {
			if _, err := s.try(context.Background(), &Case{Object: objects[i%len(objects)]}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
