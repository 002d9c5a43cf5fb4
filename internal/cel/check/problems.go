package check

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/parse"
)

// maxLine is the longest source line, in bytes, that is printed with a problem (CER-002).
const maxLine = 16384

// printed returns the problems of text as a server prints them: CER-002, CER-003. It sorts them.
func printed(p *parse.Problems, text string) string {
	sort.SliceStable(p.List, func(i, j int) bool {
		a, b := p.List[i], p.List[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	var out strings.Builder
	for i, problem := range p.List {
		if i > 0 {
			out.WriteByte('\n')
		}
		write(&out, problem, text)
	}
	if p.Beyond > 0 {
		out.WriteString("\n" + strconv.Itoa(p.Beyond) + " more errors were truncated")
	}
	return out.String()
}

// write prints one problem of text, with its source line and a pointer below: CER-002.
func write(out *strings.Builder, at parse.Problem, text string) {
	fmt.Fprintf(out, "ERROR: <input>:%d:%d: %s", at.Line, at.Column+1, at.Text)
	line, ok := lineOf(text, at.Line)
	if !ok || len(line) > maxLine {
		return
	}
	line = strings.ReplaceAll(line, "\t", " ")
	fmt.Fprintf(out, "\n | %s\n | ", line)
	rest := line
	for i := 0; i < at.Column && rest != ""; i++ {
		_, size := utf8.DecodeRuneInString(rest)
		if size > 1 {
			out.WriteString("．")
		} else {
			out.WriteByte('.')
		}
		rest = rest[size:]
	}
	if _, size := utf8.DecodeRuneInString(rest); size > 1 {
		out.WriteString("＾")
	} else {
		out.WriteByte('^')
	}
}

// lineOf returns the nth line of text, from 1, with each byte of invalid UTF-8 replaced. It reports false if there is
// no such line.
func lineOf(text string, n int) (string, bool) {
	if n < 1 || text == "" {
		return "", false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if n--; n == 0 {
			return string([]rune(line)), true
		}
	}
	return "", false
}
