package compat

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/plan"
)

// The texts of findings: what a side says about a keyword, or "none".

// limitText returns the text of a limit of a size.
func limitText(n int64) string {
	if n == math.MaxInt64 || n == math.MinInt64 {
		return "none"
	}
	return fmt.Sprint(n)
}

// boundsText returns the text of bounds of numbers.
func boundsText(bounds []*plan.Bound) string {
	var parts []string
	for _, b := range bounds {
		s := fmt.Sprint(b.Value)
		if b.Exclusive {
			s += " (exclusive)"
		}
		parts = append(parts, s)
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

//go:noinline
func (f *facts) typeText() string {
	if f.loc.node == nil {
		return "any"
	}
	t := cmp.Or(f.loc.node.TypeText(), "any")
	if f.accept&plan.KindNull != 0 && f.loc.node.Has&plan.Nullable != 0 {
		t += ", nullable"
	}
	return t
}

func (f *facts) formatText() string {
	if f.loc.node == nil {
		return "none"
	}
	return cmp.Or(f.loc.node.Format, "none")
}

func (f *facts) enumText() string {
	if len(f.enums) == 0 {
		return "none"
	}
	return short(f.enums[0].Supported())
}

func (f *facts) patternText() string {
	var parts []string
	for _, c := range f.patterns {
		parts = append(parts, c.PatternText)
	}
	return short(cmp.Or(strings.Join(parts, ", "), "none"))
}

func (f *facts) listText() string {
	if f.list == plan.ListMap {
		return "map of " + strings.Join(f.keys, ", ")
	}
	return max(f.list, plan.ListAtomic).String()
}

// combinatorsText returns the text of the combinators with a keyword, or the beginning of it.
func combinatorsText(combinators []combinator, keyword string, p *proofState) string {
	text := ""
	for _, c := range combinators {
		if c.keyword != keyword || len(text) > maxShort {
			continue
		}
		if text != "" {
			text += " and "
		}
		c.branches = c.branches[:min(len(c.branches), maxShort/2)]
		text += p.combinatorText(c)
	}
	return short(cmp.Or(text, "none"))
}

// maxShort is how many characters such a text has at most.
const maxShort = 120

// short returns s, cut to maxShort characters.
func short(s string) string { return cut(s, maxShort) }

// cut returns s, cut to a number of characters.
func cut(s string, most int) string {
	if r := []rune(s[:min(len(s), utf8.UTFMax*(most+1))]); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
