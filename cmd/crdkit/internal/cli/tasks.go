package cli

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// parallel calls work with 0 to n-1, on several goroutines.
func parallel(n int, work func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	all.Wait()
}

// batchSize is how many tasks run before their findings are added to the report, which keeps a limited number of them.
const batchSize = 512

// runTasks runs tasks, several at a time, and adds their findings in the order of the tasks. If done is not nil, it
// gets each result in that order.
func (e *env) runTasks(tasks []func() *result, done func(*result)) {
	var finished atomic.Int64
	total := len(tasks)
	stop := e.reportProgress(func() string { return fmt.Sprintf("%d of %d documents", finished.Load(), total) })
	defer stop()
	results := make([]*result, batchSize)
	for len(tasks) > 0 {
		n := min(batchSize, len(tasks))
		parallel(n, func(i int) {
			results[i] = tasks[i]()
			results[i].d.release()
			finished.Add(1)
		})
		for _, r := range results[:n] {
			e.addFindings(r)
			if done != nil {
				done(r)
			}
		}
		tasks = tasks[n:]
	}
}

// reportProgress prints the result of state to standard error after a second and then every two seconds, until stop is
// called.
func (e *env) reportProgress(state func() string) (stop func()) {
	const first, every = time.Second, 2 * time.Second
	end := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(first)
		defer timer.Stop()
		for {
			select {
			case <-end:
				return
			case <-timer.C:
				e.stderr.Printf("crdkit: %s\n", state())
				timer.Reset(every)
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
