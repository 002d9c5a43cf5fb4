package ruleset

import (
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// failed returns the text for a rule whose evaluation ended with an error.
func failed(text string, r *plan.Rule) string {
	if fault(text) == origin.NoOverload {
		return "'" + text + "': call arguments did not match a supported operator, function or macro signature for rule: " + nameOf(r)
	}
	return text + " evaluating rule: " + nameOf(r)
}

// fault returns why an evaluation ended, by the text of its error.
func fault(text string) origin.Fault {
	switch {
	case strings.HasPrefix(text, "no such overload"):
		return origin.NoOverload
	case strings.HasPrefix(text, "no such key: "):
		return origin.NoSuchKey
	}
	return origin.OtherFault
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

// fail adds an error that is not about the value: any but that of a false rule (CMS-005). r is the rule, nil for all
// rules of p, and noRule if the error does not come from rules. The parts of the detail are joined only if the error is
// kept; otherwise the result is nil.
func (w *walker) fail(p *place, r *rule, at *plan.Frame, detail ...string) *field.Error {
	if w.errs.Full() {
		w.errs.Skip(field.ErrorTypeInvalid)
		return nil
	}
	e := field.Invalid(at.Path(w.at), p.node.Type, strings.Join(detail, ""))
	if r != noRule {
		w.comesFrom(e, r, at)
	}
	w.errs.Add(e)
	return e
}

// noRule says that an error does not come from rules.
var noRule = new(rule)

// comesFrom sets the origin of e: a rule of the schema of a value, or all of them if r is nil.
func (w *walker) comesFrom(e *field.Error, r *rule, at *plan.Frame) {
	schema := origin.Place{Steps: at.Schema(w.schema)}
	if r == nil {
		origin.Set(e, schema, origin.Validations)
	} else {
		origin.SetRule(e, schema, r.index, r.source)
	}
}

// stop is fail for an error that ends the walk and uses up the budget. It returns false.
func (w *walker) stop(p *place, r *rule, at *plan.Frame, detail string) bool {
	if e := w.fail(p, r, at, detail); e != nil {
		origin.SetFault(e, origin.OverLimit)
	}
	w.left, w.stopped = 0, true
	return false
}

// failure returns the error of a rule that is false for the current value. text is the result of the messageExpression,
// or "" if there is no usable one. fatal is the error text of an evaluation that ends the walk, or "".
//
// Clauses: CMS-002 to CMS-007, CMS-031.
func (w *walker) failure(p *place, r *rule, at *plan.Frame, text, fatal string) *field.Error {
	path := at.Path(w.at)
	var e *field.Error
	if fatal != "" {
		e = field.Invalid(path, p.node.Type, fatal)
	} else {
		value := w.self
		switch {
		case !w.errs.Profile().Has(since.RuleValues):
			value = p.node.Type
		case p.node.Type == "object", p.node.Type == "array":
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
	w.comesFrom(e, r, at)
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
