package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/debug"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// TestMacrosAsCelGo compares the expansions of cel-go's own macros, with the positions of nodes, and their errors. Ids
// differ. What the parser does besides is compared in package parse.
func TestMacrosAsCelGo(t *testing.T) {
	env, err := cel.NewEnv(cel.OptionalTypes(), cel.EnableIdentifierEscapeSyntax())
	require.NoError(t, err)
	for _, text := range []string{
		"has(a.b)", "has(a.?b)", "has(a)", "has(a[0])", "has(a.b, c)", "has()", "a.has(b)",
		"a.all(x, y)", "a.exists(x, y)", "a.exists_one(x, y)", "a.existsOne(x, y)", "a.map(x, y)", "a.map(x, y, z)",
		"a.filter(x, y)",
		"a.map(x, y, z, w)", "a.all(x)", "all(x, y)", "a.optMap(x, y)", "a.optFlatMap(x, y)", "optMap(x, y)",
		"a.all(1, y)", "a.exists(1, y)", "a.exists_one(x.y, z)", "a.map(1, y)", "a.map([x], y, z)", "a.filter(f(x), y)",
		"a.optMap(1, y)", "a.optFlatMap(x.y, z)",
		"a.all(__result__, x)", "a.map(__result__, x)", "a.filter(__result__, x)", "a.optMap(__result__, x)",
		"a.\n all(x,\n  x.exists(y, has(y.z) || y.w))\n && has(b.c)", "[a.all(x, y), b.map(1, 2), has(c)]",
		"a.map(x, has(x)).filter(y, y)", "{a.map(x, x): has(b)}", "{a: b, ?c: T{d: e, ?f: g}}.optMap(x, x)",
		"T{a: [1, ?b]}.optMap(x, x).optFlatMap(y, y).c[?0].d()", "a.all(x, x).optMap(y, -y)",
		"a.f(b)\n.optMap(x,\n x.optMap(y, y + x))",
		"a.optMap(x, x)" + strings.Repeat(".optMap(x, x)", 6),
	} {
		want, errs := env.ParseSource(common.NewTextSource(text))
		tree, problems := parse.Full(text, syntax(0))
		if problems != nil {
			require.Error(t, errs.Err(), text)
			require.Equal(t, errs.Err().Error(), printed(problems, text), text)
			continue
		}
		require.NoError(t, errs.Err(), text)
		info := want.NativeRep().SourceInfo()
		theirs := func(id int64) string { at := info.GetStartLocation(id); return fmt.Sprint(at.Line(), at.Column()) }
		ours := func(id int64) string { at := tree.Position(id); return fmt.Sprint(at.Line, at.Column) }
		require.Equal(t, shown(want.NativeRep().Expr(), theirs), shown(celgo.Expr(tree.Root), ours), text)
	}
}

// shown prints a tree, and the positions of its nodes.
func shown(e ast.Expr, position func(id int64) string) string {
	var out strings.Builder
	out.WriteString(debug.ToDebugString(e))
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) { out.WriteString("\n" + position(e.ID())) }))
	return out.String()
}
