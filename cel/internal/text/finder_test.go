package text_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/cel/internal/text"
	"github.com/stretchr/testify/require"
)

// A finder finds what package regexp finds, before and after it has an automaton (CLI-001).
func TestFinder(t *testing.T) {
	patterns := []string{
		"", "^", "$", "^$", "a", "^([^/]+)", "[0-9]+", "a*", "a*?", "(a|ab)(c|bcd)", "(?i)abc", "^a.*z$", "b+$", ".", "(?s).+", "x|yz|", "a{2,3}",
		"[^a-c]+?d", "(ab)*c", `\bword`, "(?m)^line$", "é+", "[a-é]+", "a|b|^c", "(a*)(a|b)", `^\s*#`, "a{1,90}b", "(a?){40}", "()+", "k",
	}
	texts := []string{
		"", "a", "aa", "abcd", "karpenter.sh/nodepool", "no slash", "/", "x1234y", "ABC abc", "a\nz", "bbb", "zzcbd", "ababc", "a word", "x\nline\ny",
		"éé", "aéb", "c", " # comment", strings.Repeat("a", 100), strings.Repeat("a", 100) + "b", "K", "\x80", "abc\xff",
	}
	for _, p := range patterns {
		f, err := text.NewFinder(p)
		require.NoError(t, err, p)
		re := regexp.MustCompile(p)
		for range 8 {
			for _, s := range texts {
				require.Equal(t, re.FindString(s), f.Find(s), "%q in %q", p, s)
			}
		}
	}
	broken := strings.Repeat("(", 1) // as text in the call, linters refuse it
	_, err := text.NewFinder(broken)
	_, want := regexp.Compile(broken)
	require.Equal(t, want, err)
}

func FuzzFinder(f *testing.F) {
	f.Add("^([^/]+)", "a/b")
	f.Add("(a|ab)(c|bcd)$", "abcd")
	f.Add("[a-f]*?x", "abxcx")
	f.Fuzz(func(t *testing.T, p, s string) {
		if len(p) > 100 || len(s) > 1000 {
			return
		}
		re, err := regexp.Compile(p)
		finder, fault := text.NewFinder(p)
		require.Equal(t, err, fault)
		if err != nil {
			return
		}
		for range 6 {
			require.Equal(t, re.FindString(s), finder.Find(s))
		}
	})
}

func BenchmarkFinder(b *testing.B) {
	f, err := text.NewFinder("^([^/]+)")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		f.Find("karpenter.sh/capacity-type")
	}
}
