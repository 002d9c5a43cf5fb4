package parse_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
	"github.com/stretchr/testify/require"

	own "github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// standard are macros of all forms: of functions and methods, with nodes that come twice.
var standard = []parser.Macro{
	parser.HasMacro, parser.AllMacro, parser.ExistsMacro, parser.ExistsOneMacro, parser.MapMacro, parser.MapFilterMacro, parser.FilterMacro,
	parser.NewReceiverMacro("twice", 0, func(h parser.ExprHelper, target ast.Expr, _ []ast.Expr) (ast.Expr, *common.Error) {
		return h.NewCall("f", target, h.Copy(target)), nil
	}),
	parser.NewGlobalMacro("none", 1, func(parser.ExprHelper, ast.Expr, []ast.Expr) (ast.Expr, *common.Error) { return nil, nil }),
	parser.NewReceiverMacro("same", 0, func(_ parser.ExprHelper, target ast.Expr, _ []ast.Expr) (ast.Expr, *common.Error) { return target, nil }),
	parser.NewGlobalMacro("parts", 2, func(h parser.ExprHelper, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		return h.NewList(args[0], h.NewMap(), h.NewMemberCall("d", args[1], h.NewPresenceTest(h.NewIdent("x"), "y"))), nil
	}),
}

// macros are the same ones for this package.
var macros = parse.NewMacros(
	parse.Macro{Name: "has", Args: 1, Expand: func(m *parse.Maker, _ *own.Expr, args []*own.Expr) (*own.Expr, *parse.MacroError) {
		if args[0].Kind() != own.SelectKind {
			return nil, &parse.MacroError{ID: args[0].ID(), Text: "invalid argument to has() macro"}
		}
		return m.NewPresenceTest(args[0].AsSelect().Operand(), args[0].AsSelect().FieldName()), nil
	}},
	loop("all", 2, noName, func(m *parse.Maker, args []*own.Expr) []*own.Expr {
		return []*own.Expr{
			m.NewLiteral(types.True), m.NewCall("@not_strictly_false", m.NewAccuIdent()), m.NewCall("_&&_", m.NewAccuIdent(), args[1]), m.NewAccuIdent(),
		}
	}),
	loop("exists", 2, noName, func(m *parse.Maker, args []*own.Expr) []*own.Expr {
		return []*own.Expr{
			m.NewLiteral(types.False), m.NewCall("@not_strictly_false", m.NewCall("!_", m.NewAccuIdent())),
			m.NewCall("_||_", m.NewAccuIdent(), args[1]), m.NewAccuIdent(),
		}
	}),
	loop("exists_one", 2, noName, func(m *parse.Maker, args []*own.Expr) []*own.Expr {
		return []*own.Expr{
			m.NewLiteral(types.Int(0)), m.NewLiteral(types.True),
			m.NewCall("_?_:_", args[1], m.NewCall("_+_", m.NewAccuIdent(), m.NewLiteral(types.Int(1))), m.NewAccuIdent()),
			m.NewCall("_==_", m.NewAccuIdent(), m.NewLiteral(types.Int(1))),
		}
	}),
	loop("map", 2, noIdentifier, collect(func(args []*own.Expr) (filter, item *own.Expr) { return nil, args[1] })),
	loop("map", 3, noIdentifier, collect(func(args []*own.Expr) (filter, item *own.Expr) { return args[1], args[2] })),
	loop("filter", 2, noIdentifier, collect(func(args []*own.Expr) (filter, item *own.Expr) { return args[1], args[0] })),
	parse.Macro{Name: "twice", Method: true, Expand: func(m *parse.Maker, target *own.Expr, _ []*own.Expr) (*own.Expr, *parse.MacroError) {
		return m.NewCall("f", target, m.Copy(target)), nil
	}},
	parse.Macro{Name: "none", Args: 1, Expand: func(*parse.Maker, *own.Expr, []*own.Expr) (*own.Expr, *parse.MacroError) { return nil, nil }},
	parse.Macro{Name: "same", Method: true, Expand: func(_ *parse.Maker, target *own.Expr, _ []*own.Expr) (*own.Expr, *parse.MacroError) {
		return target, nil
	}},
	parse.Macro{Name: "parts", Args: 2, Expand: func(m *parse.Maker, _ *own.Expr, args []*own.Expr) (*own.Expr, *parse.MacroError) {
		return m.NewList(args[0], m.NewMap(), m.NewMemberCall("d", args[1], m.NewPresenceTest(m.NewIdent("x"), "y"))), nil
	}},
)

