package pattern

import "math/bits"

// An nfa is the nondeterministic automaton of a plain pattern. It is made in a microsecond, without an allocation, and lives as long as
// one match. All methods that make something may be called on nil, and make nothing then.
type nfa struct {
	states [maxStates]state
	used   int16
	full   bool // there was no room for all: the automaton is of no use
}

// maxStates is how many states there may be: enough for nearly all plain patterns without large counts.
const maxStates = 224

// A state goes on to others: with a byte of a set, at an end of the string, or at once.
type state struct {
	kind      stateKind
	out, also int16 // states, none if zero
	set       byteSet
}

type stateKind uint8

const (
	atOnce stateKind = iota
	atBegin
	atEnd
	aByte
)

// A byteSet is a set of bytes below 0x80.
type byteSet [2]uint64

func (s *byteSet) add(first, last byte) {
	for c := first; c <= last; c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

func (s *byteSet) invert() { s[0], s[1] = ^s[0], ^s[1] }

func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// A part of an automaton leads from one state to another, which goes nowhere yet. The zero part has no states, and is joined to others for
// nothing.
type part struct{ begin, end int16 }

// newState returns the index of a new state, which goes on to those at once. The first state is never used, so that 0 is none.
func (n *nfa) newState(out, also int16) int16 {
	if n.used == maxStates-1 {
		n.full = true
		return n.used
	}
	n.used++
	s := &n.states[n.used]
	s.out, s.also = out, also
	return n.used
}

// empty returns a part that leads on at once.
func (n *nfa) empty() part {
	if n == nil {
		return part{}
	}
	s := n.newState(0, 0)
	return part{s, s}
}

// step returns a part with one state that is not left at once, but with a byte of the set if that is its kind.
func (n *nfa) step(kind stateKind, set *byteSet) part {
	if n == nil {
		return part{}
	}
	end := n.newState(0, 0)
	at := n.newState(end, 0)
	s := &n.states[at]
	s.kind = kind
	s.set = *set
	return part{at, end}
}

// join returns a part that leads through both.
func (n *nfa) join(a, b part) part {
	switch {
	case n == nil || a == part{}:
		return b
	case b == part{}:
		return a
	}
	n.states[a.end].out = b.begin
	return part{a.begin, b.end}
}

// some returns a, or a part that leads on at once if a has no states.
func (n *nfa) some(a part) part {
	if (a == part{}) {
		return n.empty()
	}
	return a
}

// either returns a part that leads through one or the other.
func (n *nfa) either(a, b part) part {
	if n == nil {
		return part{}
	}
	a, b = n.some(a), n.some(b)
	end := n.newState(0, 0)
	n.states[a.end].out, n.states[b.end].out = end, end
	return part{n.newState(a.begin, b.begin), end}
}

// optional returns a part that leads through a, or around it.
func (n *nfa) optional(a part) part {
	if n == nil {
		return part{}
	}
	a = n.some(a)
	end := n.newState(0, 0)
	n.states[a.end].out = end
	return part{n.newState(a.begin, end), end}
}

// size returns how many states there are.
func (n *nfa) size() int16 {
	if n == nil {
		return 0
	}
	return n.used
}

// copyOf returns a part like a, which has the states made since there were as many as before says, up to as many as after says.
func (n *nfa) copyOf(a part, before, after int16) part {
	if n.full = n.full || n.used+after-before >= maxStates; n.full {
		return a
	}
	shift := n.used - before
	moved := func(to int16) int16 {
		if to == 0 {
			return 0
		}
		return to + shift
	}
	copies := n.states[n.used+1:][:after-before]
	copy(copies, n.states[before+1:after+1])
	n.used += after - before
	for i := range copies {
		s := &copies[i]
		s.out, s.also = moved(s.out), moved(s.also)
	}
	return part{moved(a.begin), moved(a.end)}
}

// star returns a part that leads through a any number of times, but once at least if that is wanted.
func (n *nfa) star(a part, once bool) part {
	if n == nil {
		return part{}
	}
	a = n.some(a)
	end := n.newState(0, 0)
	loop := n.newState(a.begin, end)
	n.states[a.end].out = loop
	if once {
		return part{a.begin, end}
	}
	return part{loop, end}
}

// A stateSet is a set of states.
type stateSet [(maxStates + 63) / 64]uint64

// match reports whether s, which is ASCII, has a match of the pattern whose automaton whole is.
func (n *nfa) match(whole part, s string) bool {
	var now stateSet
	for i := 0; ; i++ {
		n.enter(&now, whole.begin, i, len(s)) // a match may begin anywhere
		if now[whole.end>>6]>>(whole.end&63)&1 != 0 {
			return true
		}
		if i == len(s) {
			return false
		}
		var next stateSet
		for w, word := range now {
			for ; word != 0; word &= word - 1 {
				at := &n.states[w<<6+bits.TrailingZeros64(word)]
				if at.kind == aByte && at.set.has(s[i]) {
					n.enter(&next, at.out, i+1, len(s))
				}
			}
		}
		now = next
	}
}

// enter adds a state to a set, before the byte at i of a string, and all that it leads to at once.
func (n *nfa) enter(set *stateSet, at int16, i, length int) {
	for at != 0 && set[at>>6]>>(at&63)&1 == 0 {
		set[at>>6] |= 1 << (at & 63)
		s := &n.states[at]
		switch s.kind {
		case aByte:
			return
		case atBegin:
			if i != 0 {
				return
			}
		case atEnd:
			if i != length {
				return
			}
		}
		n.enter(set, s.also, i, length)
		at = s.out
	}
}
