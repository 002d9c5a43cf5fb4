package check

import (
	"strings"
	"testing"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/parser"
	"github.com/stretchr/testify/require"
)

func compileText(text string) error {
	var c Checker
	_, err := c.compile(text, &scope{provider: declareNothing()})
	return err
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"CER-002: tabs are spaces of one column", "1 ==\t'a'",
			"ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, string)'\n | 1 == 'a'\n | ..^"},
		{"CER-002: wide characters before", "'é世' == 1",
			"ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, int)'\n | 'é世' == 1\n | .．．..^"},
		{"CER-002: a wide character at the place", "1 é",
			"ERROR: <input>:1:3: Syntax error: token recognition error at: 'é'\n | 1 é\n | ..＾"},
		{"CER-002: lines split at LF, CR stays", "true\r\n&& 1\n&& true",
			"ERROR: <input>:2:4: expected type 'bool' but found 'int'\n | && 1\n | ...^"},
		{"CER-002: CR stays", "true && 1\r\n",
			"ERROR: <input>:1:9: expected type 'bool' but found 'int'\n | true && 1\r\n | ........^"},
		{"CER-003: by line, then column", "b ||\nc || a",
			"ERROR: <input>:1:1: undeclared reference to 'b' (in container '')\n | b ||\n | ^\n" +
				"ERROR: <input>:2:1: undeclared reference to 'c' (in container '')\n | c || a\n | ^\n" +
				"ERROR: <input>:2:6: undeclared reference to 'a' (in container '')\n | c || a\n | .....^"},
		{"CER-004", strings.Repeat("(", 251) + "1" + strings.Repeat(")", 251),
			"ERROR: <input>:-1:0: expression recursion limit exceeded: 250"},
		{"CER-004, CEN-003: code points, not bytes", "'" + strings.Repeat("é", 100_000) + "'",
			"ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100002, limit 100000"},
		{"CER-002: a line of 16384 bytes is printed", strings.Repeat(" ", 16383) + "a",
			"ERROR: <input>:1:16384: undeclared reference to 'a' (in container '')\n | " + strings.Repeat(" ", 16383) + "a\n | " +
				strings.Repeat(".", 16383) + "^"},
		{"CER-002: a longer one is not", strings.Repeat(" ", 16384) + "a",
			"ERROR: <input>:1:16385: undeclared reference to 'a' (in container '')"},
		{"invalid UTF-8 is replaced", "'\xff' == 1",
			"ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(string, int)'\n | '\ufffd' == 1\n | .．..^"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.EqualError(t, compileText(tt.text), tt.want)
		})
	}
}

func TestTooManyProblems(t *testing.T) {
	// CER-003
	for _, tt := range []struct{ name, text, last string }{
		{"type errors: 100", strings.Repeat("a||", 99) + "a", " | " + strings.Repeat(".", 297) + "^"},
		{"type errors: 101", strings.Repeat("a||", 100) + "a", "1 more errors were truncated"},
		{"type errors: 1000", strings.Repeat("a||", 999) + "a", "900 more errors were truncated"},
		{"validators: 150", "[" + strings.Repeat("[1,''],", 149) + "[1,'']]", "50 more errors were truncated"},
		{"syntax errors", strings.Repeat("#\n", 500), "1 more errors were truncated"}, // CER-023
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := compileText(tt.text)
			require.Error(t, err)
			require.Equal(t, 100, strings.Count(err.Error(), "ERROR: "))
			lines := strings.Split(err.Error(), "\n")
			require.Equal(t, tt.last, lines[len(lines)-1])
		})
	}
}

// TestProblemsPrintAsCelGo compares with cel-go's own printing, which a server's texts come from.
func TestProblemsPrintAsCelGo(t *testing.T) {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true))
	require.NoError(t, err)
	for _, text := range []string{"1 +", "é é\té", "a\n\n b c\r\n#", "'", "世世 世", strings.Repeat("a b ", 300), "\xff\xfe x", "(((", ""} {
		source := common.NewTextSource(text)
		_, errs := p.Parse(source)
		require.NotEmpty(t, errs.GetErrors(), text)
		require.EqualError(t, compileText(text), errs.ToDisplayString(), text)
	}
}
