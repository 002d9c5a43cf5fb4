package parse_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// An outcome is what a parser makes of a text.
type outcome struct {
	Tree   string   // with ids and positions
	Errors []string // with positions, in the order in which they were found
	Beyond string   // the line about further errors
}

// full returns the outcome of Full.
func full(text string, optionalSyntax, escapedNames bool) outcome {
	options := parse.Options{Macros: macros, OptionalSyntax: optionalSyntax, EscapedNames: escapedNames}
	tree, problems := parse.Full(text, options)
	if problems == nil {
		at := func(id int64) (int, int) { p := tree.Position(id); return p.Line, p.Column }
		root := celgo.Expr(tree.Root)
		return outcome{Tree: dump(root) + places(root, at)}
	}
	var o outcome
	for _, p := range problems.List {
		o.Errors = append(o.Errors, fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text))
	}
	if problems.Beyond > 0 {
		o.Beyond = fmt.Sprintf("%d more errors were truncated", problems.Beyond)
	}
	return o
}

// celgoFull returns the outcome of cel-go's parser. It reports false if the parser panics.
func celgoFull(tb testing.TB, text string, optionalSyntax, escapedNames bool) (o outcome, ok bool) {
	tb.Helper()
	defer func() { ok = recover() == nil }()
	p := celgoParsers()[[2]bool{optionalSyntax, escapedNames}]
	parsed, errs := p.Parse(plainSource{common.NewTextSource(text)})
	if len(errs.GetErrors()) == 0 {
		info := parsed.SourceInfo()
		at := func(id int64) (int, int) { l := info.GetStartLocation(id); return l.Line(), l.Column() }
		return outcome{Tree: dump(parsed.Expr()) + places(parsed.Expr(), at)}, true
	}
	for _, e := range errs.GetErrors() {
		o.Errors = append(o.Errors, fmt.Sprintf("%d:%d: %s", e.Location.Line(), e.Location.Column(), e.Message))
	}
	shown := errs.ToDisplayString()
	if last := shown[strings.LastIndexByte(shown, '\n')+1:]; strings.HasSuffix(last, " more errors were truncated") {
		o.Beyond = last
	}
	return o, true
}

// A plainSource has no lines that could be printed: cel-go takes quadratic time for that.
type plainSource struct{ common.Source }

func (plainSource) Snippet(int) (string, bool) { return "", false }

var celgoParsers = sync.OnceValue(func() map[[2]bool]*parser.Parser {
	all := map[[2]bool]*parser.Parser{}
	for _, on := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		p, err := parser.NewParser(parser.Macros(standard...), parser.EnableOptionalSyntax(on[0]),
			parser.EnableIdentEscapeSyntax(on[1]), parser.EnableHiddenAccumulatorName(true))
		if err != nil {
			panic(err)
		}
		all[on] = p
	}
	return all
})

// places prints the positions of all nodes and entries of e.
func places(e ast.Expr, at func(id int64) (line, column int)) string {
	var out strings.Builder
	show := func(id int64) {
		line, column := at(id)
		fmt.Fprintf(&out, " %d@%d:%d", id, line, column)
	}
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		show(e.ID())
		switch e.Kind() {
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				show(entry.ID())
			}
		case ast.StructKind:
			for _, field := range e.AsStruct().Fields() {
				show(field.ID())
			}
		}
	}))
	return out.String()
}

// compare checks that Full has the outcome of cel-go's parser. It reports what that is.
func compare(tb testing.TB, text string, optionalSyntax, escapedNames bool) (o outcome, panics bool) {
	tb.Helper()
	got := full(text, optionalSyntax, escapedNames)
	want, ok := celgoFull(tb, text, optionalSyntax, escapedNames)
	if !ok {
		return got, true
	}
	if !reflect.DeepEqual(want, got) { // faster than testify
		require.Equal(tb, want, got, "%q, optional syntax %v, escaped names %v", text, optionalSyntax, escapedNames)
	}
	return got, false
}

