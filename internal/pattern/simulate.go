package pattern

import (
	"regexp/syntax"
	"unicode/utf8"
)

// A Meter counts the work of a search and may end it.
type Meter interface {
	// Spend counts steps. A step is the work for one instruction at one character: about 5 to 15 nanoseconds. It is
	// called often enough to end a search within some milliseconds. If it returns false, the search ends without a
	// result. It may also panic.
	Spend(steps int) bool
}

// stepsPerSpend is the number of steps after which a search reports to its meter.
const stepsPerSpend = 1 << 12

// spend reports whether the search may continue. If there were many steps, it reports them to the meter.
func (m *machine) spend(meter Meter) bool {
	if m.steps < stepsPerSpend {
		return true
	}
	steps := m.steps
	m.steps = 0
	return meter == nil || meter.Spend(steps)
}

// A thread is the next instruction of a match that began at from.
type thread struct {
	pc   uint32
	from int
}

// A span is a range of bytes in a string. If from is negative, there is no match.
type span struct{ from, to int }

// of returns the span of s, or "" if there is no match.
func (x span) of(s string) string {
	if x.from < 0 {
		return ""
	}
	return s[x.from:x.to]
}

var noSpan = span{-1, -1}

// around returns the characters on both sides of a position, and the length of the right one in bytes; -1 is the
// beginning or the end.
func around(s string, at int) (before, after rune, width int) {
	before, after = -1, -1
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:at])
	}
	if at < len(s) {
		after, width = utf8.DecodeRuneInString(s[at:])
	}
	return before, after, width
}

// simulate runs all matches that begin at or after a position in parallel. It returns the first one that package regexp
// would find, or any match if that is enough. There is none if the meter ends it. Memory is linear in the instructions
// that s can reach, time is that times the length of s.
func (m *machine) simulate(s string, at int, anyMatch bool, meter Meter) span {
	now, next := m.now[:0], m.next[:0]
	defer func() { m.now, m.next = now, next }()
	best := noSpan
	before, r, width := around(s, at)
	m.begin()
	for {
		flags := syntax.EmptyOpContext(before, r)
		if best.from < 0 && (at == 0 || !m.tree.anchored) {
			now = m.follow(now, startInst, at, flags)
		}
		if len(now) == 0 && (best.from >= 0 || m.tree.anchored) {
			return best
		}
		after, afterWidth := rune(-1), 0
		if end := at + width; end < len(s) {
			after, afterWidth = rune(s[end]), 1
			if s[end] >= utf8.RuneSelf {
				after, afterWidth = utf8.DecodeRuneInString(s[end:])
			}
		}
		flags = syntax.EmptyOpContext(r, after)
		next = next[:0]
		m.begin()
		m.steps += len(now) + 1
		for _, t := range now {
			i := m.insts[t.pc]
			if i.op == instMatch { // the threads after it have lower preference
				if best = (span{t.from, at}); anyMatch {
					return best
				}
				break
			}
			if r >= 0 && m.takes(i, r) {
				next = m.follow(next, i.out, t.from, flags)
			}
		}
		if !m.spend(meter) {
			return noSpan
		}
		if r < 0 {
			return best
		}
		at += width
		before, r, width = r, after, afterWidth
		now, next = next, now
	}
}

// follow adds to list the successors of pc that match or consume something, in order of preference, without those
// already visited in this round.
func (m *machine) follow(list []thread, pc uint32, from int, flags syntax.EmptyOp) []thread {
	m.stack = append(m.stack[:0], pc)
	for len(m.stack) > 0 {
		pc, first := m.pop()
		if !first {
			continue
		}
		m.steps++
		switch i := m.at(pc); i.op {
		case instJump:
			m.stack = append(m.stack, i.out)
		case instAlt:
			m.stack = append(m.stack, i.arg, i.out)
		case instAssert:
			if i.holds(flags) {
				m.stack = append(m.stack, i.out)
			}
		case instFail:
		default:
			list = append(list, thread{pc, from})
		}
	}
	return list
}
