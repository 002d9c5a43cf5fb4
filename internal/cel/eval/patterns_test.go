package eval

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/stretchr/testify/require"
)

// searched returns an object with two strings: s, and p, a pattern.
func searched(t *testing.T, s, p string) (*plan.Node, *Input) {
	t.Helper()
	n := compiled(t, `{"type": "object", "properties": {"s": {"type": "string"}, "p": {"type": "string"}}}`)
	return n, &Input{Node: n, Self: map[string]any{"s": s, "p": p}}
}

// Patterns that a rule computes have the results of those that are constants, and an error where those are refused
// (CEN-027).
func TestComputedPatterns(t *testing.T) {
	n, in := searched(t, "1ab2cd", "[a-z]+")
	m := NewMachine(context.Background(), 1_000_000)
	for _, pattern := range []string{"'[a-z]+'", "self.p", "self.p + ''"} {
		for _, rule := range []string{
			"self.s.matches(X)", "self.s.find(X) == 'ab'", "'12'.find(X) == ''", "self.s.findAll(X) == ['ab', 'cd']", "self.s.findAll(X, 1) == ['ab']",
			"self.s.findAll(X, 0) == []", "self.s.findAll(X, 9) == ['ab', 'cd']", "self.s.findAll(X, -9) == ['ab', 'cd']", "'12'.findAll(X) == []",
		} {
			rule = strings.ReplaceAll(rule, "X", pattern)
			require.Equal(t, True, m.Run(planned(t, n, rule, false), in).Outcome, rule)
		}
	}
	_, in = searched(t, "a", "(")
	for rule, want := range map[string]string{
		"self.s.matches(self.p)":             "error parsing regexp: missing closing ): `(`",
		"self.s.find(self.p) == ''":          "Illegal regex: error parsing regexp: missing closing ): `(`",
		"self.s.findAll(self.p) == []":       "Illegal regex: error parsing regexp: missing closing ): `(`",
		"self.s.findAll(self.p + '(') == []": "Illegal regex: error parsing regexp: missing closing ): `((`",
	} {
		got := m.Run(planned(t, n, rule, false), in)
		require.Equal(t, Failed, got.Outcome, rule)
		require.Equal(t, want, got.Text, rule)
	}
}

// Searches that are out of proportion end as at the cost limit.
func TestSearchesAreBounded(t *testing.T) {
	for name, row := range map[string]struct{ rule, s, p string }{
		"reading":           {"self.s.matches(self.p)", "a", strings.Repeat(".", 3<<20)},
		"reading tables":    {"self.s.matches(self.p)", "a", strings.Repeat(`\pL`, 10_000)},
		"matching":          {"self.s.matches(self.p)", strings.Repeat("é", 100_000), "(?:(?:é?){900})*c"},
		"finding":           {"self.s.find(self.p) == ''", strings.Repeat("é", 100_000), "(?:(?:é?){900})*c"},
		"finding, constant": {"self.s.find('(?:(?:é?){900})*c') == ''", strings.Repeat("é", 100_000), ""},
		"finding all":       {"self.s.findAll(self.p) == []", strings.Repeat("é", 100_000), "(?:(?:é?){900})*c|é"},
		"results":           {"self.s.findAll('.') == self.s.findAll('a')", strings.Repeat("a", 3<<20), ""},
	} {
		n, in := searched(t, row.s, row.p)
		m := NewMachine(context.Background(), 10_000_000)
		m.frame.maxTurns = 1_000_000
		got := m.Run(planned(t, n, row.rule, false), in)
		require.Equal(t, OverLimit, got.Outcome, "%s: %.200s", name, got.Text)
	}
}

// The end of a context ends a search.
func TestSearchIsCancelled(t *testing.T) {
	n, in := searched(t, strings.Repeat("é", 1_000_000), "(?:(?:é?){900})*c")
	for _, rule := range []string{"self.s.matches(self.p)", "self.s.find(self.p) == ''", "self.s.findAll(self.p) == []"} {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Millisecond)
		got := NewMachine(ctx, 100_000_000).Run(planned(t, n, rule, false), in)
		stop()
		require.Equal(t, Failed, got.Outcome, rule)
		require.Equal(t, "operation interrupted: context deadline exceeded", got.Text, rule)
	}
}

// A machine keeps the last computed patterns, and not too many.
func TestPatternsAreKept(t *testing.T) {
	f := new(frame)
	f.maxTurns = maxTurns
	first, err := f.compile("a+")
	require.NoError(t, err)
	for i := range maxPatterns - 1 {
		_, err := f.compile(fmt.Sprintf("b+%d", i))
		require.NoError(t, err)
	}
	again, err := f.compile("a+")
	require.NoError(t, err)
	require.Same(t, first, again)
	require.Len(t, f.patterns, maxPatterns)
	_, err = f.compile("c+")
	require.NoError(t, err)
	require.Len(t, f.patterns, maxPatterns)
	again, err = f.compile("a+")
	require.NoError(t, err)
	require.NotSame(t, first, again)

	long, err := f.compile(strings.Repeat("a", maxPatternBytes))
	require.NoError(t, err)
	require.Len(t, f.patterns, 1)
	require.Same(t, long, f.patterns[0])
}
