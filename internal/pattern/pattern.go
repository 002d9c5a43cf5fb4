package pattern

import (
	"errors"
	"regexp/syntax"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Pattern is a regular expression. It says whether strings match it and finds what does. A Pattern is made by [Compile]; the zero Pattern
// is empty and matches everything. It may be used by multiple goroutines at once, and must not be copied.
type Pattern struct {
	text    string
	tree    *tree        // of a brief pattern that is not plain
	brief   bool         // it is used a few times and then dropped, so that nobody counts what it takes
	met     atomic.Int32 // how many strings were to be matched without an automaton that stays
	matcher atomic.Pointer[dfa]
	finder  atomic.Pointer[dfa]
}

// Compile returns the pattern that text is, in the syntax of package regexp. The error, if text is not valid, is the one that
// [regexp.Compile] returns, or that of package regexp for a pattern that is too large. Only the syntax is looked at: everything else
// happens at the first match.
//
// Clause: VAL-030.
func Compile(text string) (*Pattern, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	return Checked(text), nil
}

// Check returns the error that [Compile] returns.
//
// Clause: VAL-030.
func Check(text string) error { return new(Checker).Check(text) }

// A Checker checks patterns that belong together, those of one schema for example. The zero Checker is ready to use.
type Checker struct{ work int }

// Check is like the function. Patterns that take long to read are too large if there are many of them.
//
// Clause: VAL-030.
func (c *Checker) Check(text string) error {
	if plain(text) || literal(text) {
		return nil
	}
	if c.work += readingWork(text); c.work > maxSyntax {
		return &syntax.Error{Code: syntax.ErrLarge, Expr: strings.ToValidUTF8(text[:min(len(text), 64)], "")}
	}
	_, err := syntax.Parse(text, syntax.Perl)
	return err
}

// Checked returns the pattern that text is, for which [Check] must have returned no error.
//
// Clause: VAL-030.
func Checked(text string) *Pattern { return &Pattern{text: text} }

// ErrTooCostly says that it would take too long to read a pattern.
var ErrTooCostly = errors.New("regular expression is too large")

// CompileFor is Compile of a pattern that is used for a short while only. The work of reading it is counted, in steps. If it is more than
// maxReading or the meter refuses it, the error is ErrTooCostly. meter is not nil.
//
// Clause: VAL-030.
func CompileFor(text string, meter Meter) (*Pattern, error) {
	affordable := func(work int) bool { return work <= maxReading && meter.Spend(work) }
	p := &Pattern{text: text, brief: true}
	switch {
	case literal(text):
		if !affordable(20 + len(text)/4) {
			return nil, ErrTooCostly
		}
	case !affordable(20 + 2*len(text)):
		return nil, ErrTooCostly
	case plain(text):
	case !affordable(readingWork(text)):
		return nil, ErrTooCostly
	default:
		re, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, err
		}
		p.tree = treeOf(re)
	}
	return p, nil
}

// Bounds on patterns that package regexp/syntax has to read.
const (
	// maxReading is the work of reading a pattern that a rule computes, in steps: less than 0.1 seconds.
	maxReading = 1 << 22
	// maxSyntax is the work of reading all patterns of a schema, in steps: about a second. The plain ones do not count.
	maxSyntax = 1 << 26
)

// readingWork returns about how many steps package regexp/syntax takes to read a pattern.
func readingWork(text string) int {
	const (
		least    = 50
		perTable = 2_000   // a class of Unicode
		perRange = 230_000 // a range that is not only ASCII, where the case of letters does not count
	)
	work := least + len(text)*(10+min(len(text)/1000, 150)) // long texts fall out of caches
	folds := false
	for at := 0; at+2 < len(text); at++ {
		switch two := text[at : at+2]; {
		case two == `\p` || two == `\P`:
			work += perTable
		case two == "(?" && !folds:
			flags := text[at+2:]
			for len(flags) > 0 && strings.IndexByte("imsU", flags[0]) >= 0 {
				folds = folds || flags[0] == 'i'
				flags = flags[1:]
			}
		case folds && text[at] == '-' && (text[at+1] == '\\' || text[at+1] >= utf8.RuneSelf):
			work += perRange
		}
	}
	return work
}

