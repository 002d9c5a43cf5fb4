package parity

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"testing"

	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"
	k8sversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/validate"
	"github.com/crdkit/crdkit/version"
)

// Each benchmark has a pair of subbenchmarks for each subject: crdkit and reference. TestSubjects shows that they come to the same.
//
// The reference modifies its argument. Where there is something to change, it gets a copy each time, since that is what a caller who
// needs the object again has to pay; where there is nothing, it works on the object itself.

// both measures one operation on all subjects.
func both(b *testing.B, ours, theirs func(s *subject) func()) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) { sides(b, ours(s), theirs(s)) })
	}
}

func sides(b *testing.B, ours, theirs func()) {
	for _, side := range []struct {
		name string
		f    func()
	}{{"crdkit", ours}, {"reference", theirs}} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				side.f()
			}
		})
	}
}

// validateReference is what validate.Validate stands for.
func (s *subject) validateReference(obj map[string]any) k8sfield.ErrorList {
	errs := s.theirs.Schema.Value(nil, obj)
	errs = append(errs, s.theirs.Schema.Embedded(nil, obj)...)
	return append(errs, s.theirs.Schema.Lists(nil, obj)...)
}

func BenchmarkValidate(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { validate.Validate(s.schema, s.complete) }
	}, func(s *subject) func() {
		return func() { s.validateReference(s.complete) }
	})
}

func BenchmarkValidateInvalid(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { validate.Validate(s.schema, s.invalid) }
	}, func(s *subject) func() {
		return func() { s.validateReference(s.invalid) }
	})
}

func BenchmarkPruneNothing(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { prune.Prune(s.schema, s.complete) }
	}, func(s *subject) func() {
		return func() { s.theirs.Schema.PruneInPlace(s.complete) }
	})
}

func BenchmarkPruneUnknown(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { prune.Prune(s.schema, s.unknown) }
	}, func(s *subject) func() {
		return func() { s.theirs.Schema.PruneInPlace(reference.Copy(s.unknown)) }
	})
}

func BenchmarkDefaultNothing(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { defaulting.Default(s.schema, s.complete) }
	}, func(s *subject) func() {
		return func() { s.theirs.Schema.DefaultInPlace(s.complete) }
	})
}

func BenchmarkDefaultFill(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { defaulting.Default(s.schema, s.partial) }
	}, func(s *subject) func() {
		return func() { s.theirs.Schema.DefaultInPlace(reference.Copy(s.partial)) }
	})
}

// A complete object, which leaves nothing to change: the reference works on the object itself, and does not read it back from storage.
func BenchmarkCreate(b *testing.B) {
	both(b, func(s *subject) func() {
		return func() { s.ours.Create(context.Background(), s.complete) }
	}, func(s *subject) func() {
		obj, _ := reference.Copy(s.complete).(map[string]any)
		return func() { s.theirs.Receive(context.Background(), namespaceOf(obj), obj) }
	})
}

// From the document to a schema that is ready for requests.
func BenchmarkCompile(b *testing.B) {
	definitions := reference.NewDefinitions()
	both(b, func(s *subject) func() {
		return func() {
			if _, err := parseOurs(s.document); err != nil {
				b.Fatal(err)
			}
		}
	}, func(s *subject) func() {
		return func() {
			if _, err := parseReference(definitions, s.document); err != nil {
				b.Fatal(err)
			}
		}
	})
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
