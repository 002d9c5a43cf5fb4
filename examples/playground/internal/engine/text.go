package engine

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/position"
	"github.com/crdkit/crdkit/unstructured"
)

// A Finding is one thing that there is to say about a text.
type Finding struct {
	Severity string   `json:"severity"` // error, warning or note
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Message  string   `json:"message"` // as a server prints it
	Path     string   `json:"path,omitempty"`
	Hints    []string `json:"hints,omitempty"` // what a server does not say
}

// The severities.
const (
	severityError   = "error"
	severityWarning = "warning"
	severityNote    = "note"
)

// maxFindings is how many findings of a text are listed.
const maxFindings = 200

// A Side is what there is to say of one of the texts.
type Side struct {
	Verdict  string    `json:"verdict"`        // empty, unreadable, waiting, refused or accepted
	Name     string    `json:"name,omitempty"` // what people call it
	Findings []Finding `json:"findings,omitempty"`
	Omitted  int       `json:"omitted,omitempty"` // findings that are not listed
}

// The verdicts.
const (
	verdictEmpty      = "empty"
	verdictUnreadable = "unreadable"
	verdictWaiting    = "waiting" // an object whose definition a server refuses
	verdictRefused    = "refused"
	verdictAccepted   = "accepted"
)

// A text is the first document of what somebody typed.
type text struct {
	part    position.Part
	body    []byte // as JSON; nil if it is empty or cannot be read
	located *position.Document
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
	parts := position.Split([]byte(data))
	if len(parts) == 0 {
		return t
	}
	t.part = parts[0]
	t.side.Verdict = verdictUnreadable
	if len(parts) > 1 {
		t.add(Finding{Severity: severityNote, Message: "the first document is validated, others are not read"}, parts[1].Position)
	}
	return t
}

// convert sets the body to the document as JSON, or adds why it cannot be read.
func (t *text) convert() {
	if t.side.Verdict == verdictEmpty {
		return
	}
	body, duplicates := t.part.Text, []string(nil)
	if !t.part.JSON {
		var err error
		if body, duplicates, err = unstructured.YAMLToJSONStrict(t.part.Text); err != nil {
			t.unreadable(err)
			return
		}
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		t.unreadable(errors.New("this is no object: it has no fields"))
		return
	}
	t.body = body
	t.duplicateKeys(duplicates)
}

var (
	yamlLine     = regexp.MustCompile(`^yaml: line (\d+): `)
	duplicateKey = regexp.MustCompile(`line (\d+): (key .* already set in map)`)
	namedField   = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)
)

// unreadable adds why the document cannot be read.
func (t *text) unreadable(err error) {
	at, message := t.part.Position, err.Error()
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 1 {
			at = position.Position{Line: t.part.Line + n - 1, Column: 1}
		}
		message = "yaml: " + message[len(m[0]):]
	}
	t.add(Finding{Severity: severityError, Message: message}, at)
}

// duplicateKeys adds the keys that come twice in the YAML.
func (t *text) duplicateKeys(findings []string) {
	for _, f := range findings {
		for _, m := range duplicateKey.FindAllStringSubmatch(f, -1) {
			n, _ := strconv.Atoi(m[1]) // digits: 0 if there are too many
			t.add(Finding{Severity: severityWarning, Message: m[2]}, position.Position{Line: t.part.Line + max(n, 1) - 1, Column: 1})
		}
	}
}

// locate returns the places in the document, which is parsed again for that.
func (t *text) locate() *position.Document {
	if t.located == nil {
		t.located, _ = position.Locate(t.part) // without places, findings are at the beginning
	}
	return t.located
}

// add adds a finding at a place.
func (t *text) add(f Finding, at position.Position) {
	if len(t.side.Findings) == maxFindings {
		t.side.Omitted++
		return
	}
	f.Line, f.Column = at.Line, at.Column
	t.side.Findings = append(t.side.Findings, f)
}

// error adds a server's error. path is where the document has what the error is about.
func (t *text) error(e *field.Error, path []field.Segment, hints []string) {
	there := *e
	there.Path = field.PathOf(path...)
	t.add(Finding{Severity: severityError, Message: e.Error(), Path: e.Field, Hints: hints}, t.locate().Of(&there))
}

// warning adds a server's warning. hints says what there is to say of an unknown field.
func (t *text) warning(message string, hints func(path []field.Segment) []string) {
	f := Finding{Severity: severityWarning, Message: message}
	at := t.locate().Begin()
	if m := namedField.FindStringSubmatch(message); m != nil {
		f.Path = m[2]
		if path, ok := t.locate().Path(m[2]); ok {
			if p, ok := t.locate().Key(path); ok {
				at = p
			}
			if m[1] == "unknown" {
				f.Hints = hints(path)
			}
		}
	}
	t.add(f, at)
}

// plain returns the text of the value at a path, if it is written in YAML without quotes.
func (t *text) plain(path []field.Segment) (string, bool) {
	if t.part.JSON {
		return "", false
	}
	return t.locate().Plain(path)
}

// done sorts the findings by their places and returns the side.
func (t *text) done() *Side {
	slices.SortStableFunc(t.side.Findings, func(a, b Finding) int { return a.Line - b.Line })
	return &t.side
}

// quoted returns a name of an object as kubectl prints it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, "\n", " ") + `"` }
