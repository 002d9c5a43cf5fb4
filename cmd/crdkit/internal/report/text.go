package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Escapes of terminals.
const (
	bold, red, yellow, blue, green, plain = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[32m", "\x1b[0m"
)

// text prints a line for each finding, with its hints below, and a summary.
func (r *Report) text(to io.Writer, o Options) error {
	w := bufio.NewWriter(to)
	paint := func(color, text string) string {
		if !o.Color || text == "" {
			return text
		}
		return color + text + plain
	}
	colors := map[Severity]string{Error: red, Warning: yellow, Note: blue}
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
		fmt.Fprintf(w, "%s: %s: %s%s\n", paint(bold, f.place()), paint(colors[f.Severity], string(f.Severity)), message, object)
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

// maxSnippet is how many bytes of a line are shown.
const maxSnippet = 160

// A lines finds lines in files, one file after the other.
type lines struct {
	of     []byte
	starts []int // where the lines of that file begin
}

// line returns a line of a file, from 1, without its end.
func (l *lines) line(file []byte, number int) []byte {
	if len(l.of) != len(file) || len(file) > 0 && &l.of[0] != &file[0] {
		l.of, l.starts = file, []int{0}
		for i, c := range file {
			if c == '\n' {
				l.starts = append(l.starts, i+1)
			}
		}
	}
	if number < 1 || number > len(l.starts) {
		return nil
	}
	text := file[l.starts[number-1]:]
	if number < len(l.starts) {
		text = file[l.starts[number-1]:l.starts[number]]
	}
	return bytes.TrimRight(text, "\r\n")
}

// snippet returns the line that a finding is about, or the part of it around the place, and a line with a caret below that.
func (l *lines) snippet(f *Finding) (line, caret string, ok bool) {
	if f.Line == 0 || f.Source == nil {
		return "", "", false
	}
	text := l.line(f.Source, f.Line)
	if f.Line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
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

// lines returns what is said at the end.
func (s *Summary) lines() (lines []string) {
	var parts []string
	count := func(n int, one, many string) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	flush := func(format string) {
		if len(parts) > 0 {
			lines = append(lines, fmt.Sprintf(format, strings.Join(parts, ", ")))
		}
		parts = nil
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Undefined)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", kind, s.Undefined[kind]))
	}
	flush("no definition for: %s")
	count(s.BuiltIn, "document of a built-in kind", "documents of built-in kinds")
	count(s.Patches, "document with $patch", "documents with $patch")
	count(s.Others, "document that is no definition", "documents that are no definitions")
	flush("skipped: %s")
	count(s.Definitions, "definition", "definitions")
	count(s.Objects, "object", "objects")
	count(s.Refused, "refused", "refused")
	count(s.Findings.Errors, "error", "errors")
	count(s.Findings.Warnings, "warning", "warnings")
	count(s.Findings.Notes, "note", "notes")
	count(s.Unreadable, "input that cannot be read", "inputs that cannot be read")
	flush("%s")
	if lines == nil {
		lines = []string{"there is nothing to judge"}
	}
	return lines
}
