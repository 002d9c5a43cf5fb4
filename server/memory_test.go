package server

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// watches starts watches of all kites, and returns when each has had its first n events. They end with ctx.
func watches(ctx context.Context, t testing.TB, c *http.Client, count, n int) *sync.WaitGroup {
	t.Helper()
	var readers, initial sync.WaitGroup
	var events atomic.Int64
	for range count {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://server"+allKites+"?watch=true", nil)
		require.NoError(t, err)
		answer, err := c.Do(r)
		require.NoError(t, err)
		initial.Add(1)
		readers.Go(func() {
			defer answer.Body.Close()
			lines := bufio.NewReader(answer.Body)
			for seen := 0; ; {
				part, more, err := lines.ReadLine()
				if err != nil {
					return
				}
				if len(part) > 0 && !more {
					events.Add(1)
					if seen++; seen == n {
						initial.Done()
					}
				}
			}
		})
	}
	initial.Wait()
	require.EqualValues(t, count*n, events.Load())
	return &readers
}

// Many watches of many objects share the JSON of events.
func TestMemoryOfWatches(t *testing.T) {
	const count, objects, size = 100, 100, 20_000
	_, c := start(t, Options{})
	for i := range objects {
		send(t, c, "POST", kites, kite(fmt.Sprint("k", i), strings.Repeat("x", size))).Body.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	readers := watches(ctx, t, c, count, objects)
	grown := (heap() - before) >> 10
	t.Logf("%d watches of %d objects of %d bytes hold %d KiB", count, objects, size, grown)
	require.Less(t, grown, int64(32<<10), "KiB")
	cancel()
	readers.Wait()
}

// BenchmarkWatches measures an event that is sent to a thousand watches of a thousand objects.
func BenchmarkWatches(b *testing.B) {
	s, err := New(b.Context(), Options{})
	require.NoError(b, err)
	defer s.Close()
	c := &http.Client{Transport: s.RoundTripper()}
	post := func(path, body string) {
		r, err := http.NewRequest("POST", "http://server"+path, strings.NewReader(body))
		require.NoError(b, err)
		answer, err := c.Do(r)
		require.NoError(b, err)
		require.Equal(b, http.StatusCreated, answer.StatusCode)
	}
	post(definitions, kiteDefinition)
	for i := range 1000 {
		post(kites, kite(fmt.Sprint("k", i), "red"))
	}
	ctx, cancel := context.WithCancel(b.Context())
	readers := watches(ctx, b, c, 1000, 1000)
	for i := 0; b.Loop(); i++ {
		post(kites, kite(fmt.Sprint("n", i), "red"))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
	cancel()
	readers.Wait()
}