// maxLiteral is the length of the longest pattern that is taken for a literal. Package regexp/syntax has a limit that is a little larger.
const maxLiteral = 3 << 20

// literal reports whether a pattern matches itself and nothing else. U+FFFD is no literal, since it also matches bytes that are no UTF-8.
func literal(text string) bool {
	return len(text) <= maxLiteral && !strings.ContainsAny(text, `\.+*?()|[]{}^$`) && utf8.ValidString(text) && !strings.Contains(text, "\uFFFD")
}

// String returns the text that the pattern was compiled from.
func (p *Pattern) String() string { return p.text }

// MatchString reports whether s, which may be any string, contains a match of the pattern: what [regexp.Regexp.MatchString]
// reports for the same text. It allocates for what it meets for the first time. Later it does not, but where the automaton has no answer:
// if s is not ASCII, or the pattern too large. If that takes more than maxMatching steps, the answer is no.
//
// Clause: VAL-030.
func (p *Pattern) MatchString(s string) bool {
	steps := maxMatching
	return p.match(s, nil, &steps)
}

// MatchWithin is MatchString for one of several matches that have so many steps together. They are counted down, but for those of the
// automaton, which takes a few nanoseconds a byte. If none are left, the answer is no.
//
// Clause: VAL-030.
func (p *Pattern) MatchWithin(s string, steps *int) bool { return p.match(s, nil, steps) }

// Match is MatchString whose work meter counts, but for that of the automaton, which takes a few nanoseconds a byte. If meter stops it, it
// reports false.
//
// Clause: VAL-030.
func (p *Pattern) Match(s string, meter Meter) bool { return p.match(s, meter, nil) }

// match counts its work down in steps, or tells meter if steps is nil.
func (p *Pattern) match(s string, meter Meter, steps *int) bool {
	d := p.matcher.Load()
	if d == nil {
		if t := p.firstTree(s); t != nil {
			return t.match(s, meter, steps)
		}
		d = p.build(&p.matcher, false)
	}
	switch d.match(s) {
	case accept:
		return true
	case reject:
		return false
	}
	if d.tree == nil {
		return strings.Contains(s, d.literal)
	}
	return d.tree.match(s, meter, steps)
}

// maxMatching is the work of one match of a string with a schema's pattern, in steps: one or two seconds.
const maxMatching = 1 << 27

// An allowance is a meter that stops at zero.
type allowance int

// Spend counts steps.
func (a *allowance) Spend(steps int) bool {
	*a -= allowance(steps)
	return *a > 0
}

// match reports whether s has a match, without an automaton. It counts as [Pattern.match] does.
func (t *tree) match(s string, meter Meter, steps *int) bool {
	m := takeMachine(t)
	defer m.release()
	if steps != nil {
		if *steps <= 0 {
			return false
		}
		m.rest, m.steps = allowance(*steps), 0
		meter = &m.rest
		defer func() { *steps = int(m.rest) - m.steps }()
	}
	found, _ := m.simulate(s, 0, true, meter)
	return found.from >= 0
}

// Find returns the first part of s that matches: what [regexp.Regexp.FindString] returns. meter is that of Match. If meter stops it, it
// returns "".
//
// Clauses: CEN-027, CLI-001.
func (p *Pattern) Find(s string, meter Meter) string {
	if d := p.finder.Load(); d != nil && d.tree != nil {
		effort := effortFor(s)
		if found, ok := d.find(s, 0, d.tree.anchored, &effort); ok {
			return found.of(s)
		}
	}
	search := p.search(s, meter)
	defer search.end()
	found := search.next(0)
	return found.of(s)
}

// FindAll calls yield with the parts of s that match, one after another: what [regexp.Regexp.FindAllString] returns. It ends if yield
// returns false. meter is that of Match. If meter stops it, some parts are missing.
//
// Time is linear in s while the positions in s, times the instructions of the pattern that s can reach, are at most 256 million.
// Beyond that each match takes the time of a search through the rest of s.
//
// Clauses: CEN-027, CLI-001.
func (p *Pattern) FindAll(s string, meter Meter, yield func(part string) bool) {
	search := p.search(s, meter)
	search.all(yield)
}

