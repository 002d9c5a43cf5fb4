package text

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"sync/atomic"
	"unicode"
)

// A Finder finds the first part of a string that matches a constant pattern: what [Find] finds, some ten times faster where the string
// is ASCII and the pattern small. A Finder may be used by multiple goroutines at once, and must not be copied.
type Finder struct {
	pattern string
	uses    atomic.Uint32
	build   sync.Once
	auto    atomic.Pointer[automaton]
	re      atomic.Pointer[regexp.Regexp]
}

// NewFinder returns the finder of a pattern. The error is that of [regexp.Compile]. Only the syntax is looked at: everything else happens
// when the finder is used.
func NewFinder(pattern string) (*Finder, error) {
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return nil, err
	}
	return &Finder{pattern: pattern}, nil
}

// usesBefore is how often a finder is used before an automaton is worth its while.
const usesBefore = 4

// Find returns the first part of s that matches, or "".
//
// Clauses: CEN-027, CLI-001.
func (f *Finder) Find(s string) string {
	a := f.auto.Load()
	if a == nil {
		if f.uses.Add(1) <= usesBefore {
			return f.Regexp().FindString(s)
		}
		f.build.Do(func() { f.auto.Store(newAutomaton(f.pattern)) })
		a = f.auto.Load()
	}
	if from, to, ok := a.find(s); ok {
		return s[from:to]
	}
	return f.Regexp().FindString(s)
}

// Regexp returns the pattern as a regular expression.
func (f *Finder) Regexp() *regexp.Regexp {
	if re := f.re.Load(); re != nil {
		return re
	}
	// Invariant: NewFinder has checked the syntax, and that is all that can fail here.
	f.re.CompareAndSwap(nil, regexp.MustCompile(f.pattern))
	return f.re.Load()
}

// An automaton is a table of states for the bytes below 0x80. A state is an ordered list of the instructions of package regexp/syntax that
// come next, the preferred ones first, so that the automaton prefers what package regexp prefers. Where it steps from a state, it
// knows the byte that follows, and by that whether a match ends before it.
type automaton struct {
	classes [256]uint8 // of bytes that are the same to all instructions: columns of the table. The last but one stands for what is not ASCII
	end     uint8      // the last column: the end of the string
	stride  int
	// table has, by row and column, the next row and whether a match ends before the byte. Nil: package regexp has to do it.
	table        []uint32
	start, later uint32 // the rows at the beginning of the string, and at any other place where a match may begin
}

// Limits on what an automaton may hold.
const (
	mostInstructions = 200
	mostStates       = 100
)

// The entries of the table are rows times two, plus one for a match. In row 0 nothing matches any longer. One entry is for a byte that is
// not ASCII.
const foreign = ^uint32(0)

// find returns the first match, empty if there is none. It returns false if it cannot tell.
func (a *automaton) find(s string) (from, to int, ok bool) {
	if a.table == nil {
		return 0, 0, false
	}
	steps := 8*len(s) + 64 // Beyond that the same bytes have been looked at too often.
	row := a.start
	for from = 0; from <= len(s); from++ {
		to, i := -1, from
		for row != 0 {
			class := a.end
			if i < len(s) {
				class = a.classes[s[i]]
			}
			next := a.table[int(row)*a.stride+int(class)]
			if next == foreign {
				return 0, 0, false
			}
			if next&1 != 0 {
				to = i
			}
			row = next >> 1
			i++
			steps--
		}
		if to >= 0 {
			return from, to, true
		}
		if steps < 0 {
			return 0, 0, false
		}
		if row = a.later; row == 0 {
			break
		}
	}
	return 0, 0, true
}

