package hooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/condition"
)

// maxConditions is how many match conditions a webhook may have.
const maxConditions = 64

// maxExpressions is how many bytes the expressions of a configuration may have. They are compiled at each write of it.
const maxExpressions = 1 << 20

// Validate returns the errors for which a server refuses a configuration with defaults. old is the stored one, or nil:
// expressions that it has may call all functions. The error says that the configuration cannot be decoded.
func Validate(configuration, old map[string]any, mutating bool) (field.List, error) {
	webhooks, err := decode(configuration)
	if err != nil {
		return nil, err
	}
	v := validator{mutating: mutating, stored: map[string]bool{}, environment: condition.NewEnvironment(false, false)}
	if before, err := decode(old); err == nil {
		for i := range before {
			for _, c := range before[i].MatchConditions {
				v.stored[c.Expression] = true
			}
		}
	}
	seen := map[string]bool{}
	for i := range webhooks {
		w, at := &webhooks[i], field.NewPath("webhooks").Index(i)
		v.webhook(w, at)
		v.reviewVersions(w.ReviewVersions, at.Child("admissionReviewVersions"))
		if w.Name != "" && seen[w.Name] {
			v.add(field.Duplicate(at.Child("name"), w.Name))
		}
		seen[w.Name] = true
	}
	return v.errs.Errors(), nil
}

type validator struct {
	errs     refusal.List
	mutating bool
	stored   map[string]bool // expressions that are not checked again
	// storedInPolicy has the expressions that may call all functions.
	storedInPolicy map[string]bool
	environment    *condition.Environment // of the match conditions of webhooks
	expressions    int                    // bytes so far
}

func (v *validator) add(errs ...*field.Error) { v.errs.Append(errs...) }

func (v *validator) webhook(w *webhook, at *field.Path) {
	v.fullName(w.Name, at.Child("name"))
	for i := range w.Rules {
		v.rule(&w.Rules[i], at.Child("rules").Index(i))
	}
	v.oneOf(w.FailurePolicy, at.Child("failurePolicy"), fail, ignore)
	v.oneOf(w.MatchPolicy, at.Child("matchPolicy"), equivalent, exact)
	if w.SideEffects == nil {
		v.add(field.Required(at.Child("sideEffects"), "must specify one of None, NoneOnDryRun"))
	}
	v.oneOf(w.SideEffects, at.Child("sideEffects"), none, noneOnDryRun)
	if s := w.TimeoutSeconds; s != nil && (*s < 1 || *s > maxTimeout) {
		v.add(field.Invalid(at.Child("timeoutSeconds"), *s, "the timeout value must be between 1 and 30 seconds"))
	}
	v.selector(w.NamespaceSelector, at.Child("namespaceSelector"))
	v.selector(w.ObjectSelector, at.Child("objectSelector"))
	if v.mutating {
		v.oneOf(w.ReinvocationPolicy, at.Child("reinvocationPolicy"), ifNeeded, never)
	}
	switch client, at := w.Client, at.Child("clientConfig"); {
	case (client.URL == nil) == (client.Service == nil):
		v.add(field.Required(at, "exactly one of url or service is required"))
	case client.URL != nil:
		v.add(definition.CheckURL(*client.URL, at.Child("url"))...)
	default:
		s, port := client.Service, defaultPort
		if s.Port != nil {
			port = *s.Port
		}
		v.add(definition.CheckService(s.Namespace, s.Name, port, s.Path, at.Child("service"))...)
	}
	v.conditions(w.MatchConditions, v.environment, at.Child("matchConditions"))
}

// oneOf reports a value that is not supported. Nil is no error.
func (v *validator) oneOf(value *string, at *field.Path, supported ...string) {
	if value != nil && !slices.Contains(supported, *value) {
		v.add(field.NotSupported(at, *value, supported...))
	}
}

// fullName checks a name that must be a subdomain of at least three labels.
func (v *validator) fullName(name string, at *field.Path) {
	if name == "" {
		v.add(field.Required(at, ""))
		return
	}
	if messages := format.DNS1123Subdomain(name); messages != nil {
		v.add(field.Invalid(at, name, strings.Join(messages, ",")))
		return
	}
	if strings.Count(name, ".") < 2 {
		v.add(field.Invalid(at, name, "should be a domain with at least three segments separated by dots"))
	}
}

func (v *validator) rule(r *Rule, at *field.Path) {
	v.list(r.Operations, at.Child("operations"), "operations", func(i int, operation string) {
		supported := []string{"*", "CONNECT", Create, Delete, Update}
		v.oneOf(&operation, at.Child("operations").Index(i), supported...)
	})
	v.list(r.Groups, at.Child("apiGroups"), "API groups", nil)
	v.list(r.Versions, at.Child("apiVersions"), "API versions", func(i int, version string) {
		if version == "" {
			v.add(field.Required(at.Child("apiVersions").Index(i), ""))
		}
	})
	v.resources(r.Resources, at.Child("resources"))
	v.oneOf(r.Scope, at.Child("scope"), allScopes, clusterScope, namespacedScope)
}

// list checks a list that must not be empty and in which * must be alone.
func (v *validator) list(list []string, at *field.Path, what string, each func(i int, s string)) {
	switch {
	case len(list) == 0:
		v.add(field.Required(at, ""))
	case len(list) > 1 && slices.Contains(list, "*"):
		v.add(field.Invalid(at, list, "if '*' is present, must not specify other "+what))
	}
	for i, s := range list {
		if each != nil {
			each(i, s)
		}
	}
}