// unusual are expressions that only Full parses.
var unusual = []string{
	"for{}", "for{a: b}", ".a", ".a.b", ".f(a)", ".a.b.c{d: e}", "A{}", "A{,}", "A{b: c, ?d: e,}", "A{`b-c`: d}",
	"a.b.c{d: e}.f", "--1", "---1.5", "- -1", "!!-1",
	"a.`b`.?`c d`", "A{a: x.map(y, y)}.b", "A{a: {b: c}}.twice()", "[A{a: 1, b: {c: 2, ?d: 3}}].twice()",
	"{a: b, ?c: A{d: e}}.twice().twice()",
	"a\n.b\r\n+ [\tc, // d\n  e]\n", "'''a\nb''' +\n  r'c'", "'é' + '世界' + a.b", "'\U0001F600' == a", "a\f+\fb",
	"// a\n\n// b\na", "'''\r\n'''", "b'''\r'''",
	"a.map(x,\n x).all(y,\n  has(y.z)).twice()", "\n\na\n\n", "'\xff' + \"\xc3\" + a.b", "b'\xff\xfe'", "// \xff\na",
	"a ? b : (c ? d : e) ? f : g", "0xFFFFFFFFFFFFFFFFu", "-0x8000000000000000", "9223372036854775807",
	"a in b in c", "a < b < c", "a - b - c * d % e / f", "-a * -b", "!a && !b || !c", "(((a)))", "a.b.c.d().e[f].g()",
	"[[], {}, A{}]", "{1: 2, 'a': b, true: null}",
	strings.Repeat("a || b && ", 1500) + "c", "[" + strings.Repeat("1, ", 3000) + "]", strings.Repeat("-", 1001) + "a",
	strings.Repeat("!", 1000) + "a",
}

