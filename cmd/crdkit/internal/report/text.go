package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

var colors = map[finding.Severity]output.Color{finding.Error: output.Red, finding.Warning: output.Yellow, finding.Note: output.Blue}

// text prints a line for each finding, with its hints below, and a summary.
func (r *Report) text(w *output.Writer, o Options) {
	const indent = "    "
	out := w
	if o.Findings != nil {
		w = o.Findings
	}
	file := ""
	var in lines
	for i, g := range r.groups() {
		f := g.Finding
		if o.Snippets && i > 0 && f.File != file {
			w.Printf("\n")
		}
		file = f.File
		w.Printf("%s: %s: %s", w.Paint(output.Bold, Location(f)), w.Paint(colors[f.Severity], string(f.Severity)), output.Block{Indent: indent, Text: f.Message})
		if f.Object != "" {
			w.Printf(" [%s]", f.Object)
		}
		w.Printf("\n")
		if o.Snippets {
			if line, caret, ok := in.snippet(f); ok {
				w.Printf(indent+"%s\n"+indent+"%s\n", line, w.Paint(output.Green, caret))
			}
		}
		if f.Template != "" {
			w.Printf(indent+"template: %s\n", f.Template)
		}
		for _, line := range g.lines() {
			w.Printf(indent+"%s\n", output.Block{Indent: indent, Text: line})
		}
		for _, h := range f.Hints {
			w.Printf(indent+"%s %s\n", w.Paint(output.Green, "hint:"), output.Block{Indent: indent, Text: h})
		}
	}
	if n := r.Summary.Findings.Omitted; n > 0 {
		w.Printf("and %d more\n", n)
	}
	if r.Text != nil {
		r.Text(out)
	}
	for _, line := range r.Summary.lines() {
		w.Printf("%s\n", line)
	}
	for _, tool := range r.Summary.tools() {
		w.Printf("%s for the result, run %s DIRECTORY | crdkit %s -\n", w.Paint(output.Green, "hint:"), tool, r.Command)
	}
}

// tools returns the commands that make manifests of what was skipped.
func (s *Summary) tools() (tools []string) {
	if s.Patches > 0 {
		tools = append(tools, "kustomize build")
	}
	if s.Templates > 0 {
		tools = append(tools, "helm template")
	}
	return tools
}

// maxSnippet is how many bytes of a line a snippet has.
const maxSnippet = 160

// A lines finds lines in files. It keeps those of the last file.
type lines struct {
	name string
	all  [][]byte // nil before the first file
}

// snippet returns the line of a finding, or a part of a long line, and a second line with a caret below its column.
func (l *lines) snippet(f *finding.Finding) (line, caret string, ok bool) {
	if f.Line == 0 || f.Source == nil {
		return "", "", false
	}
	if l.all == nil || l.name != f.File {
		l.name, l.all = f.File, bytes.Split(bytes.TrimPrefix(f.Source, []byte("\ufeff")), []byte("\n"))
	}
	var text []byte // without its line break
	if f.Line <= len(l.all) {
		text = bytes.TrimRight(l.all[f.Line-1], "\r")
	}
	at := 0 // in bytes
	for n := 1; n < f.Column && at < len(text); n++ {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	from, to := 0, len(text)
	if to > maxSnippet {
		from = max(0, at-maxSnippet/2)
		to = min(to, from+maxSnippet)
	}
	shown := func(part []byte) string {
		return output.Escape(strings.ReplaceAll(strings.ToValidUTF8(string(part), ""), "\t", " "))
	}
	before := shown(text[from:at])
	return before + shown(text[at:to]), strings.Repeat(" ", utf8.RuneCountInString(before)) + "^", true
}

// A count is a number of things.
type count struct {
	n         int
	one, many string
}

// countsText returns the counts that are not zero, such as "1 definition, 3 objects".
func countsText(counts ...count) string {
	var texts []string
	for _, c := range counts {
		switch c.n {
		case 0:
		case 1:
			texts = append(texts, "1 "+c.one)
		default:
			texts = append(texts, strconv.Itoa(c.n)+" "+c.many)
		}
	}
	return strings.Join(texts, ", ")
}

// lines returns the lines of the summary.
func (s *Summary) lines() (lines []string) {
	add := func(prefix, text string) {
		if text != "" {
			lines = append(lines, prefix+text)
		}
	}
	var undefined []string
	for _, kind := range slices.Sorted(maps.Keys(s.Undefined)) {
		undefined = append(undefined, fmt.Sprintf("%s (%d)", kind, s.Undefined[kind]))
	}
	add("no definition for: ", strings.Join(undefined, ", "))
	add("skipped: ", countsText(
		count{s.BuiltIn, "document of a built-in kind", "documents of built-in kinds"},
		count{s.Patches, "patch", "patches"},
		count{s.Others, "document that is no definition", "documents that are no definitions"},
		count{s.NotManifests, "document that is no manifest", "documents that are no manifests"},
		count{s.Templates, "template of a chart", "templates of charts"},
		count{s.SkippedFiles, "file by a pattern", "files by a pattern"},
		count{s.Skipped, "document by its kind", "documents by their kind"},
	))
	add("", countsText(
		count{s.Definitions, "definition", "definitions"},
		count{s.Objects, "object", "objects"},
		count{s.Refused, "refused", "refused"},
		count{s.Findings.Errors, "error", "errors"},
		count{s.Findings.Warnings, "warning", "warnings"},
		count{s.Findings.Notes, "note", "notes"},
		count{s.Unreadable, "input that cannot be read", "inputs that cannot be read"},
	))
	if lines == nil {
		lines = []string{"there is nothing to validate"}
	}
	return lines
}
