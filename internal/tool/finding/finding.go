package finding

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
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
	Conflict      Code = "Conflict"      // likewise, for which a server refuses the apply
	Unconverted   Code = "Unconverted"   // only a conversion webhook knows the rest of the answer
	RulesSkipped  Code = "RulesSkipped"  // rules that are not checked, because the object is invalid
	YAMLKey       Code = "YAMLKey"       // a key that YAML reads as another text
	RootItems     Code = "RootItems"     // a definition with a list in a root field named items
	Unused        Code = "Unused"        // a definition that is not used, because there is another one
	Schema        Code = "Schema"        // what a JSON Schema does not say or definitions do not have
	Encrypted     Code = "Encrypted"     // values that are not validated, because they are encrypted
	Added         Code = "Added"         // a definition that is new
	LastApplied   Code = "LastApplied"   // an annotation of kubectl that cannot be read
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

// descriptions describe the codes.
var descriptions = map[Code]string{
	"Invalid": "A value is invalid.", "TypeInvalid": "A value has the wrong type or format.", "Required": "A required value is missing.",
	"Duplicate": "A value is there twice.", "NotFound": "A value refers to something that does not exist.",
	"NotSupported": "A value is not one of those that are supported.", "Forbidden": "A value is not allowed here.", "TooLong": "A value is too long.",
	"TooShort": "A value is too short.", "TooMany": "There are too many items.", "TooFew": "There are too few items.",
	"InternalError": "A server would report an internal error.", "TooManyErrors": "There are more errors than are listed.",
	Unreadable: "A file or a document cannot be read.", Refused: "A server refuses the request for a reason that is not about a field.",
	Warned: "A server accepts the request with a warning.", UnknownField: "The schema does not have the field.", DuplicateKey: "A key is there twice.",
	Undefined: "There is no definition of the kind, or nothing of that name.", StatusDropped: "The status is left out by a create or an update.",
	Owned: "The field belongs to another manager.", Conflict: "The field belongs to another manager: a server refuses the apply.", Unconverted: "Only a conversion webhook knows the rest of the answer.",
	RulesSkipped: "Rules were not checked because the object is invalid.", YAMLKey: "YAML reads a key as another text than it says.",
	RootItems: "Objects of the definition look like lists to a server.", Unused: "The definition is not used: there is another one.",
	Schema:    "A part of a JSON Schema is not checked.",
	Encrypted: "Encrypted values are not validated.", Added: "The definition is new.", LastApplied: "The annotation with what was applied last cannot be read.",
	Cost: "Rules cost more than the limit.", Version: "A version of Kubernetes does not take the definition as it is.",
	Defaulted: "A server fills in a default.", Breaks: "The change of the definition refuses what was accepted.",
	LosesData: "The change of the definition drops stored values.", Changes: "The change of the definition stores other values.",
	Unproved: "Whether the change of the definition breaks something is unknown.", Loosens: "The change of the definition accepts what was refused.",
	Harmless: "The change of the definition has no effect.",
}

// Describe returns a description of a check that [Finding.Check] returned.
func Describe(check string) string {
	at, rule, isRule := strings.Cut(check, origin.Validations+"[")
	switch text := descriptions[Code(check)]; {
	case text != "":
		return text
	case isRule && at == "":
		return "Rule " + strings.TrimSuffix(rule, "]") + " of the schema: an object violates it, or it is wrong itself."
	case isRule:
		return "Rule " + strings.TrimSuffix(rule, "]") + " at " + strings.TrimSuffix(at, ".") + ": an object violates it, or it is wrong itself."
	case strings.HasPrefix(check, "spec."):
		return "The field " + check + " of a definition is wrong."
	}
	return "The keyword " + check + " of a schema: a value violates it, or it is wrong itself."
}

// A Finding is an error, a warning or a note about a file.
type Finding struct {
	File string `json:"file"`
	yamltext.Position
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
	// Findings of an object with the same Group say the same of other places, which are in their Names. Formats for
	// people print one of them. Those without a Group are on their own.
	Group string `json:"-"`
	Name  string `json:"-"`

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
