package ruleset

import (
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// CheckFields returns what is wrong with the fields of r, a rule at n. at is the path of the rule, with its index in
// x-kubernetes-validations. If n is nil, the fieldPath is not resolved, as in a schema that a structural schema cannot
// express.
//
// Clauses: CRF-001 to CRF-008, SCH-040, SCH-041.
func CheckFields(n *plan.Node, r *plan.Rule, at *field.Path) field.List {
	return checkFields(r, at, func(path string) bool {
		if n == nil {
			return true
		}
		_, _, err := ResolvePath(n, path, true)
		return err == nil
	})
}

// CheckFieldsIn is [CheckFields] for a rule at p, a schema that may not have nodes.
func CheckFieldsIn(p *schema.JSONSchemaProps, r *schema.ValidationRule, at *field.Path) field.List {
	return checkFields((*plan.Rule)(r), at, func(path string) bool {
		if p == nil {
			return true
		}
		_, _, err := ResolvePathIn(p, path, true)
		return err == nil
	})
}

func checkFields(r *plan.Rule, at *field.Path, resolves func(path string) bool) field.List {
	var errs field.List
	text, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
	switch { // rule, message: CRF-002.
	case text == "":
		errs = append(errs, field.Required(at.Child("rule"), "rule is not specified"))
	case r.Message != "" && message == "":
		errs = append(errs, field.Invalid(at.Child("message"), r.Message, "must be non-empty if specified"))
	case broken(message):
		errs = append(errs, field.Invalid(at.Child("message"), r.Message, "must not contain line breaks"))
	case broken(text) && message == "":
		errs = append(errs, field.Required(at.Child("message"), "message must be specified if rule contains line breaks"))
	}
	// messageExpression: CRF-003.
	if r.MessageExpression != "" && blank(r.MessageExpression) {
		errs = append(errs, field.Required(at.Child("messageExpression"), "messageExpression must be non-empty if specified"))
	}
	// reason: CRF-004.
	if r.Reason != nil {
		switch field.ErrorType(*r.Reason) {
		case field.ErrorTypeDuplicate, field.ErrorTypeForbidden, field.ErrorTypeInvalid, field.ErrorTypeRequired:
		default:
			// An ErrorType prints as JSON.
			errs = append(errs, field.NotSupported(at.Child("reason"), field.ErrorType(*r.Reason),
				string(field.ErrorTypeDuplicate), string(field.ErrorTypeForbidden), string(field.ErrorTypeInvalid), string(field.ErrorTypeRequired)))
		}
	}
	// fieldPath: CRF-005, CRF-006.
	if r.FieldPath != "" {
		at := at.Child("fieldPath")
		if blank(r.FieldPath) {
			errs = append(errs, field.Invalid(at, r.FieldPath, "must be non-empty if specified"))
		}
		if broken(r.FieldPath) {
			errs = append(errs, field.Invalid(at, r.FieldPath, "must not contain line breaks"))
		}
		if !resolves(r.FieldPath) {
			errs = append(errs, field.Invalid(at, r.FieldPath, "must be a valid path"))
		}
	}
	return errs
}

// broken reports whether there are line breaks in text (CRF-001).
func broken(text string) bool { return strings.ContainsAny(text, "\n\r") }
