package audit_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
)

// paced returns batches of 64 objects with pauses between them.
func paced(batches int, pause time.Duration) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for range batches {
			for range 64 {
				if !yield([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns"},"spec":{"size":10}}`), nil) {
					return
				}
			}
			time.Sleep(pause)
		}
	}
}

// A report has the time of the run.
func TestSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := newAudit(t, widgets, &audit.Options{Workers: 1}).Run(t.Context(), paced(10, 100*time.Millisecond))
		require.NoError(t, err)
		require.Equal(t, int64(640), r.Broken)
		require.Equal(t, 1.0, r.Seconds)
		require.Equal(t, 640.0, r.PerSecond)
	})
}

// The options set the number of names in a finding; the default is three.
func TestExamples(t *testing.T) {
	for examples, want := range map[int]int{-1: 3, 0: 3, 1: 1, 2: 2} {
		r, err := newAudit(t, widgets, &audit.Options{Examples: examples}).Run(context.Background(), paced(1, 0))
		require.NoError(t, err)
		require.Len(t, r.Findings[0].Names, want)
	}
}

// A default that is missing in several items of a list is one finding.
func TestDefaultsInLists(t *testing.T) {
	list := strings.Replace(widgets, "old: {type: string}", "old: {type: string, default: x}", 1)
	o := newAudit(t, list, nil).Object(t.Context(), []byte(widget("a", `{"mode":"slow","parts":[{"name":"a"},{"name":"b","old":"y"},{"name":"c"}]}`)))
	require.Equal(t, []string{`default v1 spec.parts[*].old : default for "spec.parts[0].old"`}, found(o))
}
