package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var full = flag.Bool("hostile", false, "run each row at its full size, in a process of its own with limits")

// The limits of a process, and how fast the time of a linear row may grow, to which other work on the machine may add
// noise; the time of a quadratic row grows with 2. The limits of time, and the noise, are for a usual machine: see
// slowness.
const (
	memoryLimit = 512 << 20
	cpuLimit    = 5 * time.Second
	maxExponent = 1.3
	noise       = 0.1
)

// slowness is how long this machine takes for the same work as a usual one, in percent, up to maxSlowness. Some virtual
// machines take ten times as long for a page of new memory.
var slowness atomic.Int64

const maxSlowness = 400

// slower returns slowness as a factor, at least 1.
func slower() float64 { return float64(max(slowness.Load(), 100)) / 100 }

// scaled returns a limit of time for this machine.
func scaled(limit time.Duration) time.Duration { return time.Duration(slower() * float64(limit)) }

// usualWork is what slowness is measured with: reading many small maps into new memory, by the standard library.
var usualWork = row{name: "usual work", n: 1 << 20, linear: true, setup: func(n int) func() string {
	text := []byte("[" + strings.Repeat("{},", n) + "{}]")
	return func() string {
		var v any
		return fmt.Sprint("errors: ", json.Unmarshal(text, &v))
	}
}}

// usualTime is what usualWork takes on a usual machine.
const usualTime = 175 * time.Millisecond

// measureSlowness raises slowness to what the least of three runs of usualWork says.
func measureSlowness(t *testing.T) {
	t.Helper()
	least := time.Duration(math.MaxInt64)
	for range 3 {
		got, err := inProcess(usualWork, usualWork.n)
		require.NoError(t, err)
		least = min(least, got.CPU)
	}
	slowness.Store(min(max(int64(100*least/usualTime), slowness.Load()), maxSlowness))
	t.Logf("%s takes %v, so the limits of time are multiplied by %d %%", usualWork.name, least, slowness.Load())
}

// shrink is by how much rows are smaller in a plain go test.
const shrink = 64

// The environment variables that make the test binary run one row: its name, a bar, and the size; and the slowness of
// this machine.
const (
	rowVariable      = "CRDKIT_HOSTILE_ROW"
	matrixVariable   = "CRDKIT_HOSTILE_MATRIX"  // a definition of the matrix, a bar, and the size; the arguments are operations
	programVariable  = "CRDKIT_HOSTILE_PROGRAM" // the arguments are a program and its arguments
	slownessVariable = "CRDKIT_HOSTILE_SLOWNESS"
)

func TestMain(m *testing.M) {
	if _, ok := os.LookupEnv(programVariable); ok {
		os.Exit(become(os.Args[1:]))
	}
	if which, ok := os.LookupEnv(matrixVariable); ok {
		os.Exit(matrixChild(which, os.Args[1:]))
	}
	if which, ok := os.LookupEnv(rowVariable); ok {
		os.Exit(child(which))
	}
	flag.Parse()
	os.Exit(m.Run())
}

// A measured is what the process of a row prints.
type measured struct {
	Answer string        `json:"answer"`
	CPU    time.Duration `json:"cpu"`  // of the call
	Peak   int64         `json:"peak"` // the most memory that the process had, in bytes
}

func TestRowsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.name], "%s: another row has this name", r.name)
		seen[r.name] = true
		require.Positive(t, r.n, r.name)
		require.NotEmpty(t, r.want, r.name)
	}
}

func TestRows(t *testing.T) {
	if raced {
		t.Skip("the race detector makes the rows slower, and they are not about races")
	}
	if !*full {
		for _, r := range rows {
			t.Run(r.name, func(t *testing.T) {
				require.NotEmpty(t, r.setup(max(1, r.n/shrink))(), "no answer")
			})
		}
		return
	}
	if !limited {
		t.Skip("processes cannot be limited on this system")
	}
	measureSlowness(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if !r.linear && !r.timed {
				t.Parallel() // it need not be exact
			}
			got, err := inProcess(r, r.n)
			for tries := 1; tries < 3 && (err != nil || !strings.Contains(got.Answer, r.want)); tries++ {
				t.Logf("again, since the machine may have been busy: %v %.200s", err, got.Answer)
				measureSlowness(t)
				got, err = inProcess(r, r.n)
			}
			require.NoError(t, err)
			t.Logf("%v of CPU, %d MiB: %.200s", got.CPU.Round(time.Millisecond), got.Peak>>20, got.Answer)
			require.Contains(t, got.Answer, r.want)
			require.LessOrEqual(t, got.Peak, int64(memoryLimit), "bytes of memory")
			if r.linear {
				e, times := growth(t, r, got.CPU)
				t.Logf("growth %.2f", e)
				require.Less(t, e, maxExponent+noise*slower(), "the time grows with this power of the size; at a sixteenth, a quarter and the whole: %v", times)
			}
		})
	}
}

