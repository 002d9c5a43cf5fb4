package engine

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/unstructured"
)

// A Finding is an error, a warning or a note about a text.
type Finding struct {
	Severity string   `json:"severity"` // error, warning or note
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Message  string   `json:"message"` // as a server prints it
	Path     string   `json:"path,omitempty"`
	Hints    []string `json:"hints,omitempty"` // not from a server
}

// maxFindings is the maximum number of listed findings of a text.
const maxFindings = 200

// A Side has the verdict and the findings of one of the texts.
type Side struct {
	Verdict  string    `json:"verdict"`        // empty, unreadable, waiting, refused or accepted
	Name     string    `json:"name,omitempty"` // for display
	Findings []Finding `json:"findings,omitempty"`
	Omitted  int       `json:"omitted,omitempty"` // findings that are not listed
}

// The verdicts.
const (
	verdictEmpty      = "empty"
	verdictUnreadable = "unreadable"
	verdictWaiting    = "waiting" // an object whose definition is refused
	verdictRefused    = "refused"
	verdictAccepted   = "accepted"
)

// A text is the first document of a text of the user.
type text struct {
	finding.List
	body    []byte // as JSON; nil if it is empty or cannot be read
	located *yamltext.Document
	side    Side
}

// read reads the first document of a text as JSON.
func read(data string) *text {
	t := split(data)
	t.convert()
	return t
}

// split finds the first document of a text.
func split(data string) *text {
	t := &text{side: Side{Verdict: verdictEmpty}}
	t.Max, t.Locate = maxFindings, t.locate
	parts := yamltext.Split([]byte(data))
	if len(parts) == 0 {
		return t
	}
	t.Part = parts[0]
	t.side.Verdict = verdictUnreadable
	if len(parts) > 1 {
		t.Add(finding.Finding{Severity: finding.Note, Message: "the first document is validated, others are not read"}, parts[1].Position)
	}
	return t
}

// convert sets the body to the document as JSON, or adds a finding if the document cannot be read.
func (t *text) convert() {
	if t.side.Verdict == verdictEmpty {
		return
	}
	body, duplicates := t.Part.Text, []string(nil)
	if !t.Part.JSON {
		var err error
		if body, duplicates, err = unstructured.YAMLToJSONStrict(t.Part.Text); err != nil {
			t.Unreadable(err)
			return
		}
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		t.Unreadable(errors.New("this is no object: it has no fields"))
		return
	}
	t.body = body
	t.DuplicateKeys(duplicates)
}

// locate parses the document for the positions of its values.
func (t *text) locate() *yamltext.Document {
	if t.located == nil {
		t.located, _ = yamltext.Locate(t.Part) // after an error, findings are at the beginning
	}
	return t.located
}

// done returns the side with the findings, sorted by their lines.
func (t *text) done() *Side {
	t.side.Findings, t.side.Omitted = nil, t.Omitted
	for _, f := range t.Findings {
		t.side.Findings = append(t.side.Findings, Finding{string(f.Severity), f.Line, f.Column, f.Message, f.Path, f.Hints})
	}
	slices.SortStableFunc(t.side.Findings, func(a, b Finding) int { return a.Line - b.Line })
	return &t.side
}

// quoted returns a name of an object as kubectl prints it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, "\n", " ") + `"` }
