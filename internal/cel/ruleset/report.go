package ruleset

import (
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/walk"
)

// failed returns the text for a rule whose evaluation ended with an error.
func failed(text string, r *plan.Rule) string {
	if strings.HasPrefix(text, "no such overload") {
		return "'" + text + "': call arguments did not match a supported operator, function or macro signature for rule: " + nameOf(r)
	}
	return text + " evaluating rule: " + nameOf(r)
}

// nameOf returns the name of a rule in errors: its message if there is one, otherwise its text.
func nameOf(r *plan.Rule) string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.TrimSpace(r.Rule)
}

// maxMessage is the maximum length of a messageExpression's result, in bytes.
const maxMessage = 5120

// usable returns the result of a messageExpression as errors show it, or "" if it cannot be used.
//
// Clauses: CMS-030.
func usable(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > maxMessage || strings.Contains(text, "\n") {
		return ""
	}
	return text
}

// noOrigin in place of the index of a rule says that no rule is the cause.
const noOrigin = origin.NoRule - 1

// fail adds an error that is not about the value: any but that of a false rule (CMS-005). index is that of the rule,
// origin.NoRule for all rules of p. The parts of the detail are joined only if the error is kept.
func (w *walker) fail(p *place, at *walk.Frame, index int, detail ...string) {
	if w.errs.Full() {
		w.errs.Skip(field.ErrorTypeInvalid)
		return
	}
	e := field.Invalid(at.Path(w.at), p.node.Type, strings.Join(detail, ""))
	if index != noOrigin {
		w.comesFrom(e, at, index)
	}
	w.errs.Add(e)
}

// comesFrom sets the origin of e: a rule of the schema of a value.
func (w *walker) comesFrom(e *field.Error, at *walk.Frame, index int) {
	origin.SetRule(e, origin.Place{Steps: at.Schema(w.schema)}, origin.Validations, index)
}

// stop is fail for an error that ends the walk and uses up the budget. It returns false.
func (w *walker) stop(p *place, at *walk.Frame, index int, detail string) bool {
	w.fail(p, at, index, detail)
	w.left, w.stopped = 0, true
	return false
}

// failure returns the error of a rule that is false for the current value. text is the result of the messageExpression,
// or "" if there is no usable one. fatal is the error text of an evaluation that ends the walk, or "".
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
		e = reasonError(r.source.Reason, path, value, detail(r.source, text))
	}
	if r.fieldPath != nil {
		e.Path = joined(path, r.fieldPath)
		// The paths are joined as texts, so a fieldPath that begins with a map's key has a dot before it.
		if e.Field = r.fieldPath.String(); path != nil {
			e.Field = path.String() + "." + e.Field
		}
	}
	w.comesFrom(e, at, r.index)
	return e
}

func detail(r *plan.Rule, text string) string {
	switch {
	case text != "":
		return text
	case r.Message == "":
		return "failed rule: " + nameOf(r)
	}
	return nameOf(r)
}

// reasonError returns the error for a rule's reason. A duplicate has no detail, so the message is lost (CMS-003).
func reasonError(reason *string, at *field.Path, value any, detail string) *field.Error {
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

// joined returns the path below relative to at.
func joined(at, below *field.Path) *field.Path {
	for _, s := range below.Segments() {
		at = at.Child(s.Key)
	}
	return at
}
