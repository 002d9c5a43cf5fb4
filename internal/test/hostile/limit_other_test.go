//go:build !linux

package hostile

import (
	"os"
	"time"
)

const limited = false

func limit() error { return nil }

func limitMemory() error { return nil }

func endBeyond() {}

func limitNext() error { return nil }

func peakOfNow() int64 { return 0 }

func coolCaches() {}

func cpuTime() time.Duration { return time.Duration(time.Now().UnixNano()) }

func peak(*os.ProcessState) int64 { return 0 }

func become([]string) int { return 3 }
