package limits

import (
	"sync"
	"time"
)

// A Crowd is a bounded set of connections or requests. If one more enters a full crowd, an idle one has to leave: of
// those in the lowest stage, the one that has been idle for the longest time.
type Crowd struct {
	most int

	mu      sync.Mutex
	members map[*Member]bool
}

// NewCrowd returns an empty crowd with at most that many members.
func NewCrowd(most int) *Crowd { return &Crowd{most: most, members: map[*Member]bool{}} }

// A Member of a crowd.
type Member struct {
	of   *Crowd
	kick func() // makes it leave; called at most once, without a lock
	// kicked is done when kick has returned, if it was called at all.
	kicked sync.WaitGroup

	// Guarded by of.mu.
	busy  int       // the number of its operations that must not be interrupted
	stage Stage     // the highest that it has reached
	since time.Time // the time at which it entered or became idle
}

// A Stage is how far a member has come. A client that only connects stays in the first one.
type Stage int

// The stages of a member.
const (
	Silent   Stage = iota
	Heard          // it has sent something
	Begun          // it has sent the header of a request
	Served         // it has been busy
	Known          // it has authenticated itself
	Watching       // it has a watch
)

// Enter adds a member, or returns nil if the crowd is full of busy ones. kick makes the member leave. It is called at
// most once, by a goroutine in which another member enters, and never after Leave. It must not call Leave.
func (c *Crowd) Enter(kick func()) *Member {
	m := &Member{of: c, kick: kick, since: time.Now()}
	c.mu.Lock()
	var out *Member
	if len(c.members) >= c.most {
		if out = c.idlest(); out == nil {
			c.mu.Unlock()
			return nil
		}
		delete(c.members, out)
		out.kicked.Add(1)
	}
	c.members[m] = true
	c.mu.Unlock()
	if out != nil {
		defer out.kicked.Done()
		out.kick()
	}
	return m
}

// Len returns the number of members.
func (c *Crowd) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.members)
}

// idlest returns the member that has to leave first, or nil if all are busy. The crowd is locked.
func (c *Crowd) idlest() (first *Member) {
	for m := range c.members {
		switch {
		case m.busy > 0:
		case first == nil, m.stage < first.stage, m.stage == first.stage && m.since.Before(first.since):
			first = m
		}
	}
	return first
}

// Reach moves the member to a stage, if it has not come further.
func (m *Member) Reach(s Stage) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.stage = max(m.stage, s)
}

// Begin marks the member as busy until End. It returns false if the member had to leave.
func (m *Member) Begin() bool {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.busy++
	m.stage = max(m.stage, Served)
	return m.of.members[m]
}

// End ends what Begin has begun.
func (m *Member) End() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.busy--
	m.since = time.Now()
}

// Leave removes the member, if it is still there. If kick is being called, Leave waits for it, so that what kick uses can
// be given up afterwards: the writer of an HTTP/2 response must not be used after its handler.
func (m *Member) Leave() {
	m.of.mu.Lock()
	delete(m.of.members, m)
	m.of.mu.Unlock()
	m.kicked.Wait()
}
