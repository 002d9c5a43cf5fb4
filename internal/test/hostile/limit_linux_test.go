package hostile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// limited says that this system can limit a process.
const limited = true

// limit makes the system end this process beyond the limits.
func limit() error {
	seconds := uint64(math.Ceil(scaled(cpuLimit).Seconds()))
	return errors.Join(limitMemory(), setLimit(syscall.RLIMIT_CPU, seconds, seconds))
}

// limitMemory makes the system refuse more memory. RLIMIT_DATA is what the process has mapped for writing, so address
// space that the Go runtime only reserves does not count.
func limitMemory() error {
	return setLimit(syscall.RLIMIT_DATA, memoryLimit+mapped, memoryLimit+mapped)
}

func setLimit(resource int, soft, hard uint64) error {
	if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: soft, Max: hard}); err != nil {
		return fmt.Errorf("limit: %w", err)
	}
	return nil
}

// endBeyond ends this process when it exceeds a limit of limitNext, and says what it was doing.
func endBeyond() {
	beyond := make(chan os.Signal, 1)
	signal.Notify(beyond, syscall.SIGXCPU)
	go func() {
		<-beyond
		stacks := make([]byte, 16<<10)
		_, stack, _ := strings.Cut(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") // the first is this one
		fmt.Fprintf(os.Stderr, "too much CPU time: %s\n", stack)
		os.Exit(3)
	}()
}

// limitNext gives this process cpuLimit from now on, and begins to measure its memory.
func limitNext() error {
	seconds := uint64(math.Ceil((cpuTime() + scaled(cpuLimit)).Seconds()))
	if err := setLimit(syscall.RLIMIT_CPU, seconds, math.MaxUint64); err != nil {
		return err
	}
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets VmHWM
}

// peakOfNow returns the most memory that this process has had since limitNext, in bytes.
func peakOfNow() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var kilobytes int64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10
}

// mapped is what the runtime maps beyond what it uses: the rest of an arena, stacks of threads.
const mapped = 128 << 20

// coolCaches fills the processor's caches with other memory. Otherwise an input that fits into them would take less
// time for each byte than a large one, and growth would measure that.
func coolCaches() {
	other, err := syscall.Mmap(-1, 0, 64<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return // the input has taken all memory, and so the caches too
	}
	for i := 0; i < len(other); i += 64 {
		other[i]++
	}
	_ = syscall.Munmap(other)
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the most memory that an ended process had, in bytes.
func peak(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(u.Maxrss) << 10
}

// become limits this process, and replaces it by a program with arguments.
func become(command []string) int {
	err := limitAsTold()
	if err == nil {
		err = syscall.Exec(command[0], command, os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	return 3
}