func (x *search) all(yield func(part string) bool) {
	defer x.end()
	for at, last := 0, -1; at <= len(x.s); {
		found := x.next(at)
		if found.from < 0 {
			return
		}
		// An empty match right behind another match does not count. Behind an empty match at this position the search goes on at
		// the next character.
		counts := found.to > at || found.from != last
		if last = found.to; found.to > at {
			at = found.to
		} else {
			_, _, width := around(x.s, at)
			at += max(width, 1)
		}
		if counts && !yield(x.s[found.from:found.to]) {
			return
		}
	}
}

// A search finds matches in one string, one after another.
type search struct {
	dfa     *dfa
	s       string
	meter   Meter
	effort  int // that the automaton may still make
	machine *machine
	simple  bool // there is no room for a memo
}

func (p *Pattern) search(s string, meter Meter) search {
	d := p.finder.Load()
	if d == nil {
		d = p.build(&p.finder, true)
	}
	return search{dfa: d, s: s, meter: meter, effort: effortFor(s)}
}

// effortFor returns how many bytes an automaton may look at in s before something else that never looks at them twice takes over.
func effortFor(s string) int { return 8*len(s) + 64 }

// next returns the first match that begins at a position or behind it.
func (x *search) next(at int) span {
	if x.dfa.tree == nil {
		i := strings.Index(x.s[at:], x.dfa.literal)
		if i < 0 {
			return noSpan
		}
		return span{at + i, at + i + len(x.dfa.literal)}
	}
	if x.machine == nil {
		if found, ok := x.dfa.find(x.s, at, x.dfa.tree.anchored, &x.effort); ok {
			return found
		}
		x.machine = takeMachine(x.dfa.tree)
		x.machine.memo.reset()
	}
	if !x.simple {
		found, end := x.machine.remember(x.s, at, x.meter)
		if end != noRoom {
			return found
		}
		x.simple = true
		x.machine.memo.reset()
	}
	found, _ := x.machine.simulate(x.s, at, false, x.meter)
	return found
}

func (x *search) end() {
	if x.machine != nil {
		x.machine.memo.reset()
		x.machine.release()
	}
}

// The first string of a pattern is matched without a deterministic automaton, if it is short. Many patterns meet only one, such as a default:
// to make an automaton for it would take two to five times as long, and 3 to 7 KB that stay.
const (
	firstStrings = 1
	longestFirst = 64  // of the string
	longestBrief = 500 // of the pattern
)

// firstTree returns the tree to match s with, if s is among the first strings that the pattern meets, else nil.
func (p *Pattern) firstTree(s string) *tree {
	if len(s) > longestFirst || p.met.Load() >= firstStrings || p.met.Add(1) > firstStrings {
		return nil
	}
	if p.tree != nil {
		return p.tree
	}
	if len(p.text) > longestBrief {
		return nil
	}
	var g grower
	if root, ok := growPlain(p.text, &g); ok {
		return g.finish(root)
	}
	return nil // package regexp/syntax takes longer to read a pattern than the automaton takes to be made: it reads it once
}

// build returns one of the pattern's automata. Of those that several goroutines build at once, one is used by all.
func (p *Pattern) build(at *atomic.Pointer[dfa], finds bool) *dfa {
	var d *dfa
	if literal(p.text) {
		d = &dfa{literal: p.text}
	} else {
		var h *holding
		if !p.brief {
			h = newHolding(p)
		}
		t := p.tree
		if t == nil {
			t = parse(p.text)
		}
		d = newDFA(t, finds, h)
	}
	// What is built is returned, even if it was dropped at once to save memory.
	if !at.CompareAndSwap(nil, d) {
		if other := at.Load(); other != nil {
			return other
		}
	}
	return d
}

// drop lets go of the automaton of a holding. It is built again when it is needed.
func (p *Pattern) drop(h *holding) {
	for _, at := range []*atomic.Pointer[dfa]{&p.matcher, &p.finder} {
		if d := at.Load(); d != nil && d.holding == h {
			at.CompareAndSwap(d, nil)
		}
	}
}