// erroneous are texts that are not expressions.
var erroneous = []string{
	// Tokens.
	"#", "a # b", "a\x00b", "'", "\"", "'a", "'a\nb'", "'''a", "r'", "b\"a", "`", "`a", "``", "`é`", "a.`b", "'\\z'",
	"'\\x4'", "'\\u12'", "'\\400'", "'\\", "\\", "é", "a é b", "世 + 界",
	"\xff", "a \xff b", "a.\xc3", "a &", "a & b", "a | b", "a = b", "a === b", "a\t#\tb", "\t\t#", "a\r\n#\r\nb",
	"a ~ b ~ c", "$a", "@a", "a; b", "/* a */", "\u2028", "'\x00", "\ufeffa",
	"no viable alternative at input '.true'", "'no viable alternative at input '.true'",
	"a + 'no viable alternative at input 'xtrue' b.", "# no viable alternative at input '.null'",
	// Literals.
	"9223372036854775808", "-9223372036854775809", "0x8000000000000000", "18446744073709551616u",
	"0x10000000000000000u", "1e999", "-1e999", "[1e999, 2e999]",
	"'\\ud800'", "'\\U00110000'", "'\\UFFFFFFFF'", "b'\\u0041'", "b'\\U00000041'", "b'\\ud800'",
	"'\\ud800' + '\\udc00'", "1a", "0x", "0xg", "1ux", "1..2", "1.2.3", "01x",
	// Keywords.
	"for", "for()", ".for", ".while()", "a.true", "a.false.b", "a.null", "a.in", "true.a.true", "in", "null()",
	"true()", "A.true{}", "for.a", "as + break", "has(for)",
	"package.import", "let x = 1", "[as, if]", "{for: while}", "a.all(for, true)", "x.`for`.true", "a .true", "a. null",
	"true.false",
	// Structure.
	"", " ", "\n", "\n\n", "// a", "\t", "a b", "a b c d", "a +", "+ a", "a + + b", "a * / b", "a &&", "&& a",
	"a && && b", "a ||", "|| a", "a ? b", "a ? b :", "a ? : b", "? a : b", "a ? b ? c : d : e", "a :",
	"(", ")", "()", "(a", "a)", "((a)", "(a))", "[", "]", "[a", "a]", "[,a]", "[a,,b]", "[a b]", "{", "}", "{a}",
	"{a:}", "{a: b", "{a: b c: d}", "{a: b,, c: d}", "{: b}", "{a:b:c}", "{,,}", "[,,]",
	"f(", "f)", "f(a", "f(a,", "f(a,)", "f(,a)", "f(a b)", "f(a)(b)", "!a.b[c](d)", "!--1", "a.", "a..b", "a.b.", ".",
	"..", ".1.", "a.1", "a.(b)", "a.[b]", "a.{b}", "a.f(", "a.f(b", "a[", "a[]", "a[b", "a[b,c]", "a[b]]", "a[?",
	"a[?]",
	"A{", "A{a", "A{a:", "A{a: b", "A{a: b c: d}", "A{a b}", "A{: b}", "A{1: b}", "A{a.b: c}", "A{'a': b}", "A{?}",
	"A{? a: b", "a.b{", "f(a){b: c}", "a[0]{b: c}", "(a){b: c}", "A{a: 1}{b: 2}", ".A{", "A.{a: b}",
	"a.?", "a.?b()", "a.?.b", "a.`b`()", "`a`", "`a`.b", "a.``", "a.?`b", "!", "-", "!-", "-!a", "!-a", "-!1", "+1",
	"a !b", "a ! b", "a -", "a !in b", "a not in b", "a in", "in a", "a <> b", "a => b",
	"a <", "< a", "a == ", "== a", "a == == b", "a == b ==", "a,b", ",", ",a", "a,", ":", "a:b", "a ? b : c :",
	"if a then b", "a => a.b", "x -> y", "{'a' = 1}", "a.b.c(d.e(f.g(h)", "((((((((((", "]]]]]]]", "}{", ")(",
	"(a, b)", "[a; b]", "f(a; b)", "'a' 'b'", "1 2", "1 + 2 3 + 4", "a.b c.d", "a[1 2]", "{1 2}", "{1: 2 3}", "a\nb\nc",
	"(a\n+\n", "[\n1,\n2\n3]", "é.b", "a.é", "a + é + b", "'é' é 'é'", "\"世\" ? 世",
	// Macros.
	"has(a)", "has(a[0])", "a.all(1, x)", "a.all(x.y, z)", "a.exists([x], y)", "a.exists_one(f(), y)", "a.map(1, 2)",
	"a.map(x.y, z, w)", "a.filter('x', y)", "a.all(__result__, x)",
	"a.all(x, has(x))\n.map(1, has(y))", "a.map(x, has(x)) + has(1) +\n has('é') + b.all(1, 2)",
	"a.all(x, x.map(1, 2))", "[has(a), has(b)]\n", "{a.all(1, 2): has(b)}", "has(a) ? b.all(1, 2) : c.map(3, 4)",
	"a.all(x, has(x)) && for", "a.map(#, x)", "a.map(x, )", "a.all(, x)", "a.all(x,", "has(", "has(.)", "a.all(x y, z)",
	"A{a: has(b)}.twice()", "(a +).twice()", "[a b].twice()", "{a}.twice()", "A{1: 2}.twice()",
}

// expressions are all texts of this file that are expressions, or nearly.
func expressions() []string {
	var all []string
	for _, list := range [][]string{accepted, unusual} {
		for _, text := range list {
			if len(text) < 300 {
				all = append(all, text)
			}
		}
	}
	return all
}

