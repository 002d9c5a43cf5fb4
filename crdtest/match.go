package crdtest

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// A Match describes an expected error. Empty fields match anything.
type Match struct {
	Type field.ErrorType // or the reason of a refusal that is not a list of errors: Conflict
	Path string          // as the error prints it: spec.ports[0].name; a leading dot is ignored
	// Rule is a part of the text or the message of the rule that fails, or its place:
	// spec.ports[*].x-kubernetes-validations[0].
	Rule string
	// Detail is a part of the text after the path. Texts change between Kubernetes versions: the type and the path are
	// usually enough.
	Detail string
}

func match(typ field.ErrorType, path string, detail []string) Match {
	return Match{Type: typ, Path: path, Detail: strings.Join(detail, "")}
}

// Invalid matches a value that breaks a bound, a pattern or a rule.
func Invalid(path string, detail ...string) Match { return match(field.ErrorTypeInvalid, path, detail) }

// Required matches a missing value.
func Required(path string) Match { return Match{Type: field.ErrorTypeRequired, Path: path} }

// Forbidden matches a forbidden value.
func Forbidden(path string, detail ...string) Match {
	return match(field.ErrorTypeForbidden, path, detail)
}

// NotSupported matches a value that is not in an enum.
func NotSupported(path string, detail ...string) Match {
	return match(field.ErrorTypeNotSupported, path, detail)
}

// Duplicate matches a duplicate item; the path is that of the second one.
func Duplicate(path string) Match { return Match{Type: field.ErrorTypeDuplicate, Path: path} }

// TooLong matches a text of more than maxLength.
func TooLong(path string) Match { return Match{Type: field.ErrorTypeTooLong, Path: path} }

// TooMany matches a list or a map of more than maxItems or maxProperties.
func TooMany(path string) Match { return Match{Type: field.ErrorTypeTooMany, Path: path} }

// TypeInvalid matches a value of the wrong type or format.
func TypeInvalid(path string, detail ...string) Match {
	return match(field.ErrorTypeTypeInvalid, path, detail)
}

// RuleFails matches the error of a rule with rule in its text or its message. The path is that of the value that it
// validates, or the one that its fieldPath names. If there is no such error, the failure says why: no rule has such a
// text, it is true for the object, it fails at another path, or rules were not evaluated because of other errors.
func RuleFails(path, rule string) Match { return Match{Path: path, Rule: rule} }

// typeName returns an error type as failures and golden files print it.
func typeName(t field.ErrorType) string {
	if t == field.ErrorTypeInternal {
		return "Internal"
	}
	return strings.TrimPrefix(string(t), "FieldValue")
}

// String returns the match as failures print it.
func (m Match) String() string {
	b := strings.Builder{}
	if b.WriteString(typeName(m.Type)); m.Type == "" {
		b.WriteString("an error")
	}
	if m.Path != "" {
		b.WriteString(" " + m.Path)
	}
	if m.Detail != "" {
		b.WriteString(": ~" + strconv.Quote(m.Detail))
	}
	if m.Rule != "" {
		b.WriteString(" of the rule ~" + strconv.Quote(m.Rule))
	}
	return b.String()
}

// errorLine returns an error as failures and golden files print it.
func errorLine(e *field.Error) string {
	s := typeName(e.Type)
	if e.Field != "" {
		s += " " + e.Field
	}
	if e.Detail != "" {
		s += ": " + strings.ReplaceAll(e.Detail, "\n", `\n`)
	}
	return s
}

// matches reports whether m describes e. by returns the rule that reports an error, or nil.
func (m Match) matches(e *field.Error, by func(*field.Error) *constraint.Rule) bool {
	switch {
	case m.Type != "" && m.Type != e.Type,
		m.Path != "" && undotted(m.Path) != undotted(e.Field) && undotted(m.Path) != undotted(e.Path.String()),
		m.Detail != "" && !strings.Contains(e.ErrorBody(), m.Detail):
		return false
	case m.Rule == "":
		return true
	}
	r := by(e)
	return r != nil && (m.about(r) || r.MessageExpression != "" && strings.Contains(e.ErrorBody(), m.Rule))
}

// about reports whether m may describe an error of a rule. It ignores messageExpression.
func (m Match) about(r *constraint.Rule) bool {
	return strings.Contains(r.ValidationRule.Rule, m.Rule) || strings.Contains(r.Message, m.Rule) || r.Name() == strings.TrimPrefix(m.Rule, ".")
}

// undotted returns a path without a leading dot.
func undotted(path string) string { return strings.TrimPrefix(path, ".") }

// compare pairs errors with matches that describe them, as many as possible. It returns the ones that are left over.
// The error that rules were not evaluated counts only if a match describes it.
func compare(want []Match, got field.List, by func(*field.Error) *constraint.Rule) (missing []Match, extra field.List) {
	partner := make([]int, len(got)) // the index of an error's match, from 1
	var find func(m int, seen []bool) bool
	find = func(m int, seen []bool) bool {
		for i, e := range got {
			if seen[i] || !want[m].matches(e, by) {
				continue
			}
			seen[i] = true
			if partner[i] == 0 || find(partner[i]-1, seen) {
				partner[i] = m + 1
				return true
			}
		}
		return false
	}
	for m := range want {
		if !find(m, make([]bool, len(got))) {
			missing = append(missing, want[m])
		}
	}
	for i, e := range got {
		if partner[i] == 0 && !e.RulesSkipped() {
			extra = append(extra, e)
		}
	}
	return missing, extra
}
