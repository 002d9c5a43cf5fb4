package cli

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls work with 0 to n-1, several at a time.
func parallel(n int, work func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	all.Wait()
}
