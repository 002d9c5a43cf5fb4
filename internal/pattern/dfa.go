package pattern

// This file has a deterministic automaton over bytes below 0x80. It is built from the nondeterministic automaton of a
// machine: a state is the set of instructions that may come next, and is built when a string first needs it. After that
// a byte costs one table lookup.
//
// There are two kinds. One reports whether there is a match anywhere: it reads a string once, ignores the order of the
// instructions of a state, and stops as soon as the rest of the string makes no difference. The other finds the end of
// the match that begins at a position: the instructions of its states are in order of preference, and end at one that
// matches.

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// maxBytes limits the memory of one automaton. When it is exceeded, the automaton is disabled for good, and a machine
// is used instead. A state is made in the time that a machine needs for a byte or two, so no string can make the
// automaton much slower than that.
const maxBytes = 192 << 10

const wordAssertions = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary

// The special entries of the table. Larger ones are states: the index of the state's row.
const (
	unknown uint32 = iota // not computed yet; as a result: the automaton cannot tell
	reject                // no match, whatever follows
	accept                // a match, whatever follows; only if any match is enough
)

// matchBefore marks an entry of the finding kind: a match ends before the byte.
const matchBefore = 1 << 31

// dfa is an automaton of one pattern. Everything but the table is guarded by mu or never changes.
type dfa struct {
	tree    *tree  // nil: there is no automaton, because the pattern is a literal
	literal string // the literal
	finds   bool   // it finds the end of a match

	// Bytes of the same class are equivalent to all instructions. Each class is a column of the table. The last but one
	// is for all bytes beyond ASCII. It is never filled, so such bytes leave the fast loop without a separate check.
	// The last one is for the end of the string.
	classes [256]uint8
	end     uint8
	stride  uint32         // columns of the table
	asserts syntax.EmptyOp // the assertions of the pattern

	// starts are the states in which a match may begin, by context. If any match is enough, there is only the first
	// one, before the first byte; it may be the result for all strings.
	starts [contexts]uint32

	// The rows of the table, from one on, are states. When it is full, it is replaced by a larger copy. Rows and
	// indices never change, so a reader may continue with an old copy: it lacks entries, but has no wrong ones. Nil if
	// the automaton is disabled.
	table atomic.Pointer[[]atomic.Uint32]

	mu      sync.Mutex
	holding *holding // counts the automaton's memory; nil if it is not counted
	machine *machine
	sample  []rune            // a byte of each class
	states  []string          // the key of each state, by its row; row 0 is not used
	rows    map[string]uint32 // the inverse of states
	bytes   int               // used so far

	// Scratch space, empty between calls.
	set     []uint32 // the instructions of a new state
	targets []uint32
	key     []byte
}

// newDFA returns an automaton of a tree.
func newDFA(t *tree, finds bool, h *holding) *dfa {
	d := &dfa{tree: t, finds: finds, asserts: t.asserts, holding: h, machine: new(machine)}
	d.machine.reset(t)
	d.classify(t)
	d.machine.stack = make([]uint32, 0, 16)
	d.targets = make([]uint32, 0, 16)
	d.set = make([]uint32, 0, 16)
	d.key = make([]byte, 0, 64)
	d.states = make([]string, 1, 16)
	d.rows = make(map[string]uint32)
	table := make([]atomic.Uint32, 8*d.stride)
	d.table.Store(&table)
	d.bytes = 1024
	if finds {
		for c := range contexts {
			d.starts[c] = d.state(c, startInst)
		}
	} else {
		d.starts[textStart] = d.state(textStart)
	}
	if d.starts[textStart] == unknown || finds && slices.Contains(d.starts[:], unknown) {
		d.giveUp()
	}
	h.add(t.size() + d.bytes)
	return d
}

// classify splits ASCII into the classes that the instructions distinguish.
func (d *dfa) classify(t *tree) {
	var starts byteSet // the first byte of each class
	cut := func(first, last rune) {
		if first < utf8.RuneSelf {
			starts.add(byte(first), byte(first))
			if last+1 < utf8.RuneSelf {
				starts.add(byte(last+1), byte(last+1))
			}
		}
	}
	for i := range t.nodes {
		switch n := &t.nodes[i]; n.op {
		case nodeLine:
			cut('\n', '\n')
		case nodeRune:
			cut(rune(n.a), rune(n.a))
		}
	}
	for i := range t.classes {
		set := &t.classes[i].ascii
		// A class starts where membership changes.
		before0, before1 := set[0]<<1, set[1]<<1|set[0]>>63
		starts[0] |= set[0] ^ before0
		starts[1] |= set[1] ^ before1
	}
	if d.asserts&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 {
		cut('\n', '\n')
	}
	if d.asserts&wordAssertions != 0 {
		cut('0', '9')
		cut('A', 'Z')
		cut('_', '_')
		cut('a', 'z')
	}
	d.sample = make([]rune, 0, 16)
	for c := range byte(utf8.RuneSelf) {
		if c == 0 || starts.has(c) {
			d.sample = append(d.sample, rune(c))
		}
		d.classes[c] = uint8(len(d.sample) - 1)
	}
	foreign := uint8(len(d.sample))
	for c := utf8.RuneSelf; c < 256; c++ {
		d.classes[c] = foreign
	}
	d.end = foreign + 1
	d.stride = uint32(d.end) + 1
}

