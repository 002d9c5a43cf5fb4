package ruleset

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
)

func TestWrite(t *testing.T) {
	for text, want := range map[string]string{
		"self.a":                 "self.a",
		"[self.a, 'b', 1, true]": "[self.a, 'b', 1, true]",
		"{'a': 1}":               "{...}",
		"self.a[0] in [1]":       "self.a[0] in [1]",
		"self.a ? 1u : 2.5":      "self.a ? 1 : 2.5",
		"!self.a || -self.b < 1": "!self.a || -self.b < 1",
		"self.a.startsWith('x')": "self.a.startsWith('x')",
		"size(self.a) + null":    "size(self.a) + null",
		"self == '" + strings.Repeat("a", 300) + "' && self.b": "self == '" + strings.Repeat("a", 300) + "' && ...",
	} {
		e, ok := parse.Expression(text, nil)
		require.True(t, ok, text)
		require.Equal(t, want, exprText(e))
	}
	self := ast.NewIdent(1, "self")
	require.Equal(t, "has(self.a)", exprText(ast.NewPresenceTest(2, self, "a")))
	require.Equal(t, "loop over self", exprText(ast.NewComprehension(2, self, "x", "@result", self, self, self, self)))
}