// CEN-003, CEN-010, CER-020 to CER-024.
func TestFull(t *testing.T) {
	for _, list := range [][]string{accepted, unusual, refused, erroneous} {
		for _, text := range list {
			for _, on := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
				if len(text) < 300 || on[0] && on[1] {
					compare(t, text, on[0], on[1])
				}
			}
		}
	}
	for _, text := range unusual {
		require.Empty(t, full(text, true, true).Errors, text)
	}
	var fine []string
	for _, text := range erroneous {
		if len(full(text, true, true).Errors) == 0 {
			fine = append(fine, text)
		}
	}
	require.Empty(t, fine)
}

// TestLimits: each limit of CEN-003 is hit, and nearly hit.
func TestLimits(t *testing.T) {
	repeat := strings.Repeat
	for _, tt := range []struct{ want, text string }{
		{"", "'" + repeat("é", 99_998) + "'"},
		{"-1:-1: expression code point size exceeds limit: size: 100001, limit 100000", "'" + repeat("é", 99_999) + "'"},
		{"-1:-1: expression code point size exceeds limit: size: 100001, limit 100000", repeat("\xff", 100_001)},
		{"", repeat("(", 249) + "a" + repeat(")", 249)},
		{"-1:-1: expression recursion limit exceeded: 250", repeat("(", 250) + "a" + repeat(")", 250)},
		{"-1:-1: expression recursion limit exceeded: 250", repeat("(", 10_000)},
		{"-1:-1: expression recursion limit exceeded: 250", "# " + repeat("[", 10_000)},
		{"-1:-1: expression recursion limit exceeded: 250", repeat("a ? b : ", 300) + "a"},
		{"", repeat("a+", 250) + "a"},
		{"-1:-1: max recursion depth exceeded", repeat("a+", 251) + "a"},
		{"-1:-1: max recursion depth exceeded", "a" + repeat(".b", 150) + repeat("[0]", 100) + " == for"},
		{"1:0: reserved identifier: for", "for + (a" + repeat(".b", 150) + repeat("[0]", 99) + ")"},
		{"", repeat("a && b || ", 1_000) + "a"},
		{"1:7: Syntax error: no viable alternative at input '..'", "a" + repeat(" + a ..", 28)},
		{"Syntax error: error recovery attempt limit exceeded: 30", "a" + repeat(" + a ..", 60)},
		{"-1:-1: error recovery token lookahead limit exceeded: 256", "a b" + repeat(" c", 256)},
		{"", "a" + repeat(" + f(1)", 90)},
		{"1:2: Syntax error: ", "a b" + repeat(" c", 255)},
		{"100:0: Syntax error: token recognition error at: '#'", repeat("#\n", 100)},
		{"100:0: Syntax error: token recognition error at: '#'", repeat("#\n", 101)},
		{"100:0: Syntax error: token recognition error at: '#'", repeat("#\n", 5_000)},
		{"1:99: Syntax error: token recognition error at: '#'", repeat("#", 99) + "# a"},
		{"reserved identifier: for", "[" + repeat("for, ", 150) + "]"},
		{"reserved identifier: for", repeat("#", 80) + "[" + repeat("for, ", 150) + "]"},
		{"invalid int literal", "[" + repeat("99999999999999999999, ", 100) + "]"},
		{"invalid int literal", "[" + repeat("99999999999999999999, ", 101) + "]"},
		{"invalid argument to has() macro", "[" + repeat("has(a), ", 120) + "]"},
	} {
		o, panics := compare(t, tt.text, true, true)
		require.False(t, panics)
		if tt.want == "" {
			require.Empty(t, o.Errors)
		} else {
			require.Contains(t, strings.Join(o.Errors, "\n"), tt.want, "%.50s", tt.text)
		}
	}
	require.Equal(t, "1 more errors were truncated", full(repeat("#\n", 5_000), true, true).Beyond)
	require.Equal(t, "50 more errors were truncated", full("["+repeat("for, ", 150)+"]", true, true).Beyond)
}