const noName, noIdentifier = "argument must be a simple name", "argument is not an identifier"

// loop returns a macro with one variable. body returns start, condition, step and result.
func loop(name string, args int, fault string, body func(m *parse.Maker, args []*own.Expr) []*own.Expr) parse.Macro {
	expand := func(m *parse.Maker, target *own.Expr, args []*own.Expr) (*own.Expr, *parse.MacroError) {
		switch args[0].AsIdent() {
		case "":
			return nil, &parse.MacroError{ID: args[0].ID(), Text: fault}
		case parse.Accumulator, "__result__":
			return nil, &parse.MacroError{ID: args[0].ID(), Text: "iteration variable overwrites accumulator variable"}
		}
		parts := body(m, args)
		return m.NewComprehension(target, args[0].AsIdent(), parse.Accumulator, parts[0], parts[1], parts[2], parts[3]), nil
	}
	return parse.Macro{Name: name, Method: true, Args: args, Expand: expand}
}

// collect returns the body of a macro that returns a list of items.
func collect(of func(args []*own.Expr) (filter, item *own.Expr)) func(m *parse.Maker, args []*own.Expr) []*own.Expr {
	return func(m *parse.Maker, args []*own.Expr) []*own.Expr {
		filter, item := of(args)
		start, condition := m.NewList(), m.NewLiteral(types.True)
		step := m.NewCall("_+_", m.NewAccuIdent(), m.NewList(item))
		if filter != nil {
			step = m.NewCall("_?_:_", filter, step, m.NewAccuIdent())
		}
		return []*own.Expr{start, condition, step, m.NewAccuIdent()}
	}
}

// expected returns the tree that cel-go has for a text, or false if the text is no expression.
func expected(tb testing.TB, text string) (ast.Expr, bool) {
	tb.Helper()
	p, err := parser.NewParser(parser.Macros(standard...), parser.EnableOptionalSyntax(true), parser.EnableIdentEscapeSyntax(true),
		parser.EnableHiddenAccumulatorName(true))
	require.NoError(tb, err)
	parsed, errs := p.Parse(common.NewTextSource(text))
	return parsed.Expr(), len(errs.GetErrors()) == 0
}

// dump prints a tree with all that is in it.
func dump(e ast.Expr) string {
	var out strings.Builder
	var node func(e ast.Expr)
	list := func(open string, all ...ast.Expr) {
		out.WriteString(open)
		for _, e := range all {
			node(e)
			out.WriteString(", ")
		}
		out.WriteString(")")
	}
	node = func(e ast.Expr) {
		fmt.Fprintf(&out, "%d:", e.ID())
		switch e.Kind() {
		case ast.LiteralKind:
			fmt.Fprintf(&out, "%#v", e.AsLiteral())
		case ast.IdentKind:
			out.WriteString(e.AsIdent())
		case ast.SelectKind:
			list(fmt.Sprintf("select %q %v (", e.AsSelect().FieldName(), e.AsSelect().IsTestOnly()), e.AsSelect().Operand())
		case ast.CallKind:
			c := e.AsCall()
			if c.IsMemberFunction() {
				list("method (", c.Target())
			}
			list("call "+c.FunctionName()+"(", c.Args()...)
		case ast.ListKind:
			list(fmt.Sprintf("list %d (", e.AsList().OptionalIndices()), e.AsList().Elements()...)
		case ast.MapKind:
			out.WriteString("map ")
			for _, entry := range e.AsMap().Entries() {
				m := entry.AsMapEntry()
				list(fmt.Sprintf("%d %v (", entry.ID(), m.IsOptional()), m.Key(), m.Value())
			}
		case ast.StructKind:
			out.WriteString("message " + e.AsStruct().TypeName())
			for _, f := range e.AsStruct().Fields() {
				s := f.AsStructField()
				list(fmt.Sprintf("%d %q %v (", f.ID(), s.Name(), s.IsOptional()), s.Value())
			}
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			list(fmt.Sprintf("loop %q %q %q (", c.IterVar(), c.IterVar2(), c.AccuVar()),
				c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result())
		default:
			fmt.Fprintf(&out, "kind %v", e.Kind())
		}
	}
	node(e)
	return out.String()
}

