package pattern

import "math/bits"

// An nfa is the nondeterministic automaton of a plain pattern. It is made in less than a microsecond, without an allocation, and lives as
// long as one match. Its states are the atoms of the pattern, and a set of states is a word of bits. All methods that make something may
// be called on nil, and make nothing then.
type nfa struct {
	sets         [maxAtoms]byteSet // of the bytes that an atom takes; none for an anchor
	follow       [maxAtoms]uint64  // the atoms that may come behind an atom
	begins, ends uint64            // the atoms that are ^ or $
	used         int
	full         bool // there was no room for all: the automaton is of no use
}

// maxAtoms is how many atoms there may be: enough for nearly all plain patterns without large counts.
const maxAtoms = 64

// A byteSet is a set of bytes below 0x80.
type byteSet [2]uint64

func (s *byteSet) add(first, last byte) {
	for c := first; c <= last; c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

func (s *byteSet) invert() { s[0], s[1] = ^s[0], ^s[1] }

func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// A part of an automaton is what a part of the pattern stands for. The zero part is that of the empty one.
type part struct {
	first, last uint64 // the atoms that a match of it may begin and end with
	solid       bool   // there is no empty match
	node        uint32 // of the tree that is made instead
}

// atom returns a part that takes one byte of the set, as the next state.
func (n *nfa) atom(set *byteSet) part {
	if n == nil {
		return part{}
	}
	if n.used == maxAtoms {
		n.full = true
		return part{}
	}
	n.sets[n.used] = *set
	bit := uint64(1) << n.used
	n.used++
	return part{first: bit, last: bit, solid: true}
}

// anchor returns a part that takes nothing, and is only at the beginning of a string (^) or at its end ($).
func (n *nfa) anchor(c byte) part {
	p := n.atom(&byteSet{})
	switch {
	case n == nil:
	case c == '^':
		n.begins |= p.first
	default:
		n.ends |= p.first
	}
	return p
}

// lead makes every atom of a set lead on to those of another.
func (n *nfa) lead(from, to uint64) {
	for ; from != 0; from &= from - 1 {
		n.follow[bits.TrailingZeros64(from)] |= to
	}
}

// join returns a part that is a and then b.
func (n *nfa) join(a, b part) part {
	if n == nil {
		return part{}
	}
	n.lead(a.last, b.first)
	both := part{first: a.first, last: b.last, solid: a.solid || b.solid}
	if !a.solid {
		both.first |= b.first
	}
	if !b.solid {
		both.last |= a.last
	}
	return both
}

// either returns a part that is a or b.
func (n *nfa) either(a, b part) part {
	return part{first: a.first | b.first, last: a.last | b.last, solid: a.solid && b.solid}
}

// star returns a part that is a any number of times, but once at least if that is wanted.
func (n *nfa) star(a part, once bool) part {
	if n == nil {
		return part{}
	}
	n.lead(a.last, a.first)
	a.solid = a.solid && once
	return a
}

// optional returns a part that is a or nothing.
func (n *nfa) optional(a part) part {
	a.solid = false
	return a
}

// size returns how many atoms there are.
func (n *nfa) size() int {
	if n == nil {
		return 0
	}
	return n.used
}

// copyOf returns a part like a, which has all atoms since there were as many as before says, and leads nowhere yet.
func (n *nfa) copyOf(a part, before int) part {
	after := n.used
	shift := after - before
	if n.full = n.full || after+shift > maxAtoms; n.full {
		return a
	}
	for i := before; i < after; i++ {
		n.sets[i+shift] = n.sets[i]
		n.follow[i+shift] = n.follow[i] << shift
	}
	copied := uint64(1)<<after - 1<<before
	n.begins |= n.begins & copied << shift
	n.ends |= n.ends & copied << shift
	n.used += shift
	return part{first: a.first << shift, last: a.last << shift, solid: a.solid}
}

// match reports whether s, which is ASCII, has a match of the pattern whose automaton whole is.
func (n *nfa) match(whole part, s string) bool {
	if !whole.solid {
		return true
	}
	for i, now := 0, uint64(0); ; i++ {
		now |= whole.first // a match may begin anywhere
		anchors := uint64(0)
		if i == 0 {
			anchors = n.begins
		}
		if i == len(s) {
			anchors |= n.ends
		}
		for now&anchors != 0 { // which take nothing, and lead on at once
			at := bits.TrailingZeros64(now & anchors)
			if whole.last>>at&1 != 0 {
				return true
			}
			anchors &^= 1 << at
			now |= n.follow[at]
		}
		if i == len(s) {
			return false
		}
		next := uint64(0)
		for ; now != 0; now &= now - 1 {
			at := bits.TrailingZeros64(now)
			if !n.sets[at].has(s[i]) {
				continue
			}
			if whole.last>>at&1 != 0 {
				return true
			}
			next |= n.follow[at]
		}
		now = next
	}
}
