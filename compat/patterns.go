package compat

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/pattern"
)

// maxTextSteps bounds the steps of one search for texts.
const maxTextSteps = 20_000

// matchingTexts yields texts with a length from least to most that all patterns of f match, and miss does not; miss may
// be nil. It reports true if there are no others.
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

// everyText matches all texts.
var everyText = pattern.Checked("")

// noTextOfLength reports whether it is proved that the patterns of f match no text with a length from least to most.
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

// maxMadeSize is the size of the largest text, list or object that is made for a witness.
const maxMadeSize = 100_000

// textsOfLength returns some texts with a length from least to most that the patterns of f match.
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
