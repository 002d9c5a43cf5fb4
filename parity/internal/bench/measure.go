package bench

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// A Figure is what one call of a side costs.
type Figure struct {
	Nanoseconds float64 // the least of all rounds
	Allocations float64
}

// Measure times functions in interleaved rounds, so that other load on the machine affects all of them. In a round,
// each function runs for at least the duration each, and starts with a clean heap, so that it does not pay for the
// garbage of the one before.
func Measure(rounds int, each time.Duration, fs ...func()) []Figure {
	figures := make([]Figure, len(fs))
	for i, f := range fs {
		// Another goroutine may allocate during one of the runs.
		allocations := min(testing.AllocsPerRun(3, f), testing.AllocsPerRun(3, f))
		figures[i] = Figure{math.Inf(1), allocations}
	}
	for range rounds {
		for i, f := range fs {
			figures[i].Nanoseconds = min(figures[i].Nanoseconds, once(f, each))
		}
	}
	return figures
}

func once(f func(), each time.Duration) float64 {
	runtime.GC()
	for n := 1; ; n *= 2 {
		start := time.Now()
		for range n {
			f()
		}
		if d := time.Since(start); d >= each {
			return float64(d.Nanoseconds()) / float64(n)
		}
	}
}

// Mean is the geometric mean.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
