package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/finding"
)

// Escape sequences of terminals.
const (
	bold, red, yellow, blue, green, plain = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[32m", "\x1b[0m"
)

// text prints a line for each finding, with its hints below, and a summary.
func (r *Report) text(to io.Writer, o Options) error {
	w := bufio.NewWriter(to)
	paint := func(color, text string) string {
		if !o.Color {
			return text
		}
		return color + text + plain
	}
	colors := map[finding.Severity]string{finding.Error: red, finding.Warning: yellow, finding.Note: blue}
	file := ""
	var in lines
	for i, f := range r.Findings {
		if o.Snippets && i > 0 && f.File != file {
			fmt.Fprintln(w)
		}
		file = f.File
		object := ""
		if f.Object != "" {
			object = " [" + Visible(f.Object) + "]"
		}
		message := strings.ReplaceAll(Visible(f.Message), "\n", "\n    ")
		fmt.Fprintf(w, "%s: %s: %s%s\n", paint(bold, Location(f)), paint(colors[f.Severity], string(f.Severity)), message, object)
		if o.Snippets {
			if line, caret, ok := in.snippet(f); ok {
				fmt.Fprintf(w, "    %s\n    %s\n", line, paint(green, caret))
			}
		}
		if f.Template != "" {
			fmt.Fprintf(w, "    template: %s\n", Visible(f.Template))
		}
		for l := range strings.Lines(Visible(f.Example)) {
			fmt.Fprintf(w, "    %s\n", strings.TrimSuffix(l, "\n"))
		}
		for _, h := range f.Hints {
			fmt.Fprintf(w, "    %s %s\n", paint(green, "hint:"), strings.ReplaceAll(Visible(h), "\n", "\n    "))
		}
	}
	if n := r.Summary.Findings.Omitted; n > 0 {
		fmt.Fprintf(w, "and %d more\n", n)
	}
	if r.Text != nil {
		r.Text(w)
	}
	for _, line := range r.Summary.lines() {
		fmt.Fprintln(w, Visible(line))
	}
	return w.Flush()
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
		return Visible(strings.ReplaceAll(strings.ToValidUTF8(string(part), ""), "\t", " "))
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
		count{s.Patches, "document with $patch", "documents with $patch"},
		count{s.Others, "document that is no definition", "documents that are no definitions"},
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
