package check

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
)

const (
	// maxProblems is the maximum number of reported problems of one expression (CER-003).
	maxProblems = 100
	// maxLine is the longest source line, in bytes, that is printed with a problem (CER-002).
	maxLine = 16384
)

// A problem is an error in an expression, and its position.
type problem struct {
	line, column int // from 1 and from 0; both -1: no position (CER-004)
	text         string
}

// problems are all problems of an expression, in the order in which they were found.
type problems struct {
	source common.Source // nil: the problems are only counted
	list   []problem     // the first ones
	found  int           // the number of all that were added
	more   string        // the line that says how many were left out; empty if none
}

// problemsFrom returns the problems that cel-go's parser has found in source. They must have been found in
// withoutLines(source).
func problemsFrom(source common.Source, errs *common.Errors) *problems {
	p := &problems{source: source}
	for _, e := range errs.GetErrors() {
		p.list = append(p.list, problem{e.Location.Line(), e.Location.Column(), e.Message})
	}
	if len(p.list) >= maxProblems {
		// Only the printed form says how many more there were.
		printed := errs.ToDisplayString()
		if last := printed[strings.LastIndexByte(printed, '\n')+1:]; strings.HasSuffix(last, "more errors were truncated") {
			p.more = last
		}
	}
	return p
}

// wanted reports whether the next problem will be in the list, so that its text is needed.
func (p *problems) wanted() bool { return p.source != nil && len(p.list) < maxProblems }

// add adds a problem of the node with that id.
func (p *problems) add(info *ast.SourceInfo, id int64, text string) {
	p.found++
	if p.wanted() {
		at := info.GetStartLocation(id)
		p.list = append(p.list, problem{at.Line(), at.Column(), text})
	}
}

// text returns the problems as a server prints them: CER-002, CER-003.
func (p *problems) text() string {
	sort.SliceStable(p.list, func(i, j int) bool {
		a, b := p.list[i], p.list[j]
		return a.line < b.line || a.line == b.line && a.column < b.column
	})
	var out strings.Builder
	for i, problem := range p.list {
		if i > 0 {
			out.WriteByte('\n')
		}
		p.write(&out, problem)
	}
	if p.found > len(p.list) {
		p.more = strconv.Itoa(p.found-len(p.list)) + " more errors were truncated"
	}
	if p.more != "" {
		out.WriteByte('\n')
		out.WriteString(p.more)
	}
	return out.String()
}

// write prints one problem, with its source line and a pointer below: CER-002.
func (p *problems) write(out *strings.Builder, at problem) {
	fmt.Fprintf(out, "ERROR: %s:%d:%d: %s", p.source.Description(), at.line, at.column+1, at.text)
	line, ok := p.source.Snippet(at.line)
	if !ok || len(line) > maxLine {
		return
	}
	line = strings.ReplaceAll(line, "\t", " ")
	fmt.Fprintf(out, "\n | %s\n | ", line)
	rest := line
	for i := 0; i < at.column && rest != ""; i++ {
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

// withoutLines returns source without its lines, so that cel-go prints no source lines with its problems. Printing them
// takes cel-go time quadratic in the length of a line.
func withoutLines(source common.Source) common.Source { return plainSource{source} }

type plainSource struct{ common.Source }

func (plainSource) Snippet(int) (string, bool) { return "", false }
