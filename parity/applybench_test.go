package parity

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/internal/bench"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// BenchmarkApply is named operation/subject/side. An operator applies its object again, as it is or with a change, and
// an update of the same object is tracked. The sides of an apply do what a server does from the body on: they decode
// it, merge it, fill in defaults, and check what becomes of it.
func BenchmarkApply(b *testing.B) {
	for _, s := range subjects(b) {
		a := newApplied(b, s)
		for _, row := range []struct {
			name, side string
			call       func(b *testing.B)
		}{
			{"apply", "ours", func(b *testing.B) { a.apply(b, a.body) }},
			{"apply", "reference", func(b *testing.B) { a.applyReference(b, a.body) }},
			{"change", "ours", func(b *testing.B) { a.apply(b, a.changed) }},
			{"change", "reference", func(b *testing.B) { a.applyReference(b, a.changed) }},
			{"update", "tracked", func(b *testing.B) { a.update(b) }},
			{"update", "plain", func(b *testing.B) { a.updatePlain(b) }},
			{"update", "reference", func(*testing.B) { a.updateReference() }},
		} {
			b.Run(row.name+"/"+s.Name+"/"+row.side, func(b *testing.B) {
				for b.Loop() {
					row.call(b)
				}
			})
		}
	}
}

// BenchmarkApplyRatios reports of each subject how many times as long as ours the reference takes for an apply of what
// is there and for one that changes something, and how many times as long as a plain update a tracked one takes that
// changes nothing. The sides take turns in one process, and the least time of each counts.
func BenchmarkApplyRatios(b *testing.B) {
	for _, s := range subjects(b) {
		a := newApplied(b, s)
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				f := bench.Measure(100, time.Millisecond,
					func() { a.apply(b, a.body) }, func() { a.applyReference(b, a.body) },
					func() { a.apply(b, a.changed) }, func() { a.applyReference(b, a.changed) },
					func() { a.update(b) }, func() { a.updatePlain(b) },
				)
				for i, name := range []string{"apply", "change"} {
					b.ReportMetric(f[2*i+1].Nanoseconds/f[2*i].Nanoseconds, name+"-times")
					b.ReportMetric(f[2*i].Allocations, name+"-allocs")
				}
				b.ReportMetric(f[4].Nanoseconds/f[5].Nanoseconds, "update/plain")
				b.ReportMetric(f[4].Allocations, "update-allocs")
			}
		})
	}
}

// TestApplySubjects: both sides of the benchmark come to the same objects.
func TestApplySubjects(t *testing.T) {
	for _, s := range subjects(t) {
		a := newApplied(t, s)
		for _, body := range [][]byte{a.body, a.changed} {
			require.Equal(t, bare(a.applyReference(t, body), false), bare(a.apply(t, body), false), s.Name)
		}
	}
}

// Applied is a subject that an operator has applied, and a kubelet of sorts has updated.
type applied struct {
	s             *bench.Subject
	v             *apply.Version
	plain         *resource.Version
	managers      *reference.Managers
	live, same    map[string]any
	body, changed []byte
}

func newApplied(tb testing.TB, s *bench.Subject) *applied {
	tb.Helper()
	d := given.Definition(tb, s.Definition)
	r, err := resource.Compile(d)
	require.NoError(tb, err)
	tracked, err := apply.Compile(r)
	require.NoError(tb, err)
	version, _ := s.Complete["apiVersion"].(string)
	for _, v := range r.Versions() {
		if d.Spec.Group+"/"+v.Name() == version {
			version = v.Name()
		}
	}
	meta, _ := s.Complete["metadata"].(map[string]any)
	namespace, _ := meta["namespace"].(string)
	options := resource.RequestOptions{Namespace: namespace}
	a := &applied{s: s, v: tracked.Version(version).With(options), plain: r.Version(version).With(options)}
	require.NotNil(tb, a.v, s.Name)
	managers, err := reference.NewManagers(s.Stored)
	require.NoError(tb, err)
	a.managers = managers[version]

	sent := unstructured.Clone(s.Partial)
	delete(sent, "status")
	a.body = encoded(tb, sent)
	made := a.v.Apply(context.Background(), a.body, nil, apply.Options{Manager: "operator", Now: day(1)})
	require.NoError(tb, made.Err(), s.Name)
	a.live = unstructured.Clone(made.Object)
	a.live["metadata"].(map[string]any)["uid"] = "u"
	a.live["metadata"].(map[string]any)["resourceVersion"] = "1"
	labelled := a.v.Patch(context.Background(), "application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"}}}`), a.live,
		apply.Options{Manager: "kubelet", Now: day(2)})
	require.NoError(tb, labelled.Err(), s.Name)
	a.live = unstructured.Clone(labelled.Object)
	a.same = unstructured.Clone(a.live)
	sent["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	a.changed = encoded(tb, sent)
	return a
}

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

func encoded(tb testing.TB, obj map[string]any) []byte {
	tb.Helper()
	return given.JSON(tb, obj)
}

func (a *applied) apply(tb testing.TB, body []byte) map[string]any {
	r := a.v.Apply(context.Background(), body, a.live, apply.Options{Manager: "operator", Now: day(3)})
	if err := r.Err(); err != nil {
		tb.Fatal(err)
	}
	return r.Object
}

func (a *applied) applyReference(tb testing.TB, body []byte) map[string]any {
	obj, err := reference.DecodePatch(body)
	if err != nil {
		tb.Fatal(err)
	}
	live := reference.Copy(a.live).(map[string]any) // it is read from the store each time
	out, err := a.managers.ApplyQuickly(obj, live, "operator")
	if err != nil {
		tb.Fatal(err)
	}
	if errs := a.s.Reference.Admit(context.Background(), out, live); len(errs) > 0 {
		tb.Fatal(errs)
	}
	return out
}

func (a *applied) update(tb testing.TB) {
	if r := a.v.Update(context.Background(), a.same, a.live, apply.Options{Manager: "operator", Now: day(3)}); r.Err() != nil {
		tb.Fatal(r.Err())
	}
}

func (a *applied) updatePlain(tb testing.TB) {
	if r := a.plain.Update(context.Background(), a.same, a.live); r.Err() != nil {
		tb.Fatal(r.Err())
	}
}

func (a *applied) updateReference() {
	a.managers.UpdateQuickly(reference.Copy(a.same).(map[string]any), reference.Copy(a.live).(map[string]any), "operator")
}
