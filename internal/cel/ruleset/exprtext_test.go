package ruleset

import (
	"strings"
	"testing"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/parser"
	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	p, err := parser.NewParser(parser.Macros(parser.AllMacros...))
	require.NoError(t, err)
	for text, want := range map[string]string{
		"self.a":                 "self.a",
		"has(self.a)":            "has(self.a)",
		"[self.a, 'b', 1, true]": "[self.a, 'b', 1, true]",
		"{'a': 1}":               "{...}",
		"self.a[0] in [1]":       "self.a[0] in [1]",
		"self.a ? 1u : 2.5":      "self.a ? 1 : 2.5",
		"!self.a || -self.b < 1": "!self.a || -self.b < 1",
		"self.a.startsWith('x')": "self.a.startsWith('x')",
		"size(self.a)":           "size(self.a)",
		"self.all(x, x > 0)":     "loop over self",
		"self == '" + strings.Repeat("a", 300) + "' && self.b": "self == '" + strings.Repeat("a", 300) + "' && ...",
	} {
		e, errs := p.Parse(common.NewTextSource(text))
		require.Empty(t, errs.GetErrors())
		var b strings.Builder
		write(&b, e.Expr())
		require.Equal(t, want, b.String())
	}
}