// match returns accept or reject, or unknown if s needs a machine.
func (d *dfa) match(s string) uint32 {
	p := d.table.Load()
	if p == nil {
		return unknown
	}
	table, row := *p, d.starts[textStart]
	if row <= accept {
		return row
	}
	for i := range len(s) {
		next := table[row+uint32(d.classes[s[i]])].Load()
		if next <= accept {
			if next == unknown && s[i] < utf8.RuneSelf {
				next, table = d.step(row, d.classes[s[i]])
			}
			if next <= accept {
				return next
			}
		}
		row = next
	}
	verdict := table[row+uint32(d.end)].Load()
	if verdict == unknown {
		verdict, _ = d.step(row, d.end)
	}
	return verdict
}

// find finds the first match that begins at or after a position. effort is the approximate number of bytes that it may
// read, and is decremented. It reports false if s needs a machine.
func (d *dfa) find(s string, at int, anchored bool, effort *int) (found span, ok bool) {
	p := d.table.Load()
	if p == nil {
		return noSpan, false
	}
	table := *p
	for ; at <= len(s); at++ {
		if *effort < 0 {
			return noSpan, false
		}
		row := d.starts[textStart]
		if at > 0 {
			if s[at-1] >= utf8.RuneSelf {
				return noSpan, false
			}
			row = d.starts[d.contextAfter(rune(s[at-1]))]
		}
		end, i := -1, at
		for ; row > accept && i < len(s); i++ {
			next := table[row+uint32(d.classes[s[i]])].Load()
			if next == unknown {
				if s[i] < utf8.RuneSelf {
					next, table = d.step(row, d.classes[s[i]])
				}
				if next == unknown {
					return noSpan, false
				}
			}
			if next&matchBefore != 0 {
				end = i
			}
			row = next &^ matchBefore
		}
		if row > accept {
			next := table[row+uint32(d.end)].Load()
			if next == unknown {
				if next, table = d.step(row, d.end); next == unknown {
					return noSpan, false
				}
			}
			if next&matchBefore != 0 {
				end = i
			}
		}
		*effort -= i - at
		if end >= 0 {
			return span{at, end}, true
		}
		if anchored {
			break
		}
	}
	return noSpan, true
}

// step computes a missing entry of the table and returns it, with the current table. If the automaton is disabled, it
// returns unknown.
func (d *dfa) step(row uint32, class uint8) (uint32, []atomic.Uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.table.Load()
	if p == nil {
		return unknown, nil
	}
	i := row + uint32(class)
	if next := (*p)[i].Load(); next != unknown {
		return next, *p // another goroutine has computed it
	}
	before := d.bytes
	next := d.compute(d.states[row/d.stride], class)
	if next == unknown {
		d.holding.add(-before)
		d.giveUp()
		return unknown, nil
	}
	if d.bytes != before {
		d.holding.add(d.bytes - before)
	}
	table := *d.table.Load() // compute may have replaced it
	table[i].Store(next)
	return next, table
}

func (d *dfa) giveUp() {
	d.table.Store(nil)
	d.machine, d.sample, d.states, d.rows = nil, nil, nil, nil
	d.set, d.targets, d.key = nil, nil, nil
}

// context is what assertions need to know about the character before a position.
type context = byte

const (
	textStart context = iota
	lineStart
	afterWord
	afterOther
	contexts
)

// before returns a rune for the context, as [syntax.EmptyOpContext] expects it.
func before(c context) rune {
	return [...]rune{textStart: -1, lineStart: '\n', afterWord: 'a', afterOther: ' '}[c]
}

