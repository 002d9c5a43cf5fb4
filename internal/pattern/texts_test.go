package pattern_test

import (
	"math"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/pattern"
)

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		match       []string
		miss        string
		least, most int64
		want        string // the first text
		none        bool
	}{
		{match: []string{`^[a-z]+$`}, miss: `^[a-z]{1,3}$`, most: 10, want: "aaaa"},
		{match: []string{`^[a-z]+$`}, miss: `^[a-z]{1,3}$`, most: 3, none: true},
		{match: []string{`^[a-z]{1,3}$`}, miss: `^[a-z]+$`, most: math.MaxInt64, none: true},
		{match: []string{`^(foo|bar)$`}, miss: `^(bar|foo)$`, most: math.MaxInt64, none: true},
		{match: []string{`^(?:a|b)*$`}, miss: `^[ab]*$`, most: math.MaxInt64, none: true},
		{match: []string{`^[0-9a-z]$`}, miss: `^\w$`, most: math.MaxInt64, none: true},
		{match: []string{`^\w$`}, miss: `^[0-9a-z_]$`, most: math.MaxInt64, want: "A"},
		{match: []string{`a`}, miss: `^a`, most: math.MaxInt64, want: "ba"},
		{match: []string{`^a.*$`, `^.*b$`}, miss: `^a[a-z]*b$`, most: math.MaxInt64, want: "a0b"},
		{match: []string{`^.+$`}, miss: `^(.|\n)+$`, most: math.MaxInt64, none: true},
		{match: []string{`^(.|\n)+$`}, miss: `^.+$`, most: math.MaxInt64, want: "\n"},
		{match: []string{`^\p{L}$`}, miss: `^[a-zA-Z]$`, most: math.MaxInt64, want: "ª"},
		{match: []string{`^[^/]*$`}, miss: `^[^/é]*$`, most: math.MaxInt64, want: "é"},
		{match: []string{`^(?i)abc$`}, miss: `^[aA][bB][cC]$`, most: math.MaxInt64, none: true},
		{match: []string{`\bfoo\b`}, miss: `(^|[^0-9A-Za-z_])foo([^0-9A-Za-z_]|$)`, most: math.MaxInt64, none: true},
		{match: []string{`^a*$`}, miss: `^a{0,5}$`, least: 8, most: 9, want: "aaaaaaaa"},
		{match: []string{``}, miss: `x`, most: math.MaxInt64, want: ""},
		{match: []string{`abc`}, miss: `b`, most: math.MaxInt64, none: true},
	} {
		var match []*pattern.Pattern
		for _, text := range c.match {
			match = append(match, compile(t, text))
		}
		found := 0
		complete, _ := pattern.Texts(match, compile(t, c.miss), c.least, c.most, 10000, func(s string) bool {
			if found++; found == 1 && !c.none {
				require.Equal(t, c.want, s, "%q but not %q", c.match, c.miss)
			}
			require.True(t, utf8.ValidString(s))
			for _, text := range c.match {
				require.Regexp(t, regexp.MustCompile(text), s)
			}
			require.NotRegexp(t, regexp.MustCompile(c.miss), s)
			return found < 20
		})
		require.Equal(t, c.none, found == 0, "%q but not %q", c.match, c.miss)
		require.True(t, complete || !c.none, "%q but not %q", c.match, c.miss)
	}
}

// What is too much for a search is not proved.
func TestTextsGivesUp(t *testing.T) {
	all := func(string) bool { return true }
	long := compile(t, `^[ab]*a[ab]{14}$`)
	complete, steps := pattern.Texts([]*pattern.Pattern{long}, compile(t, `^[ab]*$`), 0, math.MaxInt64, 2000, all)
	require.False(t, complete)
	require.Positive(t, steps)
	complete, steps = pattern.Texts([]*pattern.Pattern{compile(t, `^a$`)}, compile(t, `^a$`), 0, 5, 0, all)
	require.False(t, complete)
	require.Zero(t, steps)
}

func FuzzTexts(f *testing.F) {
	f.Add(`^[a-z]+$`, `^\w{1,3}$`, "abcd")
	f.Add(`(?i)k`, `[kK]`, "\u212a")
	f.Add(`(?m)^a$`, `\ba\B`, "a\nb")
	f.Fuzz(func(t *testing.T, match, miss, s string) {
		p, err := pattern.Compile(match)
		q, err2 := pattern.Compile(miss)
		if err != nil || err2 != nil || !utf8.ValidString(s) || len(match)+len(miss) > 200 {
			return
		}
		n := 0
		complete, _ := pattern.Texts([]*pattern.Pattern{p}, q, 0, math.MaxInt64, 5000, func(s string) bool {
			n++
			require.True(t, p.MatchString(s) && !q.MatchString(s), "%q", s)
			return n < 50
		})
		if complete && n == 0 {
			require.False(t, p.MatchString(s) && !q.MatchString(s), "%q", s)
		}
	})
}

func compile(t *testing.T, text string) *pattern.Pattern {
	t.Helper()
	p, err := pattern.Compile(text)
	require.NoError(t, err)
	return p
}
