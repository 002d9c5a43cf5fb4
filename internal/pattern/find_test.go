package pattern

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// findPatterns are patterns whose alternatives and repetitions have an order that matters.
var findPatterns = []string{
	"", "^", "$", "^$", "a", "^([^/]+)", "[0-9]+", "a*", "a*?", "(a|ab)(c|bcd)", "(?i)abc", "^a.*z$", "b+$", ".", "(?s).+", "x|yz|", "a{2,3}",
	"[^a-c]+?d", "(ab)*c", `\bword`, "(?m)^line$", "é+", "[a-é]+", "a|b|^c", "(a*)(a|b)", `^\s*#`, "a{1,90}b", "(a?){40}", "()+", "k", "a*?b|a",
	"(|a)*", "(|a)+", "(a|)*", "(?:a*?)*", "(a{0,2}){1,3}", "(a{0,2}?){2,}b", "(a|b)*?(ab|b)", `\b`, `\B`, "(?m)$", "(?m)^", `(^|\b)a`, "(a??b??)*?c", "a{3}?",
	"(a{2}|a)*", "(?:^a|b)*", "世|界", "(?i)k+", "abc", "[[:^ascii:]]+", "a{0}b", "(a*?){3}", "(?U)a+b*", "(x?(y|$))*",
}

var findTexts = []string{
	"", "a", "aa", "abcd", "karpenter.sh/nodepool", "no slash", "/", "x1234y", "ABC abc", "a\nz", "bbb", "zzcbd", "ababc", "a word", "x\nline\ny",
	"éé", "aéb", "c", " # comment", strings.Repeat("a", 100), strings.Repeat("a", 100) + "b", "K", "\x80", "abc\xff", "aab aab", "世界 a", "\u212ak\n", "xyzxy",
}

// searches are the ways in which a match is found.
var searches = map[string]func(p *Pattern, s string) search{
	"automaton": func(p *Pattern, s string) search { return p.search(s, nil) },
	"memo": func(p *Pattern, s string) search {
		x := p.search(s, nil)
		if x.dfa.tree != nil {
			x.machine = takeMachine(x.dfa.tree)
			x.machine.memo.reset()
		}
		return x
	},
	"simulation": func(p *Pattern, s string) search {
		x := p.search(s, nil)
		x.simple = true
		if x.dfa.tree != nil {
			x.machine = takeMachine(x.dfa.tree)
		}
		return x
	},
}

func requireSameMatches(t *testing.T, re *regexp.Regexp, p *Pattern, s string) {
	t.Helper()
	for name, begin := range searches {
		x := begin(p, s)
		var got []string
		x.all(func(part string) bool {
			got = append(got, part)
			return true
		})
		require.Equal(t, re.FindAllString(s, -1), got, "%s: %q in %q", name, p, s)
		x = begin(p, s)
		want := noSpan
		if at := re.FindStringIndex(s); at != nil {
			want = span{at[0], at[1]}
		}
		require.Equal(t, want, x.next(0), "%s: %q in %q", name, p, s)
		x.end()
	}
	require.Equal(t, re.FindString(s), p.Find(s, nil), "%q in %q", p, s)
}

// TestFind proves that what is found is what package regexp finds, in each way (CEN-027, CLI-001).
func TestFind(t *testing.T) {
	for _, text := range findPatterns {
		p, err := Compile(text)
		require.NoError(t, err, text)
		re := regexp.MustCompile(text)
		for range 2 {
			for _, s := range findTexts {
				requireSameMatches(t, re, p, s)
				require.Equal(t, re.MatchString(s), p.MatchString(s), "%q in %q", p, s)
			}
		}
	}
	for _, tt := range cases {
		p, err := Compile(tt.text)
		require.NoError(t, err, tt.text)
		for _, s := range append(tt.good, tt.bad...) {
			requireSameMatches(t, regexp.MustCompile(tt.text), p, s)
		}
	}
}

func TestFindAllStops(t *testing.T) {
	n := 0
	Checked("a").FindAll("aaaa", nil, func(string) bool {
		n++
		return n < 2
	})
	require.Equal(t, 2, n)
}

func FuzzFind(f *testing.F) {
	for i, text := range findPatterns {
		f.Add(text, findTexts[i%len(findTexts)])
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		if strings.Count(text, "{") > 2 || len(text) > 100 || len(s) > 300 || surrogate.MatchString(text) {
			return
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return
		}
		p, err := Compile(text)
		require.NoError(t, err)
		requireSameMatches(t, re, p, s)
		require.Equal(t, re.MatchString(s), p.MatchString(s), "%q on %q", text, s)
	})
}

func BenchmarkFind(b *testing.B) {
	p, err := Compile("^([^/]+)")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		p.Find("karpenter.sh/capacity-type", nil)
	}
}
