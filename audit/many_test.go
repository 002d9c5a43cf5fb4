package audit_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

var (
	manyObjects = flag.Int("objects", 5_000, "number of objects that TestMany audits")
	manyOld     = flag.Bool("objects-compared", false, "TestMany compares with an old definition")
)

// A kind is a definition with one clean object. Copies of the object differ in the places of manyName.
type kind struct {
	name       string
	definition *crd.CustomResourceDefinition
	object     []byte
}

const manyName = "the-name-of-the-object"

// kinds has widgets, and HTTPRoute if CRDKIT_OBJECTS names a directory with one.
func kinds(t *testing.T) []kind {
	all := []kind{{"Widget", given.Definition(t, widgets), []byte(widget(manyName, `{"mode":"slow","size":3,"limits":{"a":1}}`))}}
	dir := os.Getenv("CRDKIT_OBJECTS")
	if dir == "" {
		return all
	}
	d := given.Definition(t, given.File(t, filepath.Join(dir, "../conformance/random/crds/standard-httproutes.gateway.networking.k8s.io-v1.yaml")))
	for i := range d.Spec.Versions {
		d.Spec.Versions[i].Storage = d.Spec.Versions[i].Name == "v1"
		d.Spec.Versions[i].Served = d.Spec.Versions[i].Storage
	}
	obj := given.Object(t, given.File(t, filepath.Join(dir, "httproute.yaml")))
	obj["metadata"] = map[string]any{"name": manyName, "namespace": "ns", "generation": int64(1), "resourceVersion": "7", "uid": "u", "creationTimestamp": "2020-01-01T00:00:00Z"}
	rules := obj["spec"].(map[string]any)["rules"].([]any)
	var eight []any
	for i := range 8 { // each with its own path and backend, and with hosts, filters and headers as others have
		rule := unstructured.Clone(rules[i%len(rules)].(map[string]any))
		own := fmt.Sprintf("%s-%d", manyName, i)
		rule["matches"].([]any)[0].(map[string]any)["path"].(map[string]any)["value"] = "/" + own
		rule["backendRefs"].([]any)[0].(map[string]any)["name"] = own
		eight = append(eight, rule)
	}
	obj["spec"].(map[string]any)["rules"] = eight
	obj["spec"].(map[string]any)["hostnames"] = []any{manyName + ".example.com", "shop.example.com"}
	r, err := resource.Compile(d)
	require.NoError(t, err)
	read := r.Version("v1").Read(obj)
	require.NoError(t, read.Err())
	return append(all, kind{"HTTPRoute", d, given.JSON(t, read.Object)})
}

// list returns the text of a list of n objects, as kubectl prints it. The text is generated while it is read. The
// object in the middle is damaged.
func list(object []byte, n int) io.Reader {
	parts := bytes.Split(object, []byte(manyName))
	in, out := io.Pipe()
	go func() {
		_, _ = io.WriteString(out, `{"apiVersion":"v1","items":[`)
		var b []byte
		for i := range n {
			from, number := len(b), "o"+strconv.Itoa(100_000_000 + i)[1:]
			for j, part := range parts {
				if j > 0 {
					b = append(b, number...)
				}
				b = append(b, part...)
			}
			if i == n/2 {
				b[from+len(object)/2] = '\n' // in a string, or instead of a token
			}
			if i < n-1 {
				b = append(b, ',')
			}
			if len(b) > 1<<20 || i == n-1 {
				if _, err := out.Write(b); err != nil {
					return
				}
				b = b[:0]
			}
		}
		_, _ = io.WriteString(out, `],"kind":"List","metadata":{"resourceVersion":""}}`)
		out.Close()
	}()
	return in
}