func (v *validator) resources(resources []string, at *field.Path) {
	if len(resources) == 0 {
		v.add(field.Required(at, ""))
	}
	all, alone := map[string]bool{}, map[string]bool{} // x/*, */x
	everything, wildcard, plain := false, false, false
	for i, of := range resources {
		at := at.Index(i)
		if of == "" {
			v.add(field.Required(at, ""))
			continue
		}
		everything = everything || of == "*/*"
		wildcard = wildcard || of == "*"
		resource, sub, hasSub := strings.Cut(of, "/")
		if !hasSub {
			plain = of != "*" // of several, only the last one counts
			continue
		}
		if all[resource] {
			v.add(field.Invalid(at, of, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, of)))
		}
		if alone[sub] {
			v.add(field.Invalid(at, of, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, of)))
		}
		if sub == "*" {
			all[resource] = true
		}
		if resource == "*" {
			alone[sub] = true
		}
	}
	if everything && len(resources) > 1 {
		v.add(field.Invalid(at, resources, "if '*/*' is present, must not specify other resources"))
	}
	if wildcard && plain {
		v.add(field.Invalid(at, resources, "if '*' is present, must not specify other resources without subresources"))
	}
}

// CheckSelector returns the errors of a label selector of meta/v1, which may be nil.
func CheckSelector(selector map[string]any, at *field.Path) field.List {
	var s labelSelector
	text, err := json.Marshal(selector)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return field.List{field.Invalid(at, selector, err.Error())}
	}
	var v validator
	v.selector(&s, at)
	return v.errs.Errors()
}

func (v *validator) selector(s *labelSelector, at *field.Path) {
	if s == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		value := s.MatchLabels[key]
		for _, message := range format.QualifiedName(key) {
			v.add(field.Invalid(at.Child("matchLabels"), key, message))
		}
		for _, message := range format.LabelValue(value) {
			v.add(field.Invalid(at.Child("matchLabels"), value, message))
		}
	}
	for i := range s.MatchExpressions {
		e, at := &s.MatchExpressions[i], at.Child("matchExpressions").Index(i)
		if !slices.Contains(operators, e.Operator) {
			v.add(field.Invalid(at.Child("operator"), e.Operator, "not a valid selector operator"))
		}
		OperatorErrors(&v.errs, e.Operator, e.Values, at)
		LabelErrors(&v.errs, e.Key, e.Values, at)
	}
}

var operators = []string{"In", "NotIn", "Exists", "DoesNotExist"}

// OperatorErrors adds an error about the values of a selector's requirement if its operator needs some, or allows none.
func OperatorErrors(errs *refusal.List, operator string, values []string, at *field.Path) {
	switch operator {
	case "In", "NotIn":
		if len(values) == 0 {
			errs.Add(field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case "Exists", "DoesNotExist":
		if len(values) > 0 {
			errs.Add(field.Forbidden(at.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	}
}

// LabelErrors adds errors about the key and the values of a label selector's requirement that no label has.
func LabelErrors(errs *refusal.List, key string, values []string, at *field.Path) {
	for _, message := range format.QualifiedName(key) {
		errs.Add(field.Invalid(at.Child("key"), key, message))
	}
	for i, value := range values {
		for _, message := range format.LabelValue(value) {
			if errs.Full() {
				errs.Skip(field.ErrorTypeInvalid)
				continue
			}
			errs.Add(field.Invalid(at.Child("values").Index(i), value, message))
		}
	}
}

// conditions checks match conditions, whose expressions are those of env.
func (v *validator) conditions(conditions []matchCondition, env *condition.Environment, at *field.Path) {
	if n := len(conditions); n > maxConditions {
		v.add(field.TooMany(at, int64(n), maxConditions))
	}
	seen := map[string]bool{}
	for i, c := range conditions {
		at := at.Index(i)
		text, expression := at.Child("expression"), strings.TrimSpace(c.Expression)
		switch {
		case expression == "":
			v.add(field.Required(text, ""))
		case !v.stored[c.Expression]:
			v.expression(env, condition.Match, expression, text, v.storedInPolicy[expression])
		}
		name := at.Child("name")
		if c.Name == "" {
			v.add(field.Required(name, ""))
			continue
		}
		for _, message := range format.QualifiedName(c.Name) {
			v.add(field.Invalid(name, c.Name, message))
		}
		if seen[c.Name] {
			v.add(field.Duplicate(name, c.Name))
		}
		seen[c.Name] = true
	}
}

// tooLong refuses an expression because of the others.
const tooLong = "the expressions of the configuration are too long together"

// expression reports what is wrong with an expression.
func (v *validator) expression(env *condition.Environment, kind condition.Kind, expression string, at *field.Path, stored bool) {
	v.expressionOf(expression, expression, at, func() error { return env.Check(kind, expression, stored) })
}

// expressionOf reports what check finds in an expression. value is the text that an error has.
func (v *validator) expressionOf(expression, value string, at *field.Path, check func() error) {
	if v.expressions > maxExpressions || v.errs.Full() {
		v.add(field.Invalid(at, value, tooLong))
		return
	}
	v.expressions += len(expression)
	if err := check(); err != nil {
		v.add(field.Invalid(at, value, err.Error()))
	}
}

func (v *validator) reviewVersions(versions []string, at *field.Path) {
	if len(versions) == 0 {
		v.add(field.Required(at, "must specify one of v1, v1beta1"))
		return
	}
	seen, known := map[string]bool{}, false
	for i, version := range versions {
		if seen[version] {
			v.add(field.Invalid(at.Index(i), version, "duplicate version"))
			continue
		}
		seen[version] = true
		for _, message := range format.DNS1035Label(version) {
			v.add(field.Invalid(at.Index(i), version, message))
		}
		known = known || version == "v1" || version == "v1beta1"
	}
	if !known {
		v.add(field.Invalid(at, versions, "must include at least one of v1, v1beta1"))
	}
}
