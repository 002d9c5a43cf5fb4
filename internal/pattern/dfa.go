package pattern

// A deterministic automaton over bytes below 0x80. The instructions of package regexp/syntax are a nondeterministic one; a
// state here stands for the set of instructions that may come next, and is made when a string first needs it. From then on
// a byte costs one load from a table.
//
// Only whether there is a match is asked, not where, so priorities and groups do not count, and the scan may end as soon as
// the rest of the string makes no difference.

import (
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unicode"
)

// Limits on what one pattern may hold. Beyond them the automaton gives up for good, and package regexp takes over. A state is
// made in the time that package regexp needs for a byte or two, so no string can make the automaton much slower than that
// package.
const (
	maxInstructions = 4000
	maxBytes        = 128 << 10
)

const wordAssertions = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary

// The entries of the table. Larger ones are states: the index of the state's row.
const (
	unknown uint32 = iota // not computed, or, as a verdict, beyond what the automaton can tell
	reject                // no match, whatever follows
	accept                // a match, whatever follows
)

// dfa is the automaton of one pattern. All but the table is guarded by mu or never changes.
type dfa struct {
	// Bytes of the same class are the same to every instruction. Each class is a column of the table. The last but one
	// stands for all that is not ASCII, and is never filled, so that such bytes leave the fast loop without a test of their
	// own. The last stands for the end.
	classes [256]uint8
	end     uint8
	stride  uint32         // columns of the table
	start   uint32         // the state before the first byte, or the verdict on all strings
	asserts syntax.EmptyOp // all that the instructions look at without consuming it

	// The rows of the table, from one on, are states. It is replaced by a larger copy when it is full. Rows and
	// indices stay what they are, so a reader may go on with an old copy: it lacks entries, but has no wrong ones.
	// Nil once the automaton has given up.
	table atomic.Pointer[[]atomic.Uint32]

	mu     sync.Mutex
	prog   *syntax.Prog
	sample []rune            // a byte of each class
	states []string          // the key of each state, by its row; row 0 is not used
	rows   map[string]uint32 // and back
	bytes  int               // used so far

	// Scratch space, empty between calls.
	visited []uint32 // by instruction: the round in which it was visited
	round   uint32
	stack   []uint32
	set     []uint16 // the instructions of a new state
	targets []uint32
	key     []byte
}

// newDFA returns the automaton of a pattern with valid syntax. For one that is too large it has given up already.
func newDFA(text string) *dfa {
	d := new(dfa)
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil || size(re) > maxInstructions {
		return d
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return d
	}
	d.prog = prog
	d.classify()
	d.visited = make([]uint32, len(prog.Inst))
	d.stack = make([]uint32, 0, 16)
	d.targets = make([]uint32, 0, 16)
	d.set = make([]uint16, 0, 16)
	d.key = make([]byte, 0, 32)
	d.states = make([]string, 1, 16)
	d.rows = make(map[string]uint32)
	table := make([]atomic.Uint32, 8*d.stride)
	d.table.Store(&table)
	d.start = d.state(textStart)
	return d
}

