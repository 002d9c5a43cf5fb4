package guard

import (
	"sync"
	"time"
)

// A crowd is a bounded set of connections or requests. If one more enters a full crowd, an idle one has to leave: of
// those in the lowest stage, the one that has been idle for the longest time.
type crowd struct {
	most int

	mu      sync.Mutex
	members map[*member]bool
}

type member struct {
	of   *crowd
	kick func() // makes it leave; called at most once, without a lock

	// Guarded by of.mu.
	busy  int       // the number of its operations that must not be interrupted
	stage stage     // the highest that it has reached
	since time.Time // the time at which it entered or became idle
}

// A stage is how far a member has come. A client that only connects stays in the first one.
type stage int

const (
	silent stage = iota
	heard        // it has sent something
	begun        // it has sent the header of a request
	served       // it has been busy
)

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
		case first == nil, m.stage < first.stage, m.stage == first.stage && m.since.Before(first.since):
			first = m
		}
	}
	return first
}

// reach moves the member to a stage, if it has not come further.
func (m *member) reach(s stage) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.stage = max(m.stage, s)
}

// begin marks the member as busy until end. It returns false if the member had to leave.
func (m *member) begin() bool {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.busy++
	m.stage = served
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
