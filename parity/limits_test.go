package parity

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/parity/internal/bench"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/validate"
)

// What is promised of speed, as far as it can be counted: allocations, the heap, the size of programs.

// allocations are how many allocations the operations on an object have at the most, when they have been used before.
type allocations struct {
	validate, rules float64
	create          float64 // beyond those of both
}

// permitted has the subjects that may allocate.
var permitted = map[string]allocations{
	// Rules about a network, a version, a timestamp and URLs, all of which are read from strings.
	"fleet": {rules: 10},
	// Rules about URLs, and one that tries whether a host name is an IP address. Creation takes the status away, from a
	// copy of the object.
	"pipeline": {rules: 8, create: 2},
	// Creation gives the object a copy of the default of its status, and what is stored has none: two objects.
	"gateway": {create: 12},
	// A warning about a finalizer without a domain: its text and the list.
	"application": {create: 2},
}

// A valid and complete object costs no allocation but those.
func TestAllocations(t *testing.T) {
	ctx := context.Background()
	for _, s := range subjects(t) {
		t.Run(s.Name, func(t *testing.T) {
			count := func(f func()) float64 {
				for range 64 { // the automata of patterns grow with what they meet
					f()
				}
				return testing.AllocsPerRun(20, f)
			}
			most := permitted[s.Name]
			assert.Zero(t, count(func() { prune.Prune(s.Schema, s.Complete) }), "Prune")
			assert.Zero(t, count(func() { defaulting.Default(s.Schema, s.Complete) }), "Default")
			assert.LessOrEqual(t, count(func() { validate.Validate(s.Schema, s.Complete) }), most.validate, "Validate")
			assert.LessOrEqual(t, count(func() { s.Rules.Evaluate(ctx, s.Complete, nil, nil) }), most.rules, "EvaluateRules")
			assert.LessOrEqual(t, count(func() { s.Resource.Create(ctx, s.Complete) }), most.validate+most.rules+most.create, "Create")
		})
	}
}

// What a compiled version keeps: at most a quarter of what the reference keeps of a definition of more than 30 KB, and
// a seventh of it in geometric mean.
func TestRetainedHeap(t *testing.T) {
	var ratios []float64
	for _, s := range subjects(t) {
		if len(s.Definition) < 30_000 {
			continue
		}
		ours, theirs := retained(t, s.CompileOurs), retained(t, s.CompileReference)
		t.Logf("%-20s %6d KB of JSON: crdkit %6d KB, reference %6d KB: %.1f times less", s.Name, len(s.Definition)>>10, ours>>10, theirs>>10, float64(theirs)/float64(ours))
		assert.LessOrEqual(t, 4*ours, theirs, s.Name)
		ratios = append(ratios, float64(theirs)/float64(ours))
	}
	require.NotEmpty(t, ratios)
	if len(ratios) > 2 { // definitions that people wrote; a thousand fields without a description are no measure
		require.GreaterOrEqual(t, bench.Mean(ratios), 7.0)
	}
}

// retained returns how many bytes of the heap are kept by what compile returns, beyond what it fills once for the
// process.
func retained(t *testing.T, compile func() (any, error)) int64 {
	_, err := compile()
	require.NoError(t, err)
	const copies = 4
	kept := make([]any, copies)
	before := heap()
	for i := range kept {
		kept[i], err = compile()
		require.NoError(t, err)
	}
	after := heap()
	runtime.KeepAlive(kept)
	return (after - before) / copies
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What importing costs: stripped programs of at most 4 MB without rules, and 13 MB with them.
func TestProgramSizes(t *testing.T) {
	for name, most := range map[string]int64{"schema": 4_000_000, "resource": 13_000_000} {
		file := filepath.Join(t.TempDir(), name)
		out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./internal/linked/"+name).CombinedOutput()
		require.NoError(t, err, string(out))
		info, err := os.Stat(file)
		require.NoError(t, err)
		t.Logf("%s: %.1f MB", name, float64(info.Size())/1e6)
		require.LessOrEqual(t, info.Size(), most, name)
	}
}