// accepted are texts that must be accepted, and have the tree that cel-go has.
var accepted = []string{
	"a", "self.a.b", "a[0]", "a.for()", "a -- b", "has()", "has(a.b, c)", "has(has(a.b))", "a.b[c].d(e, f)[g]", "f()", "f(a, b)", "(a)", "((a.b))", "a.for", "a.`b-c/d.e f`", "a.?b.?`c`", "a[?b]",
	"1", "-1", "- 1", "0x1F", "-0xff", "007", "1u", "0xAu", "5U", "1.5", "-1.5", ".5", "1e3", "1E-3", "1.5e+3", "9223372036854775807",
	"-9223372036854775808", "18446744073709551615u", "-0.0",
	"'a'", `"a"`, `'\''`, `"\x41\101\u00e9\U0001F600\a\b\f\n\r\t\v\\\"\'\?` + "\\`\"", "'é'", `b'é\xff\377'`, `B"a"`, "r'a\\b'", `R"\"`, "br'\\x'", "bR\"\"",
	"'''a'b''c\n\r\nd\re'''", `"""a"b""c\x41"""`, "r'''\\'\n'''", "''", `""""""`, "r''''''", "b'''\n'''", "b''",
	"true", "false", "null", "[]", "[a]", "[a,]", "[?a, b, ?c]", "{}", "{a: b}", "{a: b, ?c: d,}", "[[1], [[2]]]",
	"a + b - c * d / e % f", "a - -1", "a -1", "-a", "--a", "---a", "!a", "!!a", "!!!a.b", "-a.b()", "!-1", "!-1.5", "-1.size()", "1.e", "-(1)", "- a + b",
	"-1u", "-'a'",
	"a < b", "a <= b == c != d > e >= f in g", "a in b", "inn", "truex", "nullable",
	"a && b", "a || b", "a && b || c && d", "a || b || c || d || e", "a && b && c && d && e && f && g", "a && (b || c && d || e) || f",
	"a ? b : c", "a ? b : c ? d : e", "a || b ? c && d : e", "(a ? b : c) ? d : e", "a ? (b ? c : d) : e",
	"has(a.b)", "has(a.b.c) && !has(a[0].b)", "a.all(x, x > 0)", "a.exists(x, a.all(y, x == y))", "a.exists_one(x, x)",
	"a.map(x, x)", "a.map(x, x > 0, x * 2)", "a.filter(x, has(x.y)).map(x, x.y)", "a.map()", "all(x, y)", "none(a)", "a.same()", "f(a).same().b",
	"parts(a, b)", "a.b.twice()",
	"f(a[0], -1, 'x', [1, ?b, {c: d, ?e: f}], has(a.b), a.c(d, e.f), x.all(y, y), a.map(b, c, d)).twice().twice()", "none(none(a))", "none(a.all(x, x))", "r", "b", "br", "rb", "R.r(b)",
	" a\t+\r\nb\f", "a // comment\n+ b // more", "// first\na", "a/b", "a //", "[ // x\n]", "e1", "_a._b", "x1e",
	strings.Repeat("a && ", 2000) + "a", strings.Repeat("!", 3001) + "a", strings.Repeat("-", 3000) + "a", strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40), strings.Repeat("a+", 90) + "a",
	"a" + strings.Repeat(".b", 90), "[" + strings.Repeat("1,", 5000) + "]",
}

// refused are texts that need not be accepted. Some are expressions.
var refused = []string{
	"", " ", "a b", "a.", ".a", ".f()", "a.b.c{d: e}", "A{}", "a..b", "a.5", "a.1", "1.a.", "a.true", "a.in", "a.null", "`a`", "a.`b`()", "a.?b()", "a.``", "a.`é`",
	"for", "while()", "a.all(for, x)", "a.all(x.y, z)", "has(a)", "a.map(1, 2)", "a.all(@result, x)", "a.all(__result__, x)",
	"1a", "0x", "0xg", "1ux", "1e", "0x1p", "9223372036854775808", "18446744073709551616u", "1e999", "--1", "---1.5", "-!a", "!-a", "+a",
	"'a", "'a\n'", "'\\z'", "'\\x4'", "'\\u12'", "'\\ud800'", "'\\U00110000'", "'\\400'", "'\\'", "b'\\u0041'", "'''a''", "'''a", "''''", `""""`, "rb''", "bb''", "'\xff'",
	"(", "a)", "(a", "[a", "a]", "[,]", "{,}", "[a,,b]", "{a}", "{a:}", "{a:b:c}", "f(a,)", "f(,)", "f(a b)", "a[", "a[]", "a[b", "a[?", "()",
	"a ? b", "a ? b :", "a ? b ? c : d : e", "a ? : b", "a &&", "&& a", "a & b", "a | b", "a = b", "a === b", "a <", "a !b", "a ! b", "a in", "@a", "a#b", "$", "é",
	"a\x00", "a;b", "a\\b", "/* a */ b", strings.Repeat("(", 5000), strings.Repeat("a+", 300) + "a", strings.Repeat("[", 99_999),
	strings.Repeat("-", 50_000), strings.Repeat("!", 50_000), "a" + strings.Repeat(".b", 300), strings.Repeat(" ", 100_001) + "a",
}

