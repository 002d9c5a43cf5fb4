package ruleset

import (
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/walk"
)

// failed is the text of a rule that ended with an error.
func failed(text string, r *plan.Rule) string {
	if strings.HasPrefix(text, "no such overload") {
		return "'" + text + "': call arguments did not match a supported operator, function or macro signature for rule: " + named(r)
	}
	return text + " evaluating rule: " + named(r)
}

// named returns what errors call a rule: its message if there is one, else its text.
func named(r *plan.Rule) string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.TrimSpace(r.Rule)
}

// maxMessage is the longest result of a messageExpression that is used, in bytes.
const maxMessage = 5120

// usable returns the result of a messageExpression as it is reported, or nothing if it cannot be.
//
// Clauses: CMS-030.
func usable(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > maxMessage || strings.Contains(text, "\n") {
		return ""
	}
	return text
}

// fail adds an error that is not about the value: all but those of a rule that is false (CMS-005).
// The detail comes in parts, which are joined if the error is kept.
func (w *walker) fail(p *place, at *walk.Frame, detail ...string) {
	if w.errs.Full() {
		w.errs.Skip(field.ErrorTypeInvalid)
		return
	}
	w.errs.Add(field.Invalid(at.Path(w.at), p.node.Type, strings.Join(detail, "")))
}

// stop is fail for what ends the walk with nothing left of the budget. It returns false.
func (w *walker) stop(p *place, at *walk.Frame, detail string) bool {
	w.fail(p, at, detail)
	w.left, w.stopped = 0, true
	return false
}

// failure returns the error of a rule that is false about the current value. text is what the messageExpression gave, empty for nothing
// that can be used; fatal is the text of what the evaluation ends with, empty if it goes on.
//
// Clauses: CMS-002 to CMS-007, CMS-031.
func (w *walker) failure(p *place, r *rule, at *walk.Frame, text, fatal string) *field.Error {
	path := at.Path(w.at)
	var e *field.Error
	if fatal != "" {
		e = field.Invalid(path, p.node.Type, fatal)
	} else {
		value := w.self
		if p.node.Type == "object" || p.node.Type == "array" {
			value = field.OmitValue
		}
		e = reasoned(r.source.Reason, path, value, detail(r.source, text))
	}
	if r.fieldPath != nil {
		e.Path = joined(path, r.fieldPath)
		// Joined as texts: a fieldPath that begins with a map's key has a dot before it.
		if e.Field = r.fieldPath.String(); path != nil {
			e.Field = path.String() + "." + e.Field
		}
	}
	return e
}

func detail(r *plan.Rule, text string) string {
	switch {
	case text != "":
		return text
	case r.Message == "":
		return "failed rule: " + named(r)
	}
	return named(r)
}

// reasoned returns the error for a rule's reason. A duplicate has no detail, so that the message is lost (CMS-003).
func reasoned(reason *string, at *field.Path, value any, detail string) *field.Error {
	if reason != nil {
		switch field.ErrorType(*reason) {
		case field.ErrorTypeForbidden:
			return field.Forbidden(at, detail)
		case field.ErrorTypeRequired:
			return field.Required(at, detail)
		case field.ErrorTypeDuplicate:
			return field.Duplicate(at, value)
		}
	}
	return field.Invalid(at, value, detail)
}

// joined returns the path of below, seen from at.
func joined(at, below *field.Path) *field.Path {
	for _, s := range below.Segments() {
		at = at.Child(s.Key)
	}
	return at
}
