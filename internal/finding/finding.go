package finding

import (
	"fmt"

	"github.com/crdkit/crdkit/position"
)

// A Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Code is the kind of a finding, for programs. Those of errors in objects and definitions are the types of
// field.Error, without FieldValue in front.
type Code string

// The other codes.
const (
	Unreadable    Code = "Unreadable"    // a file or a document that cannot be read
	Refused       Code = "Refused"       // a refusal that is not about a field: not found, conflict, bad request
	Warned        Code = "Warning"       // a server's warning
	UnknownField  Code = "UnknownField"  // a warning, or an error of strict validation
	DuplicateKey  Code = "DuplicateKey"  // likewise
	Undefined     Code = "Undefined"     // an object of a kind without a definition
	StatusDropped Code = "StatusDropped" // a status that a create or an update leaves out
	Owned         Code = "Owned"         // a field that an apply changes and another manager owns
	Unconverted   Code = "Unconverted"   // only a conversion webhook knows the rest of the answer
	Hint          Code = "Hint"          // not from a server
	Cost          Code = "Cost"          // a rule that costs more than the requested limit
	Version       Code = "Version"       // a version of Kubernetes that refuses a definition or drops a part of it
	Defaulted     Code = "Defaulted"     // a field of objects that a server fills in
	Breaks        Code = "Breaks"        // a change of a definition: accepted before, refused now
	LosesData     Code = "LosesData"     // likewise: accepted, and values are dropped
	Changes       Code = "Changes"       // likewise: accepted, and stored with other values
	Unproved      Code = "Unproved"      // likewise: nothing is proved of it
	Loosens       Code = "Loosens"       // likewise: accepted now, refused before
	Harmless      Code = "Harmless"      // likewise: proved to change nothing
)

// A Finding is an error, a warning or a note about a file.
type Finding struct {
	File string `json:"file"`
	position.Position
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	Message  string   `json:"message"`           // as a server prints it
	Hints    []string `json:"hints,omitempty"`   // not from a server
	Path     string   `json:"path,omitempty"`    // of the field, as in the message
	Pointer  string   `json:"pointer,omitempty"` // the path as a JSON pointer
	Object   string   `json:"object,omitempty"`  // Widget.example.org default/a
	// Keyword, Schema and Rule are what in a definition an error comes from: see field.Cause. Rule is nil for other
	// keywords than rules.
	Keyword string `json:"keyword,omitempty"`
	Schema  string `json:"schema,omitempty"`
	Rule    *int   `json:"rule,omitempty"`
	// Template is the file in a Helm chart that the document was rendered from.
	Template string `json:"template,omitempty"`
	// Example is an object that has the problem, for text formats: in JSON the details have it.
	Example string `json:"-"`

	Source []byte `json:"-"` // the whole file, for snippets
}

// Check returns what an error violates, as the identity of a check: a keyword, or a rule by the path of its schema and
// its index. It is the code of a finding that does not come from a keyword.
func (f *Finding) Check() string {
	switch {
	case f.Keyword == "":
		return string(f.Code)
	case f.Rule == nil:
		return f.Keyword
	case f.Schema == "":
		return fmt.Sprintf("%s[%d]", f.Keyword, *f.Rule)
	}
	return fmt.Sprintf("%s.%s[%d]", f.Schema, f.Keyword, *f.Rule)
}
