package compat

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/pattern"
)

// textEffort is how many steps one question about patterns may take.
const maxTextSteps = 20_000

// texts yields texts of some length that all patterns of f match and another does not; miss may be nil. It reports true if there are no others.
func (f *facts) matchingTexts(miss *pattern.Pattern, least, most int64, yield func(string) bool) bool {
	var match []*pattern.Pattern
	for _, c := range f.patterns {
		if c.BadPattern != nil {
			return true
		}
		if !slices.ContainsFunc(match, func(p *pattern.Pattern) bool { return p.String() == c.PatternText }) {
			match = append(match, c.Pattern)
		}
	}
	if len(match) == 0 {
		match = append(match, everyText)
	}
	complete, steps := pattern.Texts(match, miss, least, most, f.loc.proofs.limit(maxTextSteps), yield)
	f.loc.proofs.spend(steps)
	return complete
}

var everyText = pattern.Checked("")

// noText reports whether it is proved that f has no text with a length between least and most.
func (f *facts) noTextOfLength(least, most int64) bool {
	if least > most {
		return true
	}
	if len(f.patterns) == 0 {
		return false
	}
	found := false
	complete := f.matchingTexts(nil, least, most, func(string) bool { found = true; return false })
	return complete && !found
}

// maxMade is the size of the largest text, list or object that is made for a witness.
const maxMadeSize = 100_000

// sized returns texts of some length that the patterns of f match.
func (f *facts) textsOfLength(least, most int64) (found []any) {
	if least > maxMadeSize || least > most {
		return nil
	}
	if len(f.patterns) == 0 {
		return []any{strings.Repeat("a", int(least)), strings.Repeat("0", int(least)), strings.Repeat("-", int(least)), strings.Repeat("YWJj", int(least)/4+1)}
	}
	f.matchingTexts(nil, least, most, func(s string) bool {
		found = append(found, s)
		return len(found) < 10
	})
	return found
}