// contextAfter returns the context after rune r, as far as the instructions distinguish it.
func (d *dfa) contextAfter(r rune) context {
	switch {
	case d.asserts&(syntax.EmptyBeginLine|wordAssertions) == 0:
	case r == '\n' && d.asserts&syntax.EmptyBeginLine != 0:
		return lineStart
	case d.asserts&wordAssertions != 0 && syntax.IsWordChar(r):
		return afterWord
	}
	return afterOther
}

// compute returns the entry for a state, given by its key, and a class.
func (d *dfa) compute(key string, class uint8) uint32 {
	r := rune(-1) // the end
	if class != d.end {
		r = d.sample[class]
	}
	flags := syntax.EmptyOpContext(before(key[len(key)-1]), r)
	m := d.machine
	d.targets = d.targets[:0]
	m.begin()
	matched := uint32(0)
instructions:
	for i := 0; i+4 < len(key); i += 4 {
		pc := uint32(key[i]) | uint32(key[i+1])<<8 | uint32(key[i+2])<<16 | uint32(key[i+3])<<24
		m.now = m.follow(m.now[:0], pc, 0, flags)
		for _, t := range m.now {
			switch i := m.insts[t.pc]; {
			case i.op == instMatch && !d.finds:
				return accept
			case i.op == instMatch: // the rest has lower preference
				matched = matchBefore
				break instructions
			case r >= 0 && m.takes(i, r):
				d.targets = append(d.targets, i.out)
			}
		}
	}
	if class == d.end {
		return reject | matched
	}
	next := d.state(d.contextAfter(r), d.targets...)
	if next == unknown {
		return unknown
	}
	return next | matched
}

// state returns the state for the instructions pcs, in this order. If any match is enough, it also has the first
// instruction, because a match may start anywhere. Without pcs it is the state in which a match may begin. It returns
// accept or reject if the result is already known, and unknown if there is no room for the state.
func (d *dfa) state(c context, pcs ...uint32) uint32 {
	// Assertions about the context before the position are evaluated here, so that an automaton with ^ can reject
	// early.
	var flags syntax.EmptyOp
	switch c {
	case textStart:
		flags = syntax.EmptyBeginText | syntax.EmptyBeginLine
	case lineStart:
		flags = syntax.EmptyBeginLine
	}
	m := d.machine
	d.set = d.set[:0]
	m.begin()
	open := false // whether an assertion remains
	m.stack = append(m.stack[:0], pcs...)
	slices.Reverse(m.stack)
	if !d.finds {
		m.stack = append(m.stack, startInst)
	}
	for len(m.stack) > 0 {
		pc, first := m.pop()
		if !first {
			continue
		}
		i := m.at(pc)
		if len(m.insts)*instBytes+d.bytes > maxBytes {
			return unknown
		}
		switch i.op {
		case instMatch:
			if !d.finds {
				return accept
			}
			d.set = append(d.set, pc)
			m.stack = m.stack[:0] // the rest has lower preference
		case instAlt:
			m.stack = append(m.stack, i.arg, i.out)
		case instJump:
			m.stack = append(m.stack, i.out)
		case instAssert:
			switch op := syntax.EmptyOp(i.arg); {
			case op&(syntax.EmptyBeginText|syntax.EmptyBeginLine)&^flags != 0:
			case op&^flags == 0:
				m.stack = append(m.stack, i.out)
			default:
				open = true
				d.set = append(d.set, pc)
			}
		case instFail:
		default:
			d.set = append(d.set, pc)
		}
	}
	// An empty set is not the end if a match may still start at a later line.
	if len(d.set) == 0 && (d.finds || d.asserts&syntax.EmptyBeginLine == 0) {
		return reject
	}
	if !open {
		c = afterOther // no assertion depends on it, so states that differ only in it are equal
	}
	if !d.finds {
		slices.Sort(d.set)
	}
	d.key = d.key[:0]
	for _, pc := range d.set {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	d.key = append(d.key, c)
	if row, ok := d.rows[string(d.key)]; ok {
		return row
	}
	return d.addRow(string(d.key))
}

// addRow makes a state out of a key.
func (d *dfa) addRow(key string) uint32 {
	const overhead = 80 // of the map and the slice
	d.bytes += len(key) + int(d.stride)*4 + overhead
	if d.bytes+len(d.machine.insts)*instBytes > maxBytes {
		return unknown
	}
	row := uint32(len(d.states)) * d.stride
	d.states = append(d.states, key)
	d.rows[key] = row
	if old := *d.table.Load(); int(row+d.stride) > len(old) {
		table := make([]atomic.Uint32, 2*len(old))
		for i := range old {
			table[i].Store(old[i].Load())
		}
		d.table.Store(&table)
	}
	return row
}
