package crd

import (
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/schema"
)

// WithCondition returns s with condition c: it replaces the condition of the same type, or is appended. A replaced
// condition keeps its LastTransitionTime, unless that is zero or the status differs, and always keeps its
// ObservedGeneration. Otherwise LastTransitionTime is now, whatever c has; a zero now leaves it absent.
//
// s is not modified. The result has its own list of conditions, and shares the rest with s.
func (s Status) WithCondition(c Condition, now time.Time) Status {
	c.LastTransitionTime = now
	i := slices.IndexFunc(s.Conditions, func(old Condition) bool { return old.Type == c.Type })
	if i < 0 {
		s.Conditions = append(slices.Clip(s.Conditions), c)
		return s
	}
	old := s.Conditions[i]
	if old.Status == c.Status && !old.LastTransitionTime.IsZero() {
		c.LastTransitionTime = old.LastTransitionTime
	}
	c.ObservedGeneration = old.ObservedGeneration
	s.Conditions = slices.Clone(s.Conditions)
	s.Conditions[i] = c
	return s
}

// withoutCondition returns s without the conditions of a type, or s itself if it has none. Otherwise the result has its
// own list of conditions, and shares the rest with s. s is not modified.
func (s Status) withoutCondition(conditionType string) Status {
	is := func(c Condition) bool { return c.Type == conditionType }
	if slices.ContainsFunc(s.Conditions, is) {
		s.Conditions = slices.DeleteFunc(slices.Clone(s.Conditions), is)
	}
	return s
}

// Equivalent reports whether type, status, reason and message of c and o are equal. A server does not write a condition
// that is equivalent to the existing one.
func (c Condition) Equivalent(o Condition) bool {
	return c.Type == o.Type && c.Status == o.Status && c.Reason == o.Reason && c.Message == o.Message
}

// withNew is WithCondition, but keeps an existing equivalent condition.
func (s Status) withNew(c Condition, now time.Time) Status {
	if old := (&CustomResourceDefinition{Status: s}).Condition(c.Type); old != nil && old.Equivalent(c) {
		return s
	}
	return s.WithCondition(c, now)
}

// nonStructuralCondition returns the [NonStructuralSchema] condition of d, without a time, or nil: a server then
// removes the condition if d has one. Its message has the [schema.Violations] of all versions in order, preceded by an
// error if preserveUnknownFields is set; it ends at the default [field.Limit]. If a schema has something that a
// structural schema cannot express, such as definitions, the status is Unknown and the message is about the
// first such schema alone. If there are several such things in it, the message has the first in the order of
// [schema.Violations]; a server picks any. A schema that is nested too deeply for this library is one of these cases.
//
// Errors have the paths of a v1 document, for v1beta1 as well: spec.versions[0].schema.openAPIV3Schema. It takes time
// linear in the schemas. d is not modified.
func (d *CustomResourceDefinition) nonStructuralCondition() *Condition {
	spec := &d.V1().Spec
	var errs refusal.List
	if p := spec.PreserveUnknownFields; p != nil && *p {
		errs.Add(field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "must be false"))
	}
	for i := range spec.Versions {
		v := &spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		at := field.NewPath("spec", "versions").Index(i).Child("schema").Child("openAPIV3Schema")
		found := schema.Violations(at, v.Schema.OpenAPIV3Schema, errs.Left())
		if text, unsupported := notSupported(v.Schema.OpenAPIV3Schema, found); unsupported {
			return &Condition{Type: NonStructuralSchema, Status: "Unknown", Reason: "StructuralError",
				Message: "failed to check validation schema for version " + v.Name + ": " + text}
		}
		errs.Append(found...)
	}
	if errs.Len() == 0 {
		return nil
	}
	return &Condition{Type: NonStructuralSchema, Status: "True", Reason: "Violations", Message: errs.Errors().String()}
}

// notSupported reports whether p, whose violations are found, has something that no structural schema can express, and
// returns the reason. Then found is a single violation that states the reason. But a single violation may also be an
// ordinary one, so notSupported compiles p to tell them apart.
func notSupported(p *schema.JSONSchemaProps, found field.List) (string, bool) {
	if len(found) != 1 || found[0].Type == field.ErrorTypeTooManyErrors {
		return "", false
	}
	if _, err := schema.CompileLoose(p); err == nil {
		return "", false
	}
	return found[0].Detail, true
}

// approvalCondition returns the [KubernetesAPIApprovalPolicyConformant] condition of d, without a time, or nil if its
// group does not belong to Kubernetes.
func (d *CustomResourceDefinition) approvalCondition() *Condition {
	if !definition.ProtectedGroup(d.Spec.Group) {
		return nil
	}
	text, _ := d.Annotation(definition.ApprovalAnnotation)
	state, message := definition.ReadApproval(text)
	c := &Condition{Type: KubernetesAPIApprovalPolicyConformant, Status: "False", Message: message}
	switch state {
	case definition.ApprovalMissing:
		c.Reason = "MissingAnnotation"
	case definition.ApprovalBypassed:
		c.Reason = "UnapprovedAnnotation"
	case definition.ApprovalGiven:
		c.Status, c.Reason = "True", "ApprovedAnnotation"
	case definition.ApprovalInvalid:
		c.Reason = "InvalidAnnotation"
	}
	return c
}

// aggregate joins texts as a server prints aggregated errors: a single text as it is, several in brackets and without
// duplicates (EMD-006). It modifies texts.
func aggregate(texts []string) string {
	texts = refusal.Distinct(texts)
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
