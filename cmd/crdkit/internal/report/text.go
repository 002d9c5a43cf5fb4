package report

import (
	"bufio"
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
	for i := range r.Findings {
		f := &r.Findings[i]
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
		if line, caret, ok := f.snippet(); ok && o.Snippets {
			fmt.Fprintf(w, "    %s\n    %s\n", line, paint(green, caret))
		}
		if f.Template != "" {
			fmt.Fprintf(w, "    template: %s\n", Visible(f.Template))
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

// maxSnippet is how many characters of a line are shown.
const maxSnippet = 160

// snippet returns the line that a finding is about, or the part of it around the place, and a line with a caret below that.
func (f *Finding) snippet() (line, caret string, ok bool) {
	if f.Line == 0 || f.Snippet == "" {
		return "", "", false
	}
	characters := []rune(strings.ReplaceAll(f.Snippet, "\t", " "))
	at := min(f.Column-1, len(characters))
	if from := at - maxSnippet/2; len(characters) > maxSnippet && from > 0 {
		characters, at = characters[from:], maxSnippet/2
	}
	if len(characters) > maxSnippet {
		characters = characters[:maxSnippet]
	}
	before := Visible(string(characters[:at]))
	return Visible(string(characters)), strings.Repeat(" ", utf8.RuneCountInString(before)) + "^", true
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
	return lines
}
