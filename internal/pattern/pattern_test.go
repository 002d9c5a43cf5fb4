package pattern

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// cases has patterns of the shapes that schemas use, and those that are hard for an automaton, with strings that match
// and strings that do not.
var cases = []struct {
	name, text string
	good, bad  []string
}{
	{name: "empty", text: ``, good: []string{"", "a", "\n", "é"}},
	{name: "literal", text: `abc`, good: []string{"abc", "xxabcxx", "ababc", "éabc"}, bad: []string{"", "ab", "abxc", "ABC"}},
	{name: "prefix", text: `^https?://`, good: []string{"http://", "https://é"}, bad: []string{"", "http:/", " http://", "httpss://", "\nhttp://"}},
	{name: "prefix of the text", text: `\Aa`, good: []string{"a", "ab"}, bad: []string{"", "ba", "\na"}},
	{name: "suffix", text: `b$`, good: []string{"b", "ab"}, bad: []string{"", "ba", "b\n", "éb\n"}},
	{name: "suffix of the text", text: `b\z`, good: []string{"b", "ab"}, bad: []string{"", "ba", "b\n"}},
	{name: "empty text", text: `^$`, good: []string{""}, bad: []string{"a", "\n", "é"}},
	{name: "nothing", text: `[^\x00-\x{10FFFF}]`, bad: []string{"", "a", "é"}},
	{name: "end before start", text: `$^`, good: []string{""}, bad: []string{"a", "\n"}},
	{name: "characters after the end", text: `a$b`, bad: []string{"", "ab", "a\nb"}},
	{name: "words", text: `^(Managed|Unmanaged)$`, good: []string{"Managed", "Unmanaged"}, bad: []string{"", "managed", "ManagedUnmanaged", "Manage"}},
	{name: "only one anchor each", text: `^a|b$`, good: []string{"ax", "xb", "é\nb"}, bad: []string{"", "xa", "bx"}},
	{name: "name", text: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
		good: []string{"a", "a-b", "a.b-c.1"}, bad: []string{"", "-", "a-", "a.", "a..b", "A", "a\n", "é", "a-é"}},
	{name: "name, unanchored", text: `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, good: []string{"a", "--a--", "éa"}, bad: []string{"", "-", "A", "é"}},
	{name: "repetition", text: `^[a-z]{2,4}$`, good: []string{"ab", "abcd"}, bad: []string{"a", "abcde"}},
	{name: "long repetition", text: `^[a-z][a-z-]{0,61}[a-z]$`, good: []string{"ab", strings.Repeat("a", 63)}, bad: []string{"a", strings.Repeat("a", 64)}},
	{name: "quantity", text: `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`,
		good: []string{"1", "100Mi", ".5", "1.", "1e3", "-2E-3"}, bad: []string{"", "Mi", "1Mib", "1e", "."}},
	{name: "units beyond ASCII", text: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, good: []string{"1h", "1.5h10ms", "1µs", "1µs2h"}, bad: []string{"", "1", "1x", "1µ"}},
	{name: "dot", text: `^.$`, good: []string{"a", "é", "\xff", "\x00"}, bad: []string{"", "\n", "ab", "éé"}},
	{name: "dot and newline", text: `(?s)^.$`, good: []string{"a", "\n"}, bad: []string{"", "ab"}},
	{name: "lines", text: `(?m)^a$`, good: []string{"a", "b\na", "a\nb", "\n\na\n", "é\na"}, bad: []string{"", "ba", "ab\nba", "a "}},
	{name: "empty line", text: `(?m)^$`, good: []string{"", "a\n", "\n", "a\n\nb"}, bad: []string{"a", "a\nb"}},
	{name: "start of a line late", text: `(?m)x\n^a`, good: []string{"x\na"}, bad: []string{"xa", "x\n\na"}},
	{name: "end of a line, then its start", text: `(?m)a$\n^b`, good: []string{"a\nb", "\na\nb\n"}, bad: []string{"ab", "a\n\nb"}},
	{name: "end and start at once", text: `(?m)a\n$^`, good: []string{"a\n", "a\n\n"}, bad: []string{"a", "a\nb"}},
	{name: "case", text: `(?i)^ok$`, good: []string{"ok", "OK", "oK", "o\u212a"}, bad: []string{"", "o", "okk"}},
	{name: "case, one letter", text: `(?i)s`, good: []string{"s", "S", "ſ"}, bad: []string{"", "z", "é"}},
	{name: "case, from beyond ASCII", text: `(?i)\x{212a}`, good: []string{"k", "K"}, bad: []string{"", "j"}},
	{name: "case, excluded", text: `(?i)^[^k]$`, good: []string{"a", "é"}, bad: []string{"k", "K", "\u212a"}},
	{name: "case, only a part", text: `^(?i:a)b$`, good: []string{"ab", "Ab"}, bad: []string{"aB"}},
	{name: "word", text: `\bfoo\b`, good: []string{"foo", "a foo.", "é foo", "foo\n"}, bad: []string{"", "foobar", "_foo", "afoo"}},
	{name: "within a word", text: `\Bo\B`, good: []string{"foob", "_o_"}, bad: []string{"", "o", "fo", "ob", " o "}},
	{name: "border before letters", text: `a\b `, good: []string{"a ", "ba b"}, bad: []string{"a", "aa"}},
	{name: "border of nothing", text: `^\b$`, bad: []string{"", "a"}},
	{name: "no border of nothing", text: `^\B$`, good: []string{""}, bad: []string{"a"}},
	{name: "border in a loop", text: `(\b|a)+b`, good: []string{"b", "ab", "aab"}, bad: []string{"", "a", "_é"}},
	{name: "assertion in a loop", text: `(^)*a(^)*`, good: []string{"a", "ba"}, bad: []string{"", "b"}},
	{name: "empty loops", text: `^(a*)*(|b)*$`, good: []string{"", "a", "aab"}, bad: []string{"c", "ba"}},
	{name: "letters", text: `^\pL+$`, good: []string{"a", "aé", "é"}, bad: []string{"", "1", "a1", "é1"}},
	{name: "not ASCII", text: `[[:^ascii:]]`, good: []string{"é", "aé", "\xff"}, bad: []string{"", "a"}},
	{name: "invalid text", text: `^\x{fffd}$`, good: []string{"\xff", "\ufffd"}, bad: []string{"a", "\xff\xff"}},
	{name: "quoted", text: `^\Q.*\E$`, good: []string{".*"}, bad: []string{"", "ab"}},
	{name: "flags in the middle", text: `^a(?i)b(?-i)c$`, good: []string{"abc", "aBc"}, bad: []string{"Abc", "abC"}},
	{name: "lazy", text: `^a+?b??$`, good: []string{"a", "aab"}, bad: []string{"", "b", "abb"}},
	{name: "many states", text: `(a|b)*a(a|b){4}$`, good: []string{"aaaaa", "babbbb"}, bad: []string{"", "bbbbb", "abbbbb"}},
	{name: "too many states", text: `(a|b)*a(a|b){14}$`, good: []string{strings.Repeat("a", 15)}, bad: []string{"", strings.Repeat("b", 15)}},
	{name: "too many instructions", text: `^([a-z]{0,1000}-){0,1}([a-z]{0,1000}-){0,1}([a-z]{0,1000}-){0,1}$`, good: []string{"", "a-b-c-"}, bad: []string{"a", "----"}},
}

// TestMatchString proves VAL-030: Go's syntax, unanchored, $ only at the very end.
func TestMatchString(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.text, p.String())
			re := regexp.MustCompile(tt.text)
			for range firstStrings + 2 { // without an automaton, once to make the states, and once to use them
				for _, s := range tt.good {
					require.True(t, p.MatchString(s), "%q", s)
					require.True(t, re.MatchString(s), "package regexp, %q", s)
				}
				for _, s := range tt.bad {
					require.False(t, p.MatchString(s), "%q", s)
					require.False(t, re.MatchString(s), "package regexp, %q", s)
				}
			}
		})
	}
}

func TestZeroPattern(t *testing.T) {
	var p Pattern
	require.True(t, p.MatchString("a"))
	require.Empty(t, p.String())
}

// TestCompileErrors proves that the error, whose text users see (VAL-030), is that of package regexp.
func TestCompileErrors(t *testing.T) {
	tests := []struct{ name, text string }{
		{name: "open group", text: `(`},
		{name: "closed group", text: `a)`},
		{name: "open class", text: `[a`},
		{name: "range", text: `[b-a]`},
		{name: "nothing to repeat", text: `*a`},
		{name: "repeated twice", text: `a**`},
		{name: "repetition size", text: `a{1001}`},
		{name: "repetition size, nested", text: `(a{0,1000}){0,1000}`},
		{name: "repetition size, deep", text: `((((a{100}){100}){100}){100}){100}`},
		{name: "repetition, total size", text: strings.Repeat(`a{1000}`, 4000)},
		{name: "lookahead", text: `(?=a)`},
		{name: "backreference", text: `(a)\1`},
		{name: "group name", text: `(?P<n a)`},
		{name: "class name", text: `\p{Nope}`},
		{name: "trailing backslash", text: `a\`},
		{name: "UTF-8", text: "a\xff"},
		{name: "depth", text: strings.Repeat("(", 1001) + strings.Repeat(")", 1001)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(tt.text)
			require.True(t, p == nil)
			_, want := regexp.Compile(tt.text)
			require.Error(t, want)
			require.Equal(t, want, err)
		})
	}
}

// TestRandom compares with package regexp on strings grown from the pattern, so that about half of them match, and on
// arbitrary ones.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := strings.Split(" \nabko0-_.sS\x00\x7fé\xff", "")
	for _, tt := range cases {
		p, err := Compile(tt.text)
		require.NoError(t, err)
		re := regexp.MustCompile(tt.text)
		tree, err := syntax.Parse(tt.text, syntax.Perl)
		require.NoError(t, err)
		for range 1000 {
			var b strings.Builder
			if r.IntN(3) > 0 {
				grow(r, tree, &b)
			}
			s := b.String()
			for range r.IntN(4) {
				at := r.IntN(len(s) + 1)
				s = s[:at] + noise[r.IntN(len(noise))] + s[min(len(s), at+r.IntN(2)):]
			}
			require.Equal(t, re.MatchString(s), p.MatchString(s), "%q on %q", tt.text, s)
		}
	}
}

// grow appends a string that is likely to match re.
func grow(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			i := 2 * r.IntN(len(re.Rune)/2)
			low, high := re.Rune[i], re.Rune[i+1]
			b.WriteRune(low + r.Int32N(min(high-low+1, 100)))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte(r.IntN(128)))
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		for range re.Min + r.IntN(4) {
			grow(r, re.Sub[0], b)
		}
	case syntax.OpAlternate:
		grow(r, re.Sub[r.IntN(len(re.Sub))], b)
	default:
		for _, sub := range re.Sub {
			grow(r, sub, b)
		}
	}
}

// TestLazy keeps unused patterns small, and ASCII away from package regexp.
func TestLazy(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(Pattern{}), 2*unsafe.Sizeof("")+2*unsafe.Sizeof(uintptr(0)))
	p, err := Compile(`^[a-z]*$`)
	require.NoError(t, err)
	for range firstStrings {
		require.Nil(t, p.matcher.Load())
		require.True(t, p.MatchString("abc"))
	}
	require.Nil(t, p.matcher.Load())
	require.True(t, p.MatchString("abc"))
	require.False(t, p.MatchString("1"))
	require.Len(t, p.matcher.Load().states, 3, "row 0, the start, and within the letters")
	require.False(t, p.MatchString("é"))
}

// TestEarlyVerdict proves that a scan ends when the rest makes no difference: a byte that is not ASCII is not even
// reached.
func TestEarlyVerdict(t *testing.T) {
	tests := []struct {
		text, s string
		want    bool
	}{
		{text: `^abc`, s: "abcé", want: true},
		{text: `ab+c`, s: "xabcé", want: true},
		{text: `^abc`, s: "abdé"},
		{text: `^a$`, s: "abé"},
		{text: `^(?:a|b)\b`, s: "c é"},
	}
	for _, tt := range tests {
		p, err := Compile(tt.text)
		require.NoError(t, err)
		require.Equal(t, tt.want, p.MatchString(tt.s), tt.text)
		require.NotEqual(t, unknown, p.build(&p.matcher, false).match(tt.s), tt.text)
	}
}

// TestGiveUp proves that the states of a pattern stay below the limit, and that the verdicts do not change when it is
// reached.
func TestGiveUp(t *testing.T) {
	const text = `(a|b)*a(a|b){14}$`
	p, err := Compile(text)
	require.NoError(t, err)
	re := regexp.MustCompile(text)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s := fmt.Sprintf("%020b", r.IntN(1<<20))
		s = strings.NewReplacer("0", "a", "1", "b").Replace(s)
		require.Equal(t, re.MatchString(s), p.MatchString(s), s)
	}
	d := p.matcher.Load()
	require.Nil(t, d.table.Load())
	require.Nil(t, d.states)
	require.Nil(t, d.machine)
	require.LessOrEqual(t, d.bytes, maxBytes+8000)
}

// TestRepetitions proves that the repetitions of real schemas have an automaton.
func TestRepetitions(t *testing.T) {
	tests := []string{`^[a-z]{0,61}$`, `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`, `^[a-z0-9.-]{0,253}$`, `^.{1,1000}$`}
	for _, text := range tests {
		p, err := Compile(text)
		require.NoError(t, err)
		require.True(t, p.MatchString("abc"))
		require.False(t, p.MatchString(strings.Repeat("a", 1001)))
		require.NotNil(t, p.matcher.Load().table.Load(), text)
	}
}

// TestHostile puts patterns and strings to the package that are as large as they get.
func TestHostile(t *testing.T) {
	tests := []struct{ name, text string }{
		{name: "literal", text: strings.Repeat("a", 20_000)},
		{name: "options", text: strings.Repeat("a?", 2000)},
		{name: "nested groups", text: strings.Repeat("(", 990) + "a" + strings.Repeat(")", 990)},
		{name: "nested stars", text: strings.Repeat("(?:", 300) + "a" + strings.Repeat("*)", 300)},
		{name: "wide repetition", text: strings.Repeat(`(?:[a-z]{0,1000})`, 5) + "$"},
		{name: "nested repetition", text: `((a{0,10}){0,10}){0,10}$`},
		{name: "alternatives", text: "^(?:" + strings.Repeat("abc|", 5_000) + "x)$"},
		{name: "classes", text: strings.Repeat(`[\pL\d]`, 200)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(tt.text)
			require.NoError(t, err)
			re := regexp.MustCompile(tt.text)
			for _, s := range []string{"", "abc", "x", strings.Repeat("ab", 300), strings.Repeat("1", 300)} {
				require.Equal(t, re.MatchString(s), p.MatchString(s))
			}
			if d := p.matcher.Load(); d.tree != nil && d.table.Load() != nil {
				require.LessOrEqual(t, d.bytes, maxBytes)
			}
		})
	}
	long := strings.Repeat("ab-c.", 2<<20)
	for text, want := range map[string]bool{`^[a-z.-]*$`: true, `^[a-z.-]*x$`: false, `(a|b)*a(a|b){4}$`: false} {
		p, err := Compile(text)
		require.NoError(t, err)
		require.Equal(t, want, p.MatchString(long), text)
	}
}

// TestConcurrent has goroutines make the automaton, its states, its larger tables and its end all at once. It is for
// the race detector.
func TestConcurrent(t *testing.T) {
	for _, text := range []string{`^[a-z]{0,200}$`, `(a|b)*a(a|b){14}$`, `(a|b)*a(a|b){7}$`, `\bé?a`} {
		p, err := Compile(text)
		require.NoError(t, err)
		re := regexp.MustCompile(text)
		var wg sync.WaitGroup
		start := make(chan struct{})
		errs := make([]string, 8)
		for g := range errs {
			wg.Go(func() {
				<-start
				r := rand.New(rand.NewPCG(uint64(g), 2))
				for range 300 {
					b := make([]byte, r.IntN(250))
					for i := range b {
						b[i] = 'a' + byte(r.IntN(2))
					}
					s := string(b)
					if r.IntN(20) == 0 {
						s += "é"
					}
					if re.MatchString(s) != p.MatchString(s) {
						errs[g] = s
					}
				}
			})
		}
		close(start)
		wg.Wait()
		require.Equal(t, make([]string, len(errs)), errs, text)
	}
}

// surrogate matches patterns with a surrogate, for which package regexp differs.
var surrogate = regexp.MustCompile(`(?i)\\x\{0*d[89a-f]`)

// A surrogate is in no string, so it matches nothing, wherever it is in a pattern.
func TestSurrogates(t *testing.T) {
	for _, text := range []string{`\x{d800}`, `^\x{d800}`, `^\x{d800}$`, `^\x{000DFFF}.*$`, `[\x{d800}]`, `^[\x{d800}-\x{dfff}]$`} {
		require.True(t, surrogate.MatchString(text), text)
		p, err := Compile(text)
		require.NoError(t, err)
		for _, s := range []string{"", "a", "\uFFFD", "\xff", "\xed\xa0\x80"} {
			for range 3 { // the first strings are matched in other ways
				require.False(t, p.MatchString(s), "%q on %q", text, s)
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, tt := range cases {
		for _, s := range append(tt.good, tt.bad...) {
			f.Add(tt.text, s)
		}
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		if strings.Count(text, "{") > 2 || len(text) > 1000 || surrogate.MatchString(text) {
			return // package regexp would take long, or differs
		}
		re, want := regexp.Compile(text)
		p, err := Compile(text)
		require.Equal(t, want, err)
		if err != nil {
			return
		}
		for _, s := range []string{s, s + s, s + "\n" + text, text, s[len(s)/2:], s} {
			require.Equal(t, re.MatchString(s), p.MatchString(s), "%q on %q", text, s)
		}
	})
}

var benchmarks = []struct{ name, text, s string }{
	{"name", `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, "gateway.networking.example-company.com"},
	{"duration", `^([0-9]{1,5}(h|m|s|ms)){1,4}$`, "1h30m10s"},
	{"path", `^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$`, "/api/v1/namespaces/default/pods/x"},
	{"quantity", `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`, "100Mi"},
	{"words", `^(Managed|Unmanaged|Removed)$`, "Unmanaged"},
	{"prefix", `^https?://`, "https://example.com/a/b/c/d/e/f/g"},
	{"labels", `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`, "gateway.networking.example-company.com"},
	{"unanchored", `[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, "---abc-def-ghi"},
}

// BenchmarkMatch is the matches after the first few, beside package regexp.
func BenchmarkMatch(b *testing.B) {
	for _, bb := range benchmarks {
		p, err := Compile(bb.text)
		require.NoError(b, err)
		re := regexp.MustCompile(bb.text)
		run := func(name string, match func(string) bool) {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					match(bb.s)
				}
			})
		}
		run("pattern", p.MatchString)
		run("regexp", re.MatchString)
	}
}

// BenchmarkFirst is compiling and one match, beside package regexp, and compiling alone.
func BenchmarkFirst(b *testing.B) {
	for _, bb := range benchmarks {
		run := func(name string, first func()) {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					first()
				}
			})
		}
		run("pattern", func() {
			p, _ := Compile(bb.text)
			p.MatchString(bb.s)
		})
		run("regexp", func() { regexp.MustCompile(bb.text).MatchString(bb.s) })
		run("compile", func() { _, _ = Compile(bb.text) })
	}
}
