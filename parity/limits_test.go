package parity

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/parity/internal/bench"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// What is promised of speed, as far as it can be counted: allocations, the heap, the size of programs.

// dear are the allocations of subjects whose validation has some: an email address, which net/mail reads; the set of the names of a list of
// two hundred.
var dear = map[string]float64{"pipeline": 5, "wide-dense": 206}

// A valid and complete object costs no allocation, and its rules hardly any.
func TestAllocations(t *testing.T) {
	ctx := context.Background()
	for _, s := range subjects(t) {
		t.Run(s.Name, func(t *testing.T) {
			allocations := func(f func()) float64 {
				for range 64 { // the automata of patterns grow with what they meet
					f()
				}
				return testing.AllocsPerRun(20, f)
			}
			require.LessOrEqual(t, allocations(func() { validate.Validate(s.Schema, s.Complete) }), dear[s.Name], "Validate")
			require.Zero(t, allocations(func() { prune.Prune(s.Schema, s.Complete) }), "Prune")
			require.Zero(t, allocations(func() { defaulting.Default(s.Schema, s.Complete) }), "Default")
			evaluations := evaluationsOf(s.Schema.Root, s.Complete)
			if evaluations == 0 {
				most := dear[s.Name]
				if len(s.Resource.Create(ctx, s.Complete).Warnings) > 0 {
					most += 6 // the text of a warning about a finalizer
				}
				require.LessOrEqual(t, allocations(func() { s.Resource.Create(ctx, s.Complete) }), most, "Create")
				return
			}
			most := float64(evaluations) / 5
			switch s.Name {
			case "fleet": // each second rule makes a quantity, a URL, a network or a version of a string
				most = float64(evaluations)
			case "pipeline": // a filter and a map make lists
				most = float64(evaluations) / 2
			}
			rules := allocations(func() { cel.EvaluateRules(ctx, s.Rules, s.Complete, nil, nil) })
			t.Logf("%d evaluations: %v allocations", evaluations, rules)
			require.LessOrEqual(t, rules, most, "EvaluateRules")
		})
	}
}

// evaluationsOf returns how many rules the creation of an object evaluates: all but those about an old value.
func evaluationsOf(n *schema.Node, v any) int {
	if n == nil || n.Below&schema.HasRules == 0 || v == nil {
		return 0
	}
	count := 0
	for _, r := range n.Rules {
		if !strings.Contains(r.Rule, "oldSelf") {
			count++
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for k, c := range v {
			child, _ := n.Child(k)
			count += evaluationsOf(child, c)
		}
	case []any:
		for _, c := range v {
			count += evaluationsOf(n.Items, c)
		}
	}
	return count
}

// What a compiled version keeps: at most half of what the reference keeps of a definition of more than 30 KB, and a quarter of it in
// geometric mean.
func TestRetainedHeap(t *testing.T) {
	var ratios []float64
	for _, s := range subjects(t) {
		if len(s.Definition) < 30_000 {
			continue
		}
		ours, theirs := retained(t, s.CompileOurs), retained(t, s.CompileReference)
		t.Logf("%-20s %6d KB of JSON: crdkit %6d KB, reference %6d KB: %.1f times less", s.Name, len(s.Definition)>>10, ours>>10, theirs>>10, float64(theirs)/float64(ours))
		assert.LessOrEqual(t, 2*ours, theirs, s.Name)
		ratios = append(ratios, float64(theirs)/float64(ours))
	}
	require.NotEmpty(t, ratios)
	if len(ratios) > 2 { // definitions that people wrote; a thousand fields without a description are no measure
		require.GreaterOrEqual(t, bench.Mean(ratios), 4.0)
	}
}

// retained returns how many bytes of the heap are kept by what compile returns, beyond what it fills once for the process.
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
