package pattern

import (
	"regexp"
	"regexp/syntax"
	"sync/atomic"
)

// Pattern is a regular expression that says whether strings match it. A Pattern is made by [Compile]; the zero Pattern is
// empty and matches everything. It may be used by multiple goroutines at once, and must not be copied.
type Pattern struct {
	text    string
	glances atomic.Int32 // how many strings were matched without an automaton that stays
	dfa     atomic.Pointer[dfa]
	re      atomic.Pointer[regexp.Regexp]
}

// Compile returns the pattern that text is, in the syntax of package regexp. The error, if text is not valid, is the one that
// [regexp.Compile] returns. Only the syntax is looked at: everything else happens at the first match.
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
func Check(text string) error {
	if plain(text) {
		return nil
	}
	_, err := syntax.Parse(text, syntax.Perl)
	return err
}

// Checked returns the pattern that text is, for which [Check] must have returned no error.
//
// Clause: VAL-030.
func Checked(text string) *Pattern { return &Pattern{text: text} }

// String returns the text that the pattern was compiled from.
func (p *Pattern) String() string { return p.text }

// MatchString reports whether s, which may be any string, contains a match of the pattern: what [regexp.Regexp.MatchString]
// reports for the same text. It allocates for what it meets for the first time. Later it does not, but for what package regexp
// allocates where that answers: if s is not ASCII, or the pattern too large.
//
// Clause: VAL-030.
func (p *Pattern) MatchString(s string) bool {
	d := p.dfa.Load()
	if d == nil {
		if matched, ok := p.glance(s); ok {
			return matched
		}
		d = p.buildDFA()
	}
	switch d.match(s) {
	case accept:
		return true
	case reject:
		return false
	}
	return p.regexp().MatchString(s)
}

// The first string is matched at a glance, if it is short: many a pattern sees no more than a default.
const (
	maxGlances    = 1
	longestGlance = 64
)

// glance reports whether s has a match, if it is among the first strings that a plain pattern sees: else it is not ok.
func (p *Pattern) glance(s string) (matched, ok bool) {
	if len(s) > longestGlance || p.glances.Load() >= maxGlances {
		return false, false
	}
	p.glances.Add(1)
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false, false
		}
	}
	var n nfa
	whole, ok := readPlain(p.text, &n)
	if !ok || n.full {
		return false, false
	}
	return n.match(whole, s), true
}

// buildDFA returns the pattern's automaton. Of those that several goroutines build at once, one is used by all.
func (p *Pattern) buildDFA() *dfa {
	p.dfa.CompareAndSwap(nil, newDFA(p.text))
	return p.dfa.Load()
}

// regexp returns the regular expression, which answers what the automaton cannot.
func (p *Pattern) regexp() *regexp.Regexp {
	if re := p.re.Load(); re != nil {
		return re
	}
	// Invariant: Compile has checked the syntax, and that is all that can fail here.
	p.re.CompareAndSwap(nil, regexp.MustCompile(p.text))
	return p.re.Load()
}
