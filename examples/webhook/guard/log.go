package guard

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// linesPerSecond is how many lines a log may have: a client that breaks off thousands of handshakes must not fill a disk.
const linesPerSecond = 10

// A sparse writer leaves out what is written more often than that, and says how much it was.
type sparse struct {
	to io.Writer

	mu      sync.Mutex
	second  time.Time // that is under way
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