// size returns a rough number of instructions for re, without compiling it, as a short text may stand for millions of them.
// It stops counting above the limit. The parser limits the depth of re.
func size(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n += size(sub)
		if n > maxInstructions {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// classify cuts ASCII into the classes that the instructions tell apart.
func (d *dfa) classify() {
	var starts [129]bool // whether a class starts at a byte
	cut := func(first, last rune) {
		if first < 128 {
			starts[first] = true
			starts[min(last, 127)+1] = true
		}
	}
	for i := range d.prog.Inst {
		inst := &d.prog.Inst[i]
		switch inst.Op {
		case syntax.InstRuneAnyNotNL:
			cut('\n', '\n')
		case syntax.InstRune1:
			cut(inst.Rune[0], inst.Rune[0])
		case syntax.InstRune:
			if len(inst.Rune) == 1 { // one letter in either case, else pairs of bounds
				r := inst.Rune[0]
				cut(r, r)
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					cut(f, f)
				}
			}
			for pair := inst.Rune; len(pair) > 1; pair = pair[2:] {
				cut(pair[0], pair[1])
			}
		case syntax.InstEmptyWidth:
			d.asserts |= syntax.EmptyOp(inst.Arg)
		}
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
	for c := range 128 {
		if c == 0 || starts[c] {
			d.sample = append(d.sample, rune(c))
		}
		d.classes[c] = uint8(len(d.sample) - 1)
	}
	foreign := uint8(len(d.sample))
	for c := 128; c < 256; c++ {
		d.classes[c] = foreign
	}
	d.end = foreign + 1
	d.stride = uint32(d.end) + 1
}

// match returns accept or reject, or unknown if s must be put to package regexp.
func (d *dfa) match(s string) uint32 {
	p := d.table.Load()
	if p == nil {
		return unknown
	}
	table, row := *p, d.start
	if row <= accept {
		return row
	}
	for i := range len(s) {
		next := table[row+uint32(d.classes[s[i]])].Load()
		if next <= accept {
			if next == unknown && s[i] < 0x80 {
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

// step fills in a missing entry of the table and returns it, with the table to go on with. If the automaton has given up,
// it returns unknown.
func (d *dfa) step(row uint32, class uint8) (uint32, []atomic.Uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.table.Load()
	if p == nil {
		return unknown, nil
	}
	i := row + uint32(class)
	if next := (*p)[i].Load(); next != unknown {
		return next, *p // another goroutine was faster
	}
	next := d.compute(d.states[row/d.stride], class)
	if next == unknown {
		d.giveUp()
		return unknown, nil
	}
	table := *d.table.Load() // compute may have replaced it
	table[i].Store(next)
	return next, table
}

func (d *dfa) giveUp() {
	d.table.Store(nil)
	d.prog, d.sample, d.states, d.rows = nil, nil, nil, nil
	d.visited, d.stack, d.set, d.targets, d.key = nil, nil, nil, nil, nil
}

// context is what assertions can see before a position.
type context = byte

const (
	textStart context = iota
	lineStart
	afterWord
	afterOther
)

// before returns a rune that stands for the context, as [syntax.EmptyOpContext] wants it.
func before(c context) rune {
	return [...]rune{textStart: -1, lineStart: '\n', afterWord: 'a', afterOther: ' '}[c]
}

// contextAfter returns the context behind rune r, as far as some instruction asks for it.
func (d *dfa) contextAfter(r rune) context {
	switch {
	case r == '\n' && d.asserts&syntax.EmptyBeginLine != 0:
		return lineStart
	case syntax.IsWordChar(r) && d.asserts&wordAssertions != 0:
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
	d.targets = d.targets[:0]
	d.round++
	for i := 0; i+1 < len(key); i += 2 {
		if d.follow(uint32(key[i])|uint32(key[i+1])<<8, flags, r) {
			return accept
		}
	}
	if class == d.end {
		return reject
	}
	return d.state(d.contextAfter(r), d.targets...)
}

// follow runs instruction pc and those that it leads to before rune r, where both sides are known. It reports whether there is
// a match. Where r is consumed it notes what comes next in d.targets.
func (d *dfa) follow(pc uint32, flags syntax.EmptyOp, r rune) bool {
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		inst, ok := d.pop()
		if !ok {
			continue
		}
		switch inst.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^flags == 0 {
				d.stack = append(d.stack, inst.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r >= 0 && inst.MatchRune(r) {
				d.targets = append(d.targets, inst.Out)
			}
		}
	}
	return false
}

// pop takes an instruction off the stack. It reports false if this round has seen it before.
func (d *dfa) pop() (*syntax.Inst, bool) {
	last := len(d.stack) - 1
	pc := d.stack[last]
	d.stack = d.stack[:last]
	if d.visited[pc] == d.round {
		return nil, false
	}
	d.visited[pc] = d.round
	return &d.prog.Inst[pc], true
}

// state returns the state in which the instructions pcs come next, and the first one too, since a match may start
// anywhere. It returns accept or reject if that is all the state says, and unknown if there is no room for it.
func (d *dfa) state(c context, pcs ...uint32) uint32 {
	// Assertions on what stands before the position are decided here, which lets an automaton with ^ reject early.
	var flags syntax.EmptyOp
	switch c {
	case textStart:
		flags = syntax.EmptyBeginText | syntax.EmptyBeginLine
	case lineStart:
		flags = syntax.EmptyBeginLine
	}
	d.set = d.set[:0]
	d.round++
	open := false // whether an assertion remains
	d.stack = append(append(d.stack[:0], pcs...), uint32(d.prog.Start))
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		inst, ok := d.pop()
		if !ok {
			continue
		}
		switch inst.Op {
		case syntax.InstMatch:
			return accept
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, inst.Out)
		case syntax.InstEmptyWidth:
			switch op := syntax.EmptyOp(inst.Arg); {
			case op&(syntax.EmptyBeginText|syntax.EmptyBeginLine)&^flags != 0:
			case op&^flags == 0:
				d.stack = append(d.stack, inst.Out)
			default:
				open = true
				d.set = append(d.set, uint16(pc))
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			d.set = append(d.set, uint16(pc))
		}
	}
	// Nothing left is not the end where a match may still start at a later line.
	if len(d.set) == 0 && d.asserts&syntax.EmptyBeginLine == 0 {
		return reject
	}
	if !open {
		c = afterOther // nobody asks, so states that differ only in this are one
	}
	slices.Sort(d.set)
	d.key = d.key[:0]
	for _, pc := range d.set {
		d.key = append(d.key, byte(pc), byte(pc>>8))
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
	if d.bytes > maxBytes {
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
