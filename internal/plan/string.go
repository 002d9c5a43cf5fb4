package plan

import (
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/pattern"
)

// StringChecks are the checks of a string, in the order in which they are made. Only the first failure counts
// (VAL-030).
type StringChecks struct {
	MinLength, MaxLength int64 // in runes; math.MinInt64, math.MaxInt64: no bound
	Pattern              *pattern.Pattern
	BadPattern           error // of a Pattern that does not compile; then no string matches
	PatternText          string
	Format               *format.Format // nil: none, or an unknown one
}

// A StringFault is the first check of minLength, maxLength and pattern that a string fails.
type StringFault uint8

// The faults of strings.
const (
	StringFine StringFault = iota
	TooLong
	TooShort
	NoMatch
)

// Fault returns the first check that s fails: maxLength, minLength, then pattern. The format is not one of them. Fault
// subtracts the steps of the pattern's search from work, which bounds the searches in all strings of a value. If no
// work is left, the pattern does not match.
func (c *StringChecks) Fault(s string, work *int) StringFault {
	// A string of n bytes has at most n and at least n/4 runes. So runes need not be counted in most cases.
	if n := int64(len(s)); n > c.MaxLength || n/4 < c.MinLength {
		r := int64(utf8.RuneCountInString(s))
		if r > c.MaxLength {
			return TooLong
		}
		if r < c.MinLength {
			return TooShort
		}
	}
	if c.BadPattern != nil || c.Pattern != nil && !c.Pattern.MatchWithin(s, work) {
		return NoMatch
	}
	return StringFine
}