// floor is the time below which growth is not measured: the collector and the clock take as much.
const floor = 40 * time.Millisecond

// growth returns the exponent with which the time of a row grows up to its whole size, from a sixteenth or from a
// quarter, whichever is less: a sixteenth may be too small for the collector to run. whole is the time that was
// measured for the whole; if it is too little to tell, the exponent is zero. A row that fails is tried again, and the
// least time of each size counts: other work on the machine makes single times longer.
func growth(t *testing.T, r row, whole time.Duration) (exponent float64, times [3]time.Duration) {
	t.Helper()
	times = [3]time.Duration{math.MaxInt64, math.MaxInt64, whole}
	for try := 0; try < 12 && times[2] >= floor; try++ {
		for i, part := range []int{16, 4, 1} {
			if try == 0 && part == 1 {
				continue // it was measured
			}
			got, err := inProcess(r, max(1, r.n/part))
			require.NoError(t, err)
			times[i] = min(times[i], got.CPU)
		}
		exponent = min(power(times[0], times[2], 16), power(times[1], times[2], 4))
		if exponent < maxExponent {
			return exponent, times
		}
	}
	if times[2] < floor {
		return 0, times
	}
	return exponent, times
}

// power returns the exponent with which a time grows to another one for an input of so many times the size.
func power(from, to time.Duration, size float64) float64 {
	least := float64(floor) / 16
	return math.Log(float64(to)/max(float64(from), least)) / math.Log(size)
}

// cancelLimit is how long a rule may go on after its context has ended.
const cancelLimit = 100 * time.Millisecond

// cancelled calls a function whose context ends after 20 milliseconds. The answer begins with "in time" if the call
// ends at most so long after its context does, on a usual machine, and with "done before" if it ends first. The time is
// that on the clock or of the CPU, whichever is less: other processes take time on the clock, and other threads of
// this one take time of the CPU.
func cancelled(within time.Duration, call func(ctx context.Context) string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	ended := make(chan [2]time.Duration, 1)
	start := time.Now()
	stop := context.AfterFunc(ctx, func() { ended <- [2]time.Duration{time.Since(start), cpuTime()} })
	text := call(ctx)
	wall, cpu := time.Since(start), cpuTime()
	if stop() {
		return "done before: " + text
	}
	at := <-ended
	if took := min(wall-at[0], cpu-at[1]); took > scaled(within) {
		return fmt.Sprintf("%v late: %s", took, text)
	}
	return "in time: " + text
}

// inProcess runs a row at a size in a process of its own. A linear row has one processor: with another one, the
// collector also takes CPU time while it waits, more for large inputs and from run to run by a factor of two.
func inProcess(r row, n int) (m measured, err error) {
	ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
	defer stop()
	processors := 2
	if r.linear {
		processors = 1
	}
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", rowVariable, r.name, n), fmt.Sprintf("%s=%d", slownessVariable, slowness.Load()),
		fmt.Sprintf("GOMAXPROCS=%d", processors))
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(problems.String(), "\n\n")
		return m, fmt.Errorf("size %d: %w: %.500s", n, err, first)
	}
	if err := json.Unmarshal(out.Bytes(), &m); err != nil {
		return m, fmt.Errorf("size %d: %w: %.500s", n, err, out.String())
	}
	m.Peak = peak(cmd.ProcessState)
	return m, nil
}

// limitAsTold limits this process, by the slowness that its parent has measured.
func limitAsTold() error { return errors.Join(readSlowness(), limit()) }

// readSlowness reads the slowness that the parent has measured.
func readSlowness() error {
	percent, err := strconv.ParseInt(os.Getenv(slownessVariable), 10, 64)
	if err != nil {
		return err
	}
	slowness.Store(percent)
	return nil
}

// child runs one row and prints what was measured.
func child(which string) int {
	name, size, _ := strings.Cut(which, "|")
	var n int
	if _, err := fmt.Sscan(size, &n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := limitAsTold(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for _, r := range slices.Concat(rows, []row{usualWork}) {
		if r.name != name {
			continue
		}
		call := r.setup(n)
		if r.linear {
			coolCaches()
		}
		before := cpuTime()
		m := measured{Answer: call()}
		m.CPU = cpuTime() - before
		m.Answer = m.Answer[:min(len(m.Answer), 1<<12)]
		if err := json.NewEncoder(os.Stdout).Encode(m); err != nil {
			return 2
		}
		return 0
	}
	fmt.Fprintln(os.Stderr, "no such row: "+name)
	return 2
}
