package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	k8sversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdkit/crdkit/parity/internal/bench"
	"github.com/crdkit/crdkit/version"
)

// subjects are those of testdata, two that are too big to read, and those of the directory that CRDKIT_OBJECTS names,
// if it does.
func subjects(tb testing.TB) []*bench.Subject {
	all, err := bench.Files("testdata")
	require.NoError(tb, err)
	wide, err := bench.Wide()
	require.NoError(tb, err)
	all = append(all, wide...)
	if dir := os.Getenv("CRDKIT_OBJECTS"); dir != "" {
		listed, err := bench.Listed(dir, filepath.Join(dir, "../conformance/random/crds"))
		require.NoError(tb, err)
		all = append(all, listed...)
	}
	return all
}

// The sides of each benchmark do the same work, with the same outcome.
func TestSubjects(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.Name, func(t *testing.T) { require.NoError(t, s.Check()) })
	}
}

// BenchmarkOperation is named operation/subject/side.
func BenchmarkOperation(b *testing.B) {
	all := subjects(b)
	for _, o := range bench.Operations() {
		for _, s := range all {
			if !o.On(s) {
				continue
			}
			for _, side := range o.Sides {
				b.Run(fmt.Sprintf("%s/%s/%s", o.Name, s.Name, side.Name), func(b *testing.B) {
					f := side.Prepare(s)
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
		}
	}
}

// BenchmarkSeries is named by what grows, the operation, and how often the size of the first it is.
func BenchmarkSeries(b *testing.B) {
	all, err := bench.AllSeries()
	require.NoError(b, err)
	for _, s := range all {
		for i, f := range s.Steps {
			b.Run(fmt.Sprintf("%s/%dx", s.Name, bench.Sizes[i]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
	}
}

func BenchmarkVersionSort(b *testing.B) {
	names := make([]string, 1000)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range names {
		names[i] = "v" + strconv.Itoa(random.IntN(50))
		if kind := random.IntN(3); kind > 0 {
			names[i] += []string{"alpha", "beta"}[kind-1] + strconv.Itoa(random.IntN(50))
		}
	}
	sides(b, func() {
		version.Sort(slices.Clone(names))
	}, func() {
		sorted := slices.Clone(names)
		sort.Slice(sorted, func(i, j int) bool { return k8sversion.CompareKubeAwareVersionStrings(sorted[i], sorted[j]) > 0 })
	})
}

func sides(b *testing.B, ours, theirs func()) {
	for _, side := range []struct {
		name string
		f    func()
	}{{bench.Crdkit, ours}, {bench.Reference, theirs}} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				side.f()
			}
		})
	}
}

// Both webhooks allow what authors wrote, and deny an object with an error.
func TestWebhooks(t *testing.T) {
	all := subjects(t)
	ours, err := bench.Webhook(all)
	require.NoError(t, err)
	for side, handler := range map[string]http.Handler{bench.Crdkit: ours, bench.Reference: bench.ReferenceWebhook(all)} {
		for _, s := range all {
			review := func(body []byte) (allowed bool) {
				out := httptest.NewRecorder()
				r := httptest.NewRequest("POST", "/validate", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				handler.ServeHTTP(out, r)
				var answer struct{ Response struct{ Allowed bool } }
				require.NoError(t, json.Unmarshal(out.Body.Bytes(), &answer), "%s: %s: %s", side, s.Name, out.Body)
				return answer.Response.Allowed
			}
			require.True(t, review(s.Review(s.Sent)), "%s: %s", side, s.Name)
			invalid, err := json.Marshal(s.Invalid)
			require.NoError(t, err)
			require.False(t, review(s.Review(invalid)), "%s: %s", side, s.Name)
		}
	}
}
