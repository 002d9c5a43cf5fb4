package pattern

import (
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A counter is a meter that stops at a number of steps.
type counter struct{ steps, most int }

func (c *counter) Spend(steps int) bool {
	c.steps += steps
	return c.steps <= c.most
}

const endless = math.MaxInt

// TestMeter proves that slow searches count their work, and that a meter ends them.
func TestMeter(t *testing.T) {
	s := strings.Repeat("é", 100_000)
	for name, use := range map[string]func(p *Pattern, m Meter) bool{
		"match": func(p *Pattern, m Meter) bool { return p.Match(s, m) },
		"find":  func(p *Pattern, m Meter) bool { return p.Find(s, m) != "" },
		"all": func(p *Pattern, m Meter) bool {
			n := 0
			p.FindAll(s, m, func(string) bool { n++; return true })
			return n > 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Compile("(?:é?){50}é$")
			require.NoError(t, err)
			free := &counter{most: endless}
			require.True(t, use(p, free))
			require.GreaterOrEqual(t, free.steps, len(s)/2)
			bound := &counter{most: 10_000}
			require.False(t, use(p, bound))
			require.LessOrEqual(t, bound.steps, 10_000+100*stepsPerSpend, "it ends soon")
		})
	}
}

// TestLinear proves that finding all matches takes steps that grow with the string and not faster, where package regexp
// takes the square.
func TestLinear(t *testing.T) {
	for _, text := range []string{"a*?b|a", "é*?b|é", "(?:a|é)*?b|[aé]", "(a*)*b|a|é"} {
		p, err := Compile(text)
		require.NoError(t, err)
		steps := func(n int) int {
			c, found := &counter{most: endless}, 0
			p.FindAll(strings.Repeat("aé", n), c, func(string) bool { found++; return true })
			require.GreaterOrEqual(t, found, n)
			return c.steps
		}
		few, many := steps(5_000), steps(50_000)
		require.Less(t, many, 15*few, text)
	}
}

// TestNoRoom proves that the matches stay the same where a memo would take too much memory.
func TestNoRoom(t *testing.T) {
	const text = "(?:(?:b|é){0,40}c){1,3}|b"
	p, err := Compile(text)
	require.NoError(t, err)
	s := strings.Repeat("bééc", 50)
	want := regexp.MustCompile(text).FindAllString(s, -1)
	x := p.search(s, nil)
	x.machine = takeMachine(x.dfa.tree)
	x.machine.memo.reset()
	var got []string
	x.all(func(part string) bool {
		if got = append(got, part); len(got) == 2 {
			x.machine.memo.words = maxMemoWords
			x.machine.memo.seen = nil
		}
		return true
	})
	require.True(t, x.simple)
	require.Equal(t, want, got)
}

func TestCheckBounds(t *testing.T) {
	large := func(t *testing.T, err error) {
		t.Helper()
		var e *syntax.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, syntax.ErrLarge, e.Code)
		require.LessOrEqual(t, len(e.Expr), 64)
	}
	large(t, Check("(?s)"+strings.Repeat(".", 1<<20)))
	large(t, Check("(?i)"+strings.Repeat(`[\x{80}-\x{1e900}]`, 1000)))
	large(t, Check("(?s)"+strings.Repeat("é", 1<<20)))
	require.NoError(t, Check(strings.Repeat(".", 3<<20)))
	require.NoError(t, Check(strings.Repeat("\n", 3<<20)))
	require.NoError(t, Check(`(?i)^[a-z\x{a1}-\x{ffff}0-9]+(?:\.[a-z\x{a1}-\x{ffff}0-9]+)*$`))

	// Together the patterns of a schema may be too large.
	c := Checker{work: maxSyntax - 1_000_000}
	wide := func(n int) string { return fmt.Sprintf(`(?i)[\x{80}-\x{1e900}]{%d}`, n) }
	n := 1
	for c.Check(wide(n)) == nil {
		n++
	}
	require.Equal(t, 5, n)
	large(t, c.Check(wide(n)))
	require.NoError(t, c.Check("^plain$"))
}

func TestCompileFor(t *testing.T) {
	c := &counter{most: endless}
	p, err := CompileFor("a+b", c)
	require.NoError(t, err)
	require.True(t, p.Match("xaab", c))
	require.Positive(t, c.steps)

	_, err = CompileFor("(", c)
	require.EqualError(t, err, "error parsing regexp: missing closing ): `(`")
	for _, text := range []string{strings.Repeat(".", 3<<20), "(?i)" + strings.Repeat(`[\x{80}-\x{1e900}]`, 20), strings.Repeat(`\pL`, 20_000)} {
		_, err = CompileFor(text, c)
		require.ErrorIs(t, err, ErrTooCostly)
	}
	_, err = CompileFor("a+b", &counter{})
	require.ErrorIs(t, err, ErrTooCostly)
	p, err = CompileFor(strings.Repeat("a", maxLiteral), c)
	require.NoError(t, err)
	require.False(t, p.Match(strings.Repeat("a", maxLiteral-1), c))
	require.True(t, p.Match(strings.Repeat("a", maxLiteral), c))
}

// TestKept proves that what all patterns keep stays below the bound, that the first patterns make room for the last
// ones, and that those still work.
func TestKept(t *testing.T) {
	const n = 60
	var patterns [n]*Pattern
	for i := range patterns {
		patterns[i] = Checked(fmt.Sprintf("^%s|%d", strings.Repeat(".", 100_000), i))
		require.False(t, patterns[i].MatchString("a"))
		keeper.mu.Lock()
		require.LessOrEqual(t, keeper.total, maxKept)
		keeper.mu.Unlock()
	}
	require.Nil(t, patterns[0].matcher.Load())
	require.NotNil(t, patterns[n-1].matcher.Load())
	for i, p := range patterns {
		require.True(t, p.MatchString(fmt.Sprint("x", i)))
	}

	// Patterns that are gone do not count.
	runtime.KeepAlive(patterns)
	patterns = [n]*Pattern{}
	runtime.GC()
	runtime.GC()
	last := Checked("^" + strings.Repeat(".", 2_000_000))
	for range 3 {
		last.matcher.Store(nil)
		require.False(t, last.MatchString("a"))
	}
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	for _, h := range keeper.queue {
		require.NotNil(t, h.owner.Value())
	}
}