// newAutomaton returns the automaton of a pattern with valid syntax. It has no table for a pattern that is too large, or that looks at
// more of what is around a position than whether it is the beginning or the end.
func newAutomaton(pattern string) *automaton {
	a := new(automaton)
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || large(re) {
		return a
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || len(prog.Inst) > mostInstructions {
		return a
	}
	b := builder{automaton: a, prog: prog, rows: map[string]uint32{}, visited: make([]int, len(prog.Inst))}
	if b.classify() {
		b.build()
	}
	return a
}

// large reports whether a pattern may have more instructions than an automaton can. It makes none of them.
func large(re *syntax.Regexp) bool { return weight(re) > mostInstructions }

func weight(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		if n += weight(sub); n > mostInstructions {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// A builder makes an automaton.
type builder struct {
	*automaton
	prog    *syntax.Prog
	sample  []rune // a byte of each class
	states  [][]uint32
	rows    map[string]uint32
	visited []int // by instruction: the round in which it was visited
	round   int
	stack   []uint32
}

// classify cuts ASCII into classes. It returns false if the pattern looks around.
func (b *builder) classify() bool {
	var starts [129]bool
	cut := func(first, last rune) {
		if first < 128 {
			starts[first], starts[min(last, 127)+1] = true, true
		}
	}
	for i := range b.prog.Inst {
		inst := &b.prog.Inst[i]
		switch inst.Op {
		case syntax.InstRuneAnyNotNL:
			cut('\n', '\n')
		case syntax.InstRune, syntax.InstRune1:
			if len(inst.Rune) == 1 { // one letter, perhaps in either case
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
			if syntax.EmptyOp(inst.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
				return false
			}
		}
	}
	for c := range 128 {
		if c == 0 || starts[c] {
			b.sample = append(b.sample, rune(c))
		}
		b.classes[c] = uint8(len(b.sample) - 1)
	}
	for c := 128; c < 256; c++ {
		b.classes[c] = uint8(len(b.sample))
	}
	b.end = uint8(len(b.sample) + 1)
	b.stride = int(b.end) + 1
	return true
}

// build fills the table. The rows are found one after another, from those that a search begins with.
func (b *builder) build() {
	b.states = append(b.states, nil)
	b.rows[""] = 0
	first := []uint32{uint32(b.prog.Start)}
	// Row 1 is at the beginning of the text, which only its own steps see.
	b.states = append(b.states, first)
	b.start, b.later = 1, b.row(first)
	table := make([]uint32, b.stride)
	for row := 1; row < len(b.states); row++ {
		if len(b.states) > mostStates {
			return
		}
		at := syntax.EmptyOp(0)
		if row == 1 {
			at = syntax.EmptyBeginText
		}
		for class := range b.stride {
			switch class {
			case int(b.end) - 1:
				table = append(table, foreign)
			case int(b.end):
				table = append(table, b.step(b.states[row], at|syntax.EmptyEndText, -1))
			default:
				table = append(table, b.step(b.states[row], at, b.sample[class]))
			}
		}
	}
	b.table = table
	if b.fruitless(b.later) {
		b.later = 0
	}
}

// fruitless reports whether nothing can come of a row behind the beginning of the string, whatever follows.
func (b *builder) fruitless(row uint32) bool {
	b.round++
	b.stack = append(b.stack[:0], b.states[row]...)
	for len(b.stack) > 0 {
		pc := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.visited[pc] == b.round {
			continue
		}
		b.visited[pc] = b.round
		switch inst := &b.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			b.stack = append(b.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			b.stack = append(b.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&syntax.EmptyBeginText == 0 {
				b.stack = append(b.stack, inst.Out)
			}
		case syntax.InstFail:
		default:
			return false
		}
	}
	return true
}

// step returns the entry of a state for the rune that follows, or -1 for the end.
func (b *builder) step(state []uint32, at syntax.EmptyOp, r rune) uint32 {
	b.round++
	var next []uint32
	taken := map[uint32]bool{}
	for _, pc := range state {
		b.stack = append(b.stack[:0], pc)
		for len(b.stack) > 0 {
			pc := b.stack[len(b.stack)-1]
			b.stack = b.stack[:len(b.stack)-1]
			if b.visited[pc] == b.round {
				continue
			}
			b.visited[pc] = b.round
			inst := &b.prog.Inst[pc]
			switch inst.Op {
			case syntax.InstMatch: // What is preferred less does not count any longer.
				return b.row(next)<<1 | 1
			case syntax.InstAlt, syntax.InstAltMatch:
				b.stack = append(b.stack, inst.Arg, inst.Out)
			case syntax.InstCapture, syntax.InstNop:
				b.stack = append(b.stack, inst.Out)
			case syntax.InstEmptyWidth:
				if syntax.EmptyOp(inst.Arg)&^at == 0 {
					b.stack = append(b.stack, inst.Out)
				}
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				if r >= 0 && inst.MatchRune(r) && !taken[inst.Out] {
					taken[inst.Out] = true
					next = append(next, inst.Out)
				}
			}
		}
	}
	return b.row(next) << 1
}

// row returns the row of a state, which it may have to add.
func (b *builder) row(state []uint32) uint32 {
	key := make([]byte, 0, 2*len(state))
	for _, pc := range state {
		key = append(key, byte(pc), byte(pc>>8))
	}
	if row, ok := b.rows[string(key)]; ok {
		return row
	}
	row := uint32(len(b.states))
	b.rows[string(key)] = row
	b.states = append(b.states, state)
	return row
}
