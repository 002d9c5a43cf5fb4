package given

import (
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

// Concurrently calls f n times in each of eight goroutines, and returns when all have ended.
func Concurrently(n int, f func()) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range n {
				f()
			}
		})
	}
	group.Wait()
}

// RequireNoAllocs fails for each of the calls that allocates.
func RequireNoAllocs(t *testing.T, calls map[string]func()) {
	t.Helper()
	for name, call := range calls {
		for range 3 {
			call() // A pattern builds its automaton during the first few strings.
		}
		require.Zero(t, testing.AllocsPerRun(50, call), name)
	}
}

// Bench is a sub-benchmark of calls of f, and of what they allocate.
func Bench(b *testing.B, name string, f func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
	})
}

// Same reports whether a and b are one map or list, and not just equal.
func Same(a, b any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// Texts returns what the errors say, or nil if there are none.
func Texts(errs field.List) (texts []string) {
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return texts
}

// Typed returns the type of each error and what it says, or nil if there are none.
func Typed(errs field.List) (texts []string) {
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Error())
	}
	return texts
}
