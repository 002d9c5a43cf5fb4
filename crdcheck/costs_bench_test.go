package crdcheck

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

func BenchmarkCosts(b *testing.B) {
	d := withSpec(b, `{type: array, items: {type: object, properties: {name: {type: string}, hosts: {type: array, items: {type: string}}}},
x-kubernetes-validations: [{rule: "self.all(x, self.exists_one(y, y.name == x.name && y.hosts.all(h, h.startsWith(x.name))))"}]}`)
	require.NotEmpty(b, Costs(d).Schemas[0].Rules[0].Fixes)
	for operation, run := range map[string]func(){"Costs": func() { Costs(d) }, "Validate": func() { Validate(d) }} {
		given.Bench(b, operation, run)
	}
}

// BenchmarkRecordedCosts builds the reports of all definitions in the directory of recorded answers that
// CRDKIT_CONFORMANCE names. It reports the longest time for one of them, as the minimum of all rounds.
func BenchmarkRecordedCosts(b *testing.B) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		b.Skip("CRDKIT_CONFORMANCE names no directory")
	}
	var all []*crd.CustomResourceDefinition
	for _, name := range []string{"versions/definitions.jsonl", "crds/projects.jsonl", "crds/small.jsonl"} {
		for row := range given.Rows[struct{ CRD json.RawMessage }](b, filepath.Join(dir, name)) {
			if d, err := crd.Parse(row.CRD); err == nil {
				all = append(all, d)
			}
		}
	}
	require.NotEmpty(b, all)
	least := make([]time.Duration, len(all))
	for b.Loop() {
		for i, d := range all {
			start := time.Now()
			Costs(d)
			if took := time.Since(start); least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	slowest := 0
	for i := range least {
		if least[i] > least[slowest] {
			slowest = i
		}
	}
	b.ReportMetric(float64(least[slowest].Microseconds())/1000, "ms/slowest")
	b.Logf("%d definitions, of which the slowest is %s", len(all), all[slowest].Name())
}
