package guard

import (
	"sync"
	"time"
)

// A crowd is a bounded set of connections or requests. If one more enters a full crowd, an idle one has to leave: the
// oldest of those that were never busy, or else the one that has been idle for the longest time.
type crowd struct {
	most int

	mu      sync.Mutex
	members map[*member]bool
}

type member struct {
	of   *crowd
	kick func() // makes it leave; called at most once, without a lock

	// Guarded by of.mu.
	busy   int       // the number of its operations that must not be interrupted
	served bool      // it has been busy before
	since  time.Time // the time at which it became idle
}

// enter adds a member, or returns nil if the crowd is full of busy ones.
func (c *crowd) enter(kick func()) *member {
	m := &member{of: c, kick: kick, since: time.Now()}
	c.mu.Lock()
	var out *member
	if len(c.members) >= c.most {
		if out = c.idlest(); out == nil {
			c.mu.Unlock()
			return nil
		}
		delete(c.members, out)
	}
	if c.members == nil {
		c.members = map[*member]bool{}
	}
	c.members[m] = true
	c.mu.Unlock()
	if out != nil {
		out.kick()
	}
	return m
}

// idlest returns the member that has to leave first, or nil if all are busy. The crowd is locked.
func (c *crowd) idlest() (first *member) {
	for m := range c.members {
		switch {
		case m.busy > 0:
		case first == nil, first.served && !m.served, first.served == m.served && m.since.Before(first.since):
			first = m
		}
	}
	return first
}

// begin marks the member as busy until end. It returns false if the member had to leave.
func (m *member) begin() bool {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.busy++
	m.served = true
	return m.of.members[m]
}

func (m *member) end() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.busy--
	m.since = time.Now()
}

// leave removes the member, if it is still there.
func (m *member) leave() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	delete(m.of.members, m)
}
