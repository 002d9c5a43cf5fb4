package pattern

import (
	"errors"
	"regexp/syntax"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Pattern is a regular expression. It reports whether strings match it, and finds the matches. A Pattern is made by
// [Compile]; the zero Pattern is empty and matches everything. It may be used by multiple goroutines, and must not be
// copied.
type Pattern struct {
	text    string
	tree    *tree        // of a brief pattern that is not plain
	brief   bool         // it is used a few times and then dropped, so its memory is not counted
	met     atomic.Int32 // the number of strings matched without keeping an automaton
	matcher atomic.Pointer[dfa]
	finder  atomic.Pointer[dfa]
}

// Compile returns the pattern for text, in the syntax of package regexp. If text is not valid, the error is the one
// that [regexp.Compile] returns, or that of package regexp for a pattern that is too large. Compile only checks the
// syntax: everything else happens at the first match.
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

// Check is like the function [Check], but limits the work of parsing all patterns that it checks.
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

// Checked returns the pattern for text, for which [Check] must have returned no error.
//
// Clause: VAL-030.
func Checked(text string) *Pattern { return &Pattern{text: text} }

// ErrTooCostly means that parsing a pattern would take too long.
var ErrTooCostly = errors.New("regular expression is too large")

// CompileFor is Compile for a pattern that is used only briefly. The work of parsing it is counted in steps. If it
// exceeds maxReading or the meter refuses it, the error is ErrTooCostly. meter is not nil.
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

// Limits on patterns that package regexp/syntax parses.
const (
	// maxReading limits the work of parsing a pattern that a rule computes, in steps: less than 0.1 seconds.
	maxReading = 1 << 22
	// maxSyntax limits the work of parsing all patterns of a schema, in steps: about a second. Plain patterns do not
	// count.
	maxSyntax = 1 << 26
)

// readingWork returns the approximate number of steps that package regexp/syntax takes to parse a pattern.
func readingWork(text string) int {
	const (
		least    = 50
		perTable = 2_000   // a class of Unicode
		perRange = 230_000 // a range beyond ASCII, with case folding
	)
	work := least + len(text)*(10+min(len(text)/1000, 150)) // long texts do not fit in caches
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

// maxLiteral is the maximum length of a pattern that is treated as a literal. The limit of package regexp/syntax is a
// little larger.
const maxLiteral = 3 << 20

// literal reports whether a pattern matches only itself. U+FFFD is not a literal, because it also matches bytes that
// are not UTF-8.
func literal(text string) bool {
	return len(text) <= maxLiteral && !strings.ContainsAny(text, `\.+*?()|[]{}^$`) && utf8.ValidString(text) &&
		!strings.Contains(text, "\uFFFD")
}

// String returns the text that the pattern was compiled from.
func (p *Pattern) String() string { return p.text }

// MatchString reports whether s, which may be any string, contains a match of the pattern: the result of
// [regexp.Regexp.MatchString] for the same text. It allocates when it needs new states. It also allocates if the
// automaton has no result: if s is not ASCII, or the pattern is too large. If that takes more than maxMatching steps,
// the result is false.
//
// Clause: VAL-030.
func (p *Pattern) MatchString(s string) bool {
	steps := maxMatching
	return p.match(s, nil, &steps)
}

// MatchWithin is MatchString for one of several matches that share a number of steps. The steps are decremented, except
// for those of the automaton, which takes a few nanoseconds a byte. If none are left, the result is false.
//
// Clause: VAL-030.
func (p *Pattern) MatchWithin(s string, steps *int) bool { return p.match(s, nil, steps) }

// Match is MatchString with its work counted by meter, except for that of the automaton, which takes a few nanoseconds
// a byte. If meter stops it, it reports false.
//
// Clause: VAL-030.
func (p *Pattern) Match(s string, meter Meter) bool { return p.match(s, meter, nil) }

// match subtracts its work from steps, or reports it to meter if steps is nil.
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

// maxMatching limits the work of matching a string with a schema's pattern, in steps: one or two seconds.
const maxMatching = 1 << 27

// An allowance is a meter that stops at zero.
type allowance int

// Spend subtracts steps.
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
	return m.simulate(s, 0, true, meter).from >= 0
}

// Find returns the first match in s: the result of [regexp.Regexp.FindString]. meter is that of Match. If meter stops
// it, it returns "".
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

// FindAll calls yield with the matches in s, one after another: the results of [regexp.Regexp.FindAllString]. It ends
// if yield returns false. meter is that of Match. If meter stops it, some matches are missing.
//
// Time is linear in s while the positions in s, times the instructions of the pattern that s can reach, are at most 256
// million. Beyond that each match takes the time of a search through the rest of s.
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
		// An empty match directly after another match does not count. After an empty match at this position the search
		// continues at the next character.
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
	effort  int // bytes that the automaton may still read
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

// effortFor returns the number of bytes of s that an automaton may read before another method takes over, which never
// reads a byte twice.
func effortFor(s string) int { return 8*len(s) + 64 }

// next returns the first match that begins at or after a position.
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
		if found, ok := x.machine.remember(x.s, at, x.meter); ok {
			return found
		}
		x.simple = true
		x.machine.memo.reset()
	}
	return x.machine.simulate(x.s, at, false, x.meter)
}

func (x *search) end() {
	if x.machine != nil {
		x.machine.memo.reset()
		x.machine.release()
	}
}

// The first string of a pattern is matched without a deterministic automaton if it is short. Many patterns match only
// one string, such as a default. Building an automaton for it would take two to five times as long, and keep 3 to 7 KB.
const (
	firstStrings = 1
	maxFirstLen  = 64  // of the string
	maxBriefLen  = 500 // of the pattern
)

// firstTree returns the tree to match s with if s is one of the pattern's first strings, else nil.
func (p *Pattern) firstTree(s string) *tree {
	if len(s) > maxFirstLen || p.met.Load() >= firstStrings || p.met.Add(1) > firstStrings {
		return nil
	}
	if p.tree != nil {
		return p.tree
	}
	if len(p.text) > maxBriefLen {
		return nil
	}
	var g grower
	if root, ok := growPlain(p.text, &g); ok {
		return g.finish(root)
	}
	return nil // package regexp/syntax takes longer than building the automaton: the pattern is parsed only once
}

// build returns one of the pattern's automata. If several goroutines build it at the same time, all use one.
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
	// The automaton is returned even if it was dropped immediately to save memory.
	if !at.CompareAndSwap(nil, d) {
		if other := at.Load(); other != nil {
			return other
		}
	}
	return d
}

// drop removes the automaton of a holding. It is built again when needed.
func (p *Pattern) drop(h *holding) {
	for _, at := range []*atomic.Pointer[dfa]{&p.matcher, &p.finder} {
		if d := at.Load(); d != nil && d.holding == h {
			at.CompareAndSwap(d, nil)
		}
	}
}