// TestNests: Full has the limit of nesting that cel-go has, for any mix of operators.
func TestNests(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		before, after := "", ""
		some := []shell{nests[random.IntN(len(nests))], nests[random.IntN(len(nests))]}
		for range 60 + random.IntN(250) {
			s := some[random.IntN(len(some))]
			before, after = before+s.before, s.after+after
		}
		compare(t, before+"a"+after, true, true)
	}
}

// fragments are put into texts by mutations.
var fragments = []string{
	"(", ")", "[", "]", "{", "}", ".", ",", ":", "?", "+", "-", "*", "/", "%", "!", "<", ">", "=", "==", "!=", "<=",
	">=", "&&", "||", "&", "|", "'", "\"", "`", "'''", "\"\"\"", "\\", "#", "@", " ", "\n", "\r\n", "\t", "//", "é",
	"世",
	"\U0001F600", "\xff", "\x00", "0", "1", "0x1", "1u", "1.5", "1e9", "99999999999999999999", "1e999", "a", "in",
	"true", "false", "null", "for", "b'", "r'", "'a'", "b'a'", "'\\ud800'", "has(", "has(a.b)", ".map(x, ",
	".all(x, x)",
	".all(1, 2)", ".twice()", ".?", "[?", "{?", "A{", "A{a: ", "?a: ", "`a`", ".`a`", "a.b", "f(", ".f(a)", " ? a : ",
	"--", "!!", "-1", ".true", "// a\n",
}

// mutated returns a text with random changes.
func mutated(random *rand.Rand, texts []string) string {
	text := texts[random.IntN(len(texts))]
	for range 1 + random.IntN(4) {
		from := random.IntN(len(text) + 1)
		to := min(len(text), from+random.IntN(6))
		switch random.IntN(7) {
		case 0: // delete
			text = text[:from] + text[to:]
		case 1: // duplicate
			text = text[:to] + text[from:]
		case 2: // replace
			text = text[:from] + fragments[random.IntN(len(fragments))] + text[to:]
		case 3: // move
			piece := text[from:to]
			text = text[:from] + text[to:]
			at := random.IntN(len(text) + 1)
			text = text[:at] + piece + text[at:]
		case 4: // join
			text += fragments[random.IntN(len(fragments))] + texts[random.IntN(len(texts))]
		default: // insert
			text = text[:from] + fragments[random.IntN(len(fragments))] + text[from:]
		}
		text = text[:min(len(text), 400)]
	}
	return text
}

var mutations = flag.Int("mutations", 3000, "number of texts of TestMutations")

// TestMutations compares the outcomes of texts that are nearly expressions. More of them: -mutations.
func TestMutations(t *testing.T) {
	texts := expressions()
	random := rand.New(rand.NewPCG(5, uint64(*mutations)))
	valid, panicking := 0, 0
	for i := range *mutations {
		text := mutated(random, texts)
		o, panics := compare(t, text, i%4 != 3, i%4 != 2)
		require.NotContains(t, strings.Join(o.Errors, "\n"), "cannot be parsed", text)
		if panics { // after an error in a map or a message that a macro copies
			panicking++
		}
		if len(o.Errors) == 0 {
			valid++
		}
	}
	t.Logf("%d texts: %d are expressions; cel-go panics for %d", *mutations, valid, panicking)
	require.Greater(t, valid, *mutations/20)
	require.Less(t, valid, *mutations/2)
}

// TestConcurrent: texts can be parsed at the same time. ANTLR's tables are shared, and grow.
func TestConcurrent(t *testing.T) {
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := i; j < len(erroneous); j += 2 {
				full(erroneous[j], true, true)
			}
		})
	}
	all.Wait()
}

// FuzzFull: every text has the outcome that cel-go has.
func FuzzFull(f *testing.F) {
	for _, list := range [][]string{accepted, unusual, refused, erroneous} {
		for _, text := range list {
			if len(text) < 500 {
				f.Add(text, true, true)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, optionalSyntax, escapedNames bool) {
		if len(text) < 2000 {
			compare(t, text, optionalSyntax, escapedNames)
		}
	})
}
