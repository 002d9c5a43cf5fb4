package pattern

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlain(t *testing.T) {
	for _, text := range []string{
		"", "abc", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", `^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`, "^.{1,63}$", "a|b||", "()", "(?:a|(b))+?c", "[^/]+",
		"[a-]", "[-a]", `[\w\-.]{2,}`, "a{0}", "(a{10}){100}", "^$", "^*", `[a-zA-Z_][a-zA-Z0-9_]*`, "a{3}?", "a{1000}", "ä", "a世?", strings.Repeat("a", 10_000), strings.Repeat("(", 50) + strings.Repeat(")", 50),
	} {
		require.True(t, plain(text), "%q", text)
		_, err := syntax.Parse(text, syntax.Perl)
		require.NoError(t, err, "%q", text)
	}
	for _, text := range []string{
		"*", "a|*", "(*a)", "a**", "a+{2}", "a{2}{3}", "a{2}??*", "(", ")", "a)", "(a", "[", "[]", "[]a]", "[^]", "[a", "[z-a]", "[a-Z]", `[\d-z]`, "[a-b-c]", "[[:alpha:]]",
		`\`, `\q`, `\p{L}`, `[\`, "(?i)a", "(?P<a>b)", "(?", "a{", "a{,2}", "a{2,1}", "a{1001}", "a{0001}", "(a{10}){101}", "((a{10}){10}){11}", "[ä]", "\xff", "a\x00", "a\nb",
		strings.Repeat("(", 51) + strings.Repeat(")", 51), "}", "]",
	} {
		require.False(t, plain(text), "%q", text)
		_, err := syntax.Parse(text, syntax.Perl)
		require.Equal(t, err, Check(text), "%q", text)
	}
}

// What is plain is valid.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", `(\w{2,3}|[^\d.]+?){1,}\.(?:a|b)*`, "(a{10}){100}", "a|*", "[a-]]", "a{2}{3}", "^**"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if plain(text) {
			_, err := syntax.Parse(text, syntax.Perl)
			require.NoError(t, err)
		}
	})
}

// The first short string is matched without an automaton that stays, and the next one with it. Both say what package
// regexp does.
func TestFirstString(t *testing.T) {
	for _, text := range []string{
		"", "b", "^b", "b$", "^b$", "^$", "a|b||", "()", "(?:a|(b))+?c", "[^/]+", "[a-]", "[-a]", `^[\w\-.]{2,}$`, "^a{0}b", "^(a{2}){3}$", "^a{1,3}$", "a{2}", "^(a|b)*$",
		"^*a", `^\S+\s\D\W$`, "^.$", "^(a*)*$", "^(a?b?){2}$", "x$y", "a^b", "^(a|)b$", "^[^a]$", `^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`, "^ä+$", "((a{9}){9}){9}", "(?i)A",
	} {
		re := regexp.MustCompile(text)
		for _, s := range []string{"", "a", "b", "ab", "abc", "aa", "aaa", "aaaaaa", "aab", "bb", "/", "-", "\n", "x\ny", "a b", "ab_1 x-", "5 0 * * *", "*/5 0 1 2 3", "1 2 3", "ää"} {
			p := Checked(text)
			for range firstStrings + 1 {
				require.Equal(t, re.MatchString(s), p.MatchString(s), "%q on %q", text, s)
			}
		}
	}
	p := Checked("^a{2,5}(b|c)$")
	for i := range 4 {
		require.Equal(t, i < firstStrings, p.firstTree("aab") != nil)
	}
	for _, row := range []struct{ pattern, s string }{{"(?i)a", "a"}, {"a", strings.Repeat("a", maxFirstLen+1)}, {strings.Repeat("a", maxBriefLen+1), "a"}} {
		require.Nil(t, Checked(row.pattern).firstTree(row.s), "%q on %q", row.pattern, row.s)
	}
}
