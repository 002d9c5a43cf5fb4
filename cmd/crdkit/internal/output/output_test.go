package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// hostile are texts that are dangerous for terminals and CI services.
var hostile = []string{
	"\x1b[2J\x1b]0;title\x07", "a\n::error file=x::name", "\r\n \t::warning::x", "::add-mask::e", "\u00a0::stop-commands::x", "##[add-mask]e", "x ###[group]y", "##vso[task.x]y",
	"\u202eevil\u2066", "a\u200bb\u00ad\ufeff", "\u2028::error::x\u2029", "\u0085::error::x", "\U000e0041\U000e007f", "\xff\x9b31m", "#", "#[x]", ":", ":error::x", "\x00\x7f\u009b",
	"%0A::error::x", "a,title=b:c", "\v::debug::x\f::debug::x", `\u0023`, "\ud7ff\ufffd\uffff", "é\u0301", "\t",
}

var command = regexp.MustCompile(`##[A-Za-z]*\[`)

// requireHarmless checks lines as terminals and CI services read them.
func requireHarmless(t *testing.T, text string) {
	t.Helper()
	require.True(t, strings.ToValidUTF8(text, "") == text, "%q", text)
	for _, c := range text {
		require.False(t, c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)), "%q", text)
	}
	for line := range strings.Lines(text) {
		require.False(t, strings.HasPrefix(strings.TrimSpace(line), "::"), "%q", line)
		require.NotRegexp(t, command, line)
	}
}

// printed returns what print prints.
func printed(print func(w *Writer)) string {
	var b bytes.Buffer
	w := Buffered(&b)
	print(w)
	_ = w.Flush() // cannot fail
	return b.String()
}

func TestPrintf(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%s: %d %5.1f|%-4s|%*s|\n", []any{"a", 1, 2.25, "b", 3, "c"}, "a: 1   2.2|b   |  c|\n"},
		{"%s|%v|%q\n", []any{"a\nb\r", errors.New("c\nd"), "e\nf"}, `a\nb\u000d|c\nd|"e\nf"` + "\n"},
		{"%v %v\n", []any{[]string{"a\nb"}, struct{ A string }{"\x1b"}}, `[a\nb] {\u001b}` + "\n"},
		{"  %s\n", []any{Block{"    ", "a\n::error::b\n\x1bc\n"}}, "  a\n    \\u003a:error::b\n    \\u001bc\n\n"},
		{"%s\n", []any{"::error::x"}, `\u003a:error::x` + "\n"},
		{"%s%s\n", []any{":", ":error::x"}, `\u003a:error::x` + "\n"},
		{" %s%s[%s]\n", []any{"#", "#", "x"}, ` #\u0023[x]` + "\n"},
		{"%s\n", []any{"##vso[x] ## [y] ###[z] ##a##b[c] ##"}, `#\u0023vso[x] ## [y] ##\u0023[z] ##a#\u0023b[c] ##` + "\n"},
		{"%s\n", []any{"\U000e0041\u202e\u200d\u2029\xff\ufffdé"}, `\udb40\udc41\u202e\u200d\u2029\xff` + "\ufffdé\n"},
		{"no line break", nil, "no line break"},
		{"\n\n", nil, "\n\n"},
	} {
		require.Equal(t, c.want, printed(func(w *Writer) { w.Printf(c.format, c.args...) }), c.format)
	}
	require.Equal(t, "a\tb\\n", Escape("a\tb\n"))
	require.Equal(t, "a\tb\n", EscapeLines("a\tb\n"))
}

// The parts of a line may be printed one after another: what they make together is harmless.
func TestParts(t *testing.T) {
	require.Equal(t, `  \u003a:error::x#\u0023[y]`+"\nz\n", printed(func(w *Writer) {
		for _, part := range []string{" ", " ", ":", ":error::x#", "#[", "y]"} {
			w.Printf("%s", part)
		}
		w.Printf("\nz\n")
	}))
}

// A Writer without a buffer writes complete lines at once; one with a buffer when there is much, or when it is flushed.
// The first error stays.
func TestBuffers(t *testing.T) {
	var b bytes.Buffer
	w := New(&b)
	w.Printf("a\nb")
	require.Equal(t, "a\n", b.String())
	w.Printf("c\n")
	require.Equal(t, "a\nbc\n", b.String())
	b.Reset()
	w = Buffered(&b)
	w.Printf("a\n")
	require.Empty(t, b.String())
	w.Print(strings.Repeat("x\n", bufferSize))
	require.Greater(t, b.Len(), bufferSize)
	require.NoError(t, w.Flush())
	require.Equal(t, 2+2*bufferSize, b.Len())

	w = Buffered(failing{})
	w.Printf("a\n")
	require.EqualError(t, w.Flush(), "broken")
	w.Printf("b\n")
	require.EqualError(t, w.Flush(), "broken")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken") }

// Colors come from Paint alone, and only if they are wanted.
func TestPaint(t *testing.T) {
	text := func(w *Writer) { w.Printf("%s %s\n", w.Paint(Red, "a\x1b[32m\n"), "\x1b[31mb") }
	require.Equal(t, `a\u001b[32m\n \u001b[31mb`+"\n", printed(text))
	require.Equal(t, "\x1b[31m"+`a\u001b[32m\n`+"\x1b[0m "+`\u001b[31mb`+"\n", printed(func(w *Writer) {
		w.UseColor()
		text(w)
	}))
}

func TestAnnotate(t *testing.T) {
	require.Equal(t, "::error file=a%3Ab%2C%25%0A.yaml,line=2,col=3,title=t\\u001b%3A%3A::m: %25%0A::error::#\\u0023[x]\n::notice file=b::m\n", printed(func(w *Writer) {
		w.Annotate("error", "a:b,%\n.yaml", 2, 3, "t\x1b::", "m: %\n::error::##[x]")
		w.Annotate("notice", "b", 0, 0, "", "m")
	}))
}

// What is printed is harmless, and JSON has the same data.
func FuzzOutput(f *testing.F) {
	for i, s := range hostile {
		f.Add(s, hostile[(i+1)%len(hostile)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		requireHarmless(t, printed(func(w *Writer) { w.Printf("%s%s: %v\n  %q %s", a, b, errors.New(b), a, []string{a, b}) }))
		requireHarmless(t, printed(func(w *Writer) { w.Printf("x: %s\n%s", Block{"  ", a}, Block{Text: b}) }))
		requireHarmless(t, printed(func(w *Writer) { w.Print(a); w.Print(b) }))
		annotation := printed(func(w *Writer) { w.Annotate("error", a, 1, 2, b, a+b) })
		require.Regexp(t, `^::error file=[^:,\n]*,line=1,col=2(,title=[^:,\n]*)?::[^\n]*\n$`, annotation)
		requireHarmless(t, strings.TrimPrefix(annotation, "::error"))

		data := map[string]any{"a": a, b: []any{b, a + b}}
		text := printed(func(w *Writer) { require.NoError(t, w.JSON(data)) })
		requireHarmless(t, text)
		plain, err := json.Marshal(data)
		require.NoError(t, err)
		require.JSONEq(t, string(plain), text)
	})
}