// CEN-010.
func TestExpression(t *testing.T) {
	for _, text := range accepted {
		e, ok := parse.Expression(text, macros)
		require.True(t, ok, text)
		want, ok := expected(t, text)
		require.True(t, ok, text)
		require.Equal(t, dump(want), dump(celgo.Expr(e)), text)
	}
}

// A reserved word can be the name of a field, and nothing else.
func TestReservedWords(t *testing.T) {
	for _, word := range []string{"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
		"namespace", "return", "var", "void", "while"} {
		for _, text := range []string{word, word + ".a", word + "()", "a.all(" + word + ", true)"} {
			_, ok := expected(t, text)
			require.False(t, ok, text)
			_, ok = parse.Expression(text, macros)
			require.False(t, ok, text)
		}
		want, ok := expected(t, "a."+word)
		require.True(t, ok, word)
		e, ok := parse.Expression("a."+word, macros)
		require.True(t, ok, word)
		require.Equal(t, dump(want), dump(celgo.Expr(e)))
	}
}

func TestRefused(t *testing.T) {
	for _, text := range refused {
		_, ok := parse.Expression(text, macros)
		require.False(t, ok, text)
	}
}

// A shell is what nests an expression once.
type shell struct{ before, after string }

var nests = []shell{
	{"(", ")"}, {"[", "]"}, {"{1: ", "}"}, {"{", ": 1}"}, {"f(", ")"}, {"f(1, ", ")"}, {"a.f(", ")"}, {"a[", "]"}, {"[", "].size()"}, {"(", ").b"},
	{"!(", ")"}, {"-(", ")"}, {"a == (", ")"}, {"(", ") == a"}, {"a + [", "]"}, {"[", "] + a"}, {"a * b + [", "] < c"}, {"a && (", ")"}, {"(", ") || a"},
	{"a ? (", ") : b"}, {"a ? b : ", ""}, {"(", ") ? a : b"}, {"", ".b"}, {"", "[0]"}, {"", ".f()"}, {"", " + a"}, {"", " == a"}, {"a.?b[?", "]"},
	{"a.b.c[", "]"}, {"a in [", "]"}, {"a - (b == [", "])"}, {"!!a || -(", ")"}, {"a == b * (", ")"}, {"[a, b == ", ", c]"},
}

// TestDepth: nesting is accepted up to cel-go's limit, and not beyond.
func TestDepth(t *testing.T) {
	same := func(text string) bool {
		want, ok := expected(t, text)
		e, accepted := parse.Expression(text, macros)
		require.Equal(t, ok, accepted, text)
		if ok {
			require.Equal(t, dump(want), dump(celgo.Expr(e)), text)
		}
		return ok
	}
	for _, s := range nests {
		deep := func(n int) string { return strings.Repeat(s.before, n) + "a" + strings.Repeat(s.after, n) }
		n := sort.Search(300, func(n int) bool { _, ok := expected(t, deep(n)); return !ok })
		require.Greater(t, n, 50, s.before)
		same(deep(n - 1))
		same(deep(n))
	}
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 300 {
		some := make([]shell, 1+random.IntN(4))
		for i := range some {
			some[i] = nests[random.IntN(len(nests))]
		}
		before, after := "", ""
		for range 100 + random.IntN(250) {
			s := some[random.IntN(len(some))]
			before, after = before+s.before, s.after+after
		}
		if same(before + "a" + after) {
			taken++
		}
	}
	require.Greater(t, taken, 50)
	require.Less(t, taken, 250)
}

// FuzzExpression: what is accepted has the tree that cel-go has.
func FuzzExpression(f *testing.F) {
	for _, text := range append(accepted, refused...) {
		if len(text) < 500 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		e, ok := parse.Expression(text, macros)
		if !ok {
			return
		}
		want, ok := expected(t, text)
		require.True(t, ok)
		require.Equal(t, dump(want), dump(celgo.Expr(e)))
	})
}