// The memory of a run does not depend on the number of objects. The log has the rates of a run and of a loop over
// CreateBody.
func TestMany(t *testing.T) {
	runtime.GC() // the garbage of other tests does not count
	for _, k := range kinds(t) {
		var old *crd.CustomResourceDefinition
		if *manyOld {
			old = k.definition
		}
		for _, workers := range []int{1, 2} {
			a, err := audit.New(k.definition, &audit.Options{Old: old, Workers: workers})
			require.NoError(t, err)
			var peak uint64
			report, err := a.Run(t.Context(), func(yield func([]byte, error) bool) {
				n := 0
				for body, err := range audit.Objects(list(k.object, *manyObjects)) {
					if n++; n%500 == 0 {
						peak = max(peak, memory())
					}
					if !yield(body, err) {
						return
					}
				}
			})
			require.NoError(t, err)
			require.Equal(t, int64(*manyObjects-1), report.Clean, "%s", report)
			require.Equal(t, int64(1), report.Damaged, "%s", report)
			require.Less(t, peak, uint64(200<<20))
			t.Logf("%s of %d bytes, %d workers: %.0f objects a second, %d MiB at most", k.name, len(k.object), workers, report.PerSecond, peak>>20)
		}
		r, err := resource.Compile(k.definition)
		require.NoError(t, err)
		v, n, began := r.StorageVersion(), 0, time.Now()
		for body, err := range audit.Objects(list([]byte(strings.Replace(string(k.object), `"resourceVersion":"7",`, "", 1)), *manyObjects/10)) {
			if err == nil {
				require.NoError(t, v.CreateBody(context.Background(), body).Err())
				n++
			}
		}
		t.Logf("%s: a loop over CreateBody has %.0f objects a second", k.name, float64(n)/time.Since(began).Seconds())
	}
}

// In a truncated list, all objects before the end are read.
func TestCutList(t *testing.T) {
	for _, k := range kinds(t) {
		text, err := io.ReadAll(list(k.object, 100))
		require.NoError(t, err)
		size := len(k.object) - bytes.Count(k.object, []byte(manyName))*(len(manyName)-len("o00000000")) + len(",")
		begin := bytes.IndexByte(text, '[') + 1
		a, err := audit.New(k.definition, nil)
		require.NoError(t, err)
		for _, objects := range []int{0, 1, 40, 98} {
			for _, more := range []int{0, 1, size / 2, size - 2} {
				report, err := a.Run(t.Context(), audit.Objects(bytes.NewReader(text[:begin+objects*size+more])))
				require.NoError(t, err)
				clean := int64(objects)
				if objects > 50 {
					clean-- // the damaged one
				}
				require.Equal(t, clean, report.Clean, "%d objects and %d bytes: %s", objects, more, report)
				require.Equal(t, report.Objects, report.Clean+report.Damaged)
				require.Positive(t, report.Damaged)
			}
		}
	}
}

// BenchmarkCancel measures how long runs continue after their context has ended: the mean and the maximum, in
// milliseconds. The objects are small, or as large as a server accepts.
func BenchmarkCancel(b *testing.B) {
	items := strings.Repeat(`{"name":"a"},`, (3<<20-500)/len(`{"name":"a"},`))
	for name, spec := range map[string]string{
		"small": `{"mode":"slow"}`, "small and broken": `{"mode":"slow","size":10}`,
		"large": `{"mode":"slow","parts":[` + strings.TrimSuffix(items, ",") + `]}`, "large and broken": `{"mode":"slow","size":10,"parts":[` + strings.TrimSuffix(items, ",") + `]}`,
	} {
		b.Run(name, func(b *testing.B) {
			a, err := audit.New(given.Definition(b, widgets), nil)
			require.NoError(b, err)
			body := []byte(widget("a", spec))
			var longest, total time.Duration
			for i := range b.N {
				ctx, cancel := context.WithCancel(b.Context())
				var ended time.Time
				time.AfterFunc(50*time.Millisecond+time.Duration(i%10)*7*time.Millisecond, func() { ended = time.Now(); cancel() })
				_, err := a.Run(ctx, func(yield func([]byte, error) bool) {
					for yield(body, nil) {
					}
				})
				require.ErrorIs(b, err, context.Canceled)
				late := time.Since(ended)
				longest, total = max(longest, late), total+late
			}
			b.ReportMetric(longest.Seconds()*1000, "longest-ms")
			b.ReportMetric(total.Seconds()*1000/float64(b.N), "mean-ms")
		})
	}
}

// memory returns the size of the objects in the heap, including garbage.
func memory() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
