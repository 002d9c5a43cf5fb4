package check

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/ast"
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

// lines has the lines of a text, from 1 on, without line breaks.
type lines interface {
	Snippet(line int) (string, bool)
}

// problems are all problems of an expression, in the order in which they were found.
type problems struct {
	source lines
	list   []problem
	more   string // the line that says how many were left out; empty if none
	beyond int    // problems added after the list was full
}

// add adds a problem of the expression with that id.
func (p *problems) add(info *ast.SourceInfo, id int64, text string) {
	if len(p.list) >= maxProblems {
		p.beyond++
		return
	}
	at := info.Start(id)
	p.list = append(p.list, problem{at.Line, at.Column, text})
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
	if p.beyond > 0 {
		p.more = strconv.Itoa(p.beyond) + " more errors were truncated"
	}
	if p.more != "" {
		out.WriteByte('\n')
		out.WriteString(p.more)
	}
	return out.String()
}

// write prints one problem, with its source line and a pointer below: CER-002.
func (p *problems) write(out *strings.Builder, at problem) {
	fmt.Fprintf(out, "ERROR: <input>:%d:%d: %s", at.line, at.column+1, at.text)
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
