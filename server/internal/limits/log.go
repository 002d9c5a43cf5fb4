package limits

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// linesPerSecond limits the lines of a log, so that a client that aborts thousands of handshakes does not fill a disk.
const linesPerSecond = 10

// NewLog returns a writer that drops lines beyond 10 a second, and writes how many it dropped. Each Write is a line.
func NewLog(to io.Writer) io.Writer { return &sparse{to: to} }

type sparse struct {
	to io.Writer

	mu      sync.Mutex
	second  time.Time // the current one
	written int       // in it
	dropped int       // since the last line
}

// Write writes one line of a log.
func (s *sparse) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now().Truncate(time.Second); now != s.second {
		s.second, s.written = now, 0
	}
	if s.written == linesPerSecond {
		s.dropped++
		return len(line), nil
	}
	s.written++
	if s.dropped > 0 {
		fmt.Fprintf(s.to, "%d lines left out\n", s.dropped)
		s.dropped = 0
	}
	return s.to.Write(line)
}
