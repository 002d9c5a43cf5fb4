package pattern

// This file searches for texts that some patterns match and another does not, in the product of their automata.

import (
	"encoding/binary"
	"maps"
	"regexp/syntax"
	"slices"
	"sort"
	"strconv"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// maxAlphabet is the maximum number of kinds of characters that the patterns of one search may distinguish.
const maxAlphabet = 200

// maxSearched is the maximum length of the text of each pattern of a search, and the maximum number of nodes of all.
const maxSearched = 2000

// Texts yields texts of least to most characters that all of match match and miss does not match, the shorter ones
// first. miss may be nil: then it yields texts that all of match match. It yields at most one text for each state of
// the automata. effort limits the number of states that the search visits.
//
// complete reports whether the search ended by itself: if it has not yielded a text then, there is none. It is false if
// the effort did not suffice, if a pattern is too large for an automaton, or if yield returned false. steps is the
// effort that the search took.
func Texts(
	match []*Pattern, miss *Pattern, least, most int64, effort int, yield func(string) bool,
) (complete bool, steps int) {
	if effort <= 0 {
		return false, 0
	}
	nodes := 0
	all := match
	if miss != nil {
		all = append(slices.Clone(match), miss)
	}
	trees := make([]*tree, len(all))
	for i, p := range all {
		if len(p.text) > maxSearched {
			return false, nodes
		}
		if trees[i] = p.tree; p.tree == nil {
			trees[i] = parse(p.text)
		}
		nodes += len(trees[i].nodes)
	}
	if nodes > maxSearched || len(all) == 0 {
		return false, nodes
	}
	alphabet := alphabetOf(trees)
	if len(alphabet) > maxAlphabet {
		return false, nodes
	}
	s := product{alphabet: alphabet, missing: miss != nil, least: max(least, 0), most: most, seen: map[string]bool{}}
	begin := make([]uint32, 0, len(trees))
	for _, t := range trees {
		d := newDFAOver(t, alphabet)
		s.automata = append(s.automata, d)
		if d.starts[textStart] == unknown {
			return false, nodes
		}
		begin = append(begin, d.starts[textStart])
	}
	left := effort
	complete = s.search(begin, &left, yield)
	return complete, effort - left + nodes + nodes*nodes/1000
}

// newDFAOver returns an automaton that reports whether there is a match anywhere, and whose classes are the characters
// of an alphabet. Each represents all characters that the tree does not distinguish from it. Only [dfa.compute] may be
// called on it.
func newDFAOver(t *tree, alphabet []rune) *dfa {
	d := &dfa{tree: t, asserts: t.asserts, machine: new(machine), sample: alphabet}
	d.machine.reset(t)
	d.end = uint8(len(alphabet))
	d.stride = uint32(d.end) + 1
	d.states = make([]string, 1, 16)
	d.rows = make(map[string]uint32)
	d.table.Store(&[]atomic.Uint32{})
	d.starts[textStart] = d.state(textStart)
	return d
}

// A product is a search through the product of automata.
type product struct {
	automata    []*dfa
	missing     bool // the last one must not match
	alphabet    []rune
	least, most int64
	seen        map[string]bool
	reached     []reached
}

// A reached is a state of the product, with the last step to it.
type reached struct {
	rows []uint32
	from int // the index of the previous state; -1 for none
	by   rune
	size int64
}

func (s *product) search(begin []uint32, effort *int, yield func(string) bool) bool {
	complete := true
	s.add(reached{rows: begin, from: -1})
	for i := 0; i < len(s.reached); i++ {
		at := s.reached[i]
		if at.size >= s.least {
			switch final, ok := s.final(at.rows); {
			case !ok:
				complete = false
			case final && !yield(s.text(i)):
				return false
			}
		}
		if at.size >= s.most {
			continue
		}
		for class := range s.alphabet {
			if *effort--; *effort < 0 {
				return false
			}
			next := s.step(at.rows, uint8(class))
			if next == nil {
				complete = false
				continue
			}
			s.add(reached{rows: next, from: i, by: s.alphabet[class], size: at.size + 1})
		}
	}
	return complete
}

// add adds a state, unless it is known or leads to no result.
func (s *product) add(r reached) {
	key := make([]byte, 0, 4*len(r.rows)+8)
	for _, row := range r.rows {
		key = binary.LittleEndian.AppendUint32(key, row)
	}
	key = binary.LittleEndian.AppendUint64(key, uint64(min(r.size, s.least)))
	if !s.dead(r.rows) && !s.seen[string(key)] {
		s.seen[string(key)] = true
		s.reached = append(s.reached, r)
	}
}

// dead reports whether no continuation from rows can be a result.
func (s *product) dead(rows []uint32) bool {
	for i, row := range rows {
		unwanted := reject
		if s.missing && i == len(rows)-1 {
			unwanted = accept
		}
		if row == unwanted {
			return true
		}
	}
	return false
}

// step returns the rows after a character of a class, or nil if an automaton has no room for its state.
func (s *product) step(rows []uint32, class uint8) []uint32 {
	next := make([]uint32, len(rows))
	for i, row := range rows {
		if next[i] = row; row > accept {
			d := s.automata[i]
			if next[i] = d.compute(d.states[row/d.stride], class); next[i] == unknown {
				return nil
			}
		}
	}
	return next
}

// final reports whether a text that ends at rows is a result. ok is false if that is unknown.
func (s *product) final(rows []uint32) (wanted, ok bool) {
	next := s.step(rows, s.automata[0].end) // each of them accepts or rejects
	return !s.dead(next), next != nil
}

// text returns the text that leads to a state.
func (s *product) text(at int) string {
	var runes []rune
	for ; s.reached[at].from >= 0; at = s.reached[at].from {
		runes = append(runes, s.reached[at].by)
	}
	slices.Reverse(runes)
	return string(runes)
}

// alphabetOf returns one character for each kind that the trees distinguish, letters and digits first.
func alphabetOf(trees []*tree) []rune {
	cuts := map[rune]bool{
		0: true, '\n': true, '\n' + 1: true, 0xD800: true, 0xE000: true, utf8.RuneSelf: true, unicode.MaxRune + 1: true,
	}
	cut := func(first, last rune) { cuts[first], cuts[last+1] = true, true }
	for _, c := range []rune{'0', 'A', 'a'} { // what \b distinguishes
		cut(c, c+25)
	}
	cut('0', '9')
	cut('_', '_')
	for _, t := range trees {
		for i := range t.nodes {
			if n := &t.nodes[i]; n.op == nodeRune {
				cut(rune(n.a), rune(n.a))
			}
		}
		for i := range t.classes {
			c := &t.classes[i]
			for r := range rune(utf8.RuneSelf) {
				if c.ascii.has(byte(r)) != (r > 0 && c.ascii.has(byte(r-1))) {
					cuts[r] = true
				}
			}
			for k := 0; k+1 < len(c.ranges); k += 2 {
				cut(c.ranges[k], c.ranges[k+1])
			}
		}
	}
	bounds := slices.Sorted(maps.Keys(cuts))
	kinds := map[string]rune{}
	for i, first := range bounds[:len(bounds)-1] {
		if first == 0xD800 {
			continue // not a character
		}
		kind := kindOf(trees, first)
		likely := likeliest(first, bounds[i+1]-1)
		if other, ok := kinds[kind]; !ok || rank(likely) < rank(other) {
			kinds[kind] = likely
		}
	}
	alphabet := slices.Sorted(maps.Values(kinds))
	sort.SliceStable(alphabet, func(i, j int) bool { return rank(alphabet[i]) < rank(alphabet[j]) })
	return alphabet
}

// kindOf returns a key that is equal for characters that the trees do not distinguish.
func kindOf(trees []*tree, r rune) string {
	var key []byte
	bit := func(set bool) { key = strconv.AppendBool(key, set) }
	bit(r == '\n')
	for _, t := range trees {
		bit(t.asserts&wordAssertions != 0 && syntax.IsWordChar(r))
		for i := range t.nodes {
			if n := &t.nodes[i]; n.op == nodeRune {
				bit(rune(n.a) == r)
			}
		}
		for i := range t.classes {
			bit(t.classes[i].has(r))
		}
	}
	return string(key)
}

// likeliest returns the most readable character between two bounds.
func likeliest(first, last rune) rune {
	for _, r := range []rune{'a', '0', 'A', '-', 'é', ' '} {
		if first <= r && r <= last {
			return r
		}
	}
	return first
}

// rank orders characters by readability.
func rank(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return 0
	case '0' <= r && r <= '9':
		return 1
	case 'A' <= r && r <= 'Z':
		return 2
	case ' ' < r && r < 0x7f:
		return 3
	case r == ' ':
		return 4
	case r >= 0xa0:
		return 5
	}
	return 6
}
