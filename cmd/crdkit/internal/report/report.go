package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

// A Subject is an object or a definition that was checked.
type Subject struct {
	File string
	Name string
}

// Summary has the numbers of a report. Findings counts all findings, even if not all of them are listed.
type Summary struct {
	Files        int            `json:"files"`
	Unreadable   int            `json:"unreadable"`             // files and documents
	Definitions  int            `json:"definitions"`            // that were checked
	Objects      int            `json:"objects"`                // that were checked
	Refused      int            `json:"refused"`                // definitions and objects
	BuiltIn      int            `json:"builtIn"`                // objects of built-in kinds and files of tools, which are skipped
	Patches      int            `json:"patches"`                // documents with $patch, which are skipped: partial objects
	Others       int            `json:"others"`                 // documents that a command for definitions skips
	NotManifests int            `json:"notManifests,omitempty"` // documents in directories that are no manifests
	Templates    int            `json:"templates,omitempty"`    // files of Helm charts that are not read
	SkippedFiles int            `json:"skippedFiles,omitempty"` // by a pattern
	Skipped      int            `json:"skipped,omitempty"`      // documents, by their kind
	Undefined    map[string]int `json:"undefined,omitempty"`
	Findings     Counts         `json:"findings"`
}

// Counts of findings.
type Counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Omitted  int `json:"omitted,omitempty"` // that are counted above, but not listed
}

// MaxFindings is how many findings a Report lists.
const MaxFindings = 10_000

// A Report is the output of a command.
type Report struct {
	Command  string             `json:"command"`
	Findings []*finding.Finding `json:"findings"`
	Summary  Summary            `json:"summary"`
	Details  any                `json:"details,omitempty"` // of the command

	Subjects     []Subject            `json:"-"`
	Text         func(*output.Writer) `json:"-"` // prints the details as text; may be nil
	files        map[string]int       // the order in which files came
	refused      map[Subject]struct{} // those with an error
	refusedCount *int                 // see SetRefused
}

// New returns a Report of a command.
func New(command string) *Report {
	return &Report{Command: command, Findings: []*finding.Finding{}, Summary: Summary{Undefined: map[string]int{}},
		files: map[string]int{}, refused: map[Subject]struct{}{}}
}

// File adds a file. Findings are sorted in the order in which their files were added.
func (r *Report) File(name string) {
	if _, ok := r.files[name]; !ok {
		r.files[name] = len(r.files)
	}
}

// AddSubject adds a subject, whether it has findings or not.
func (r *Report) AddSubject(s Subject) { r.Subjects = append(r.Subjects, s) }

// Add adds a finding.
func (r *Report) Add(f finding.Finding) {
	switch f.Severity {
	case finding.Error:
		r.Summary.Findings.Errors++
		if f.Object != "" {
			r.refused[Subject{f.File, f.Object}] = struct{}{}
		}
	case finding.Warning:
		r.Summary.Findings.Warnings++
	case finding.Note:
		r.Summary.Findings.Notes++
	}
	if len(r.Findings) == MaxFindings {
		r.Summary.Findings.Omitted++
		return
	}
	r.File(f.File)
	r.Findings = append(r.Findings, &f)
}

// SetRefused sets the number of refused objects and definitions, for a report in which an error may be about several of
// them.
func (r *Report) SetRefused(n int) { r.refusedCount = &n }

// Finish sorts the findings by file and position, and completes the summary.
func (r *Report) Finish() {
	slices.SortStableFunc(r.Findings, func(a, b *finding.Finding) int {
		return cmp.Or(cmp.Compare(r.files[a.File], r.files[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	r.Summary.Refused = len(r.refused)
	if r.refusedCount != nil {
		r.Summary.Refused = *r.refusedCount
	}
}

// ExitCode returns 2 if something could not be read, 1 if there are errors, and 0 otherwise.
func (r *Report) ExitCode() int {
	switch {
	case r.Summary.Unreadable > 0:
		return 2
	case r.Summary.Findings.Errors > 0:
		return 1
	}
	return 0
}

// Format is a format of reports.
type Format string

// The formats.
const (
	Text   Format = "text"
	JSON   Format = "json"
	SARIF  Format = "sarif"
	GitHub Format = "github"
	JUnit  Format = "junit"
)

// Formats are the formats in the order of usage texts.
var Formats = []Format{Text, JSON, SARIF, GitHub, JUnit}

// Options say how a report is printed.
type Options struct {
	Format   Format
	Snippets bool           // text: the line that a finding is about, with a caret
	Version  string         // of the command, for SARIF
	Findings *output.Writer // text: where findings and the summary are printed; nil: around the details
}

// Print prints a finished report.
func (r *Report) Print(w *output.Writer, o Options) error {
	switch o.Format {
	case JSON:
		return w.JSON(r)
	case SARIF:
		return r.sarif(w, o.Version)
	case GitHub:
		r.github(w)
	case JUnit:
		r.junit(w)
	default:
		r.text(w, o)
	}
	return nil
}

// Location returns file:line:column of a finding, or only the file if there is no position.
func Location(f *finding.Finding) string {
	if f.Line == 0 {
		return output.Escape(f.File)
	}
	return output.Escape(f.File) + ":" + f.Position.String()
}

// A group is a finding, and others that say the same of other places.
type group struct {
	*finding.Finding
	others    []string // their names
	noExample bool
}

const (
	maxNames    = 3  // how many other places of a group are named
	maxExamples = 20 // how many findings with a Group have an example; errors take precedence
)

// groups returns the findings in groups, at the first finding of each.
func (r *Report) groups() (all []*group) {
	type key struct {
		object Subject
		level  finding.Severity
		group  string
	}
	first := map[key]*group{}
	for _, f := range r.Findings {
		k := key{Subject{f.File, f.Object}, f.Severity, f.Group}
		if g := first[k]; g != nil && f.Group != "" {
			g.others = append(g.others, f.Name)
			continue
		}
		first[k] = &group{Finding: f}
		all = append(all, first[k])
	}
	examples := 0
	for _, level := range []finding.Severity{finding.Error, finding.Warning, finding.Note} {
		for _, g := range all {
			if g.Severity == level && g.Group != "" && g.Example != "" {
				examples++
				g.noExample = examples > maxExamples
			}
		}
	}
	return all
}

// lines returns the lines below the message, without their indentation.
func (g *group) lines() (lines []string) {
	switch {
	case g.noExample:
		lines = append(lines, "-o json has an example")
	case g.Example != "":
		lines = append(lines, strings.TrimSuffix(g.Example, "\n"))
	}
	n := min(len(g.others), maxNames)
	for _, name := range g.others[:n] {
		lines = append(lines, "also "+name)
	}
	if more := len(g.others) - n; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more of this kind; -o json lists them", more))
	}
	return lines
}
