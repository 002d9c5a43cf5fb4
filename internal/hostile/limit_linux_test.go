package hostile

import (
	"fmt"
	"math"
	"os"
	"syscall"
	"time"
)

// limited says that this system can limit a process.
const limited = true

// limit makes the system end this process beyond the limits. RLIMIT_DATA is what the process has mapped for writing, so
// address space that the Go runtime only reserves does not count.
func limit() error {
	seconds := uint64(math.Ceil(scaled(cpuLimit).Seconds()))
	for resource, most := range map[int]uint64{syscall.RLIMIT_DATA: memoryLimit + mapped, syscall.RLIMIT_CPU: seconds} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit: %w", err)
		}
	}
	return nil
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
