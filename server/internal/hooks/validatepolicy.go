package hooks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/server/internal/condition"
)

// The limits of a server for audit annotations: how many, and the bytes of an expression.
const (
	maxAnnotations          = 20
	maxAnnotationExpression = 5 << 10
)

// ValidatePolicy returns the errors for which a server refuses a policy with defaults. old is the stored one, or nil:
// expressions that it has may call all functions. The error says that the policy cannot be decoded.
func ValidatePolicy(obj, old map[string]any) (field.List, error) {
	p, err := spec[storedPolicy](obj)
	if err != nil {
		return nil, err
	}
	var before storedPolicy
	if old != nil {
		before, _ = spec[storedPolicy](old) // otherwise it has no expressions
	}
	v := policyValidator{hasName: name(obj), params: p.ParamKind != nil, at: field.NewPath("spec"), before: storedIn(&before)}
	v.storedInPolicy = v.before.matches
	v.policy(&p)
	if old == nil || !sameConditions(&p, &before) {
		v.conditions(p.MatchConditions, condition.NewEnvironment(false, v.params), v.at.Child("matchConditions"))
	}
	v.expressionsOf(&p)
	return v.errs.Errors(), nil
}

// sameConditions reports whether the match conditions of a policy, and what they may refer to, have not changed.
func sameConditions(p, before *storedPolicy) bool {
	same := p.ParamKind == nil && before.ParamKind == nil ||
		p.ParamKind != nil && before.ParamKind != nil && *p.ParamKind == *before.ParamKind
	return same && slices.Equal(p.MatchConditions, before.MatchConditions)
}

// policyExpressions has the expressions of a policy by what they are for.
type policyExpressions struct{ matches, validations, messages, annotations map[string]bool }

func storedIn(p *storedPolicy) policyExpressions {
	out := policyExpressions{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, c := range p.MatchConditions {
		out.matches[c.Expression] = true
	}
	for _, v := range p.Validations {
		out.validations[v.Expression], out.messages[v.MessageExpression] = true, true
	}
	for _, a := range p.Annotations {
		out.annotations[a.ValueExpression] = true
	}
	return out
}

// A policyValidator checks a policy or a binding.
type policyValidator struct {
	validator
	hasName string
	params  bool // the policy has a paramKind
	at      *field.Path
	before  policyExpressions
}

// policy checks a policy without its expressions.
func (v *policyValidator) policy(p *storedPolicy) {
	v.required(p.FailurePolicy, v.at.Child("failurePolicy"), fail, ignore)
	if p.ParamKind != nil {
		v.paramKind(p.ParamKind, v.at.Child("paramKind"))
	}
	at := v.at.Child("matchConstraints")
	if p.MatchConstraints == nil {
		v.add(field.Required(at, ""))
		return
	}
	v.resourcesOf(p.MatchConstraints, at)
	if len(p.MatchConstraints.Rules) == 0 {
		v.add(field.Required(at.Child("resourceRules"), ""))
	}
}

// required reports a value that is missing or not supported.
func (v *validator) required(value *string, at *field.Path, supported ...string) {
	if value == nil {
		v.add(field.Required(at, ""))
	}
	v.oneOf(value, at, supported...)
}

func (v *validator) paramKind(k *ParamKind, at *field.Path) {
	version := at.Child("apiVersion")
	switch {
	case k.APIVersion == "":
		v.add(field.Required(version, ""))
	case strings.Count(k.APIVersion, "/") > 1:
		v.add(field.Invalid(version, k.APIVersion, "unexpected GroupVersion string: "+k.APIVersion))
	default:
		group, name := k.GroupVersion()
		if messages := format.DNS1123Subdomain(group); group != "" && messages != nil {
			v.add(field.Invalid(version, group, strings.Join(messages, ",")))
		}
		if name == "" {
			v.add(field.Invalid(version, k.APIVersion, "version must be specified"))
		} else if messages := format.DNS1035Label(name); messages != nil {
			v.add(field.Invalid(version, name, strings.Join(messages, ",")))
		}
	}
	kind := at.Child("kind")
	if k.Kind == "" {
		v.add(field.Required(kind, ""))
	} else if messages := format.DNS1035Label(strings.ToLower(k.Kind)); messages != nil {
		v.add(field.Invalid(kind, k.Kind, "may have mixed case, but should otherwise match: "+strings.Join(messages, ",")))
	}
}

func (v *validator) resourcesOf(m *matchResources, at *field.Path) {
	v.required(m.MatchPolicy, at.Child("matchPolicy"), equivalent, exact)
	for _, s := range []struct {
		name     string
		selector *labelSelector
	}{{"namespaceSelector", m.NamespaceSelector}, {"objectSelector", m.ObjectSelector}} {
		if s.selector == nil {
			v.add(field.Required(at.Child(s.name), ""))
		}
		v.selector(s.selector, at.Child(s.name))
	}
	for i := range m.Rules {
		v.namedRule(&m.Rules[i], at.Child("resourceRules").Index(i))
	}
	for i := range m.Exclude {
		v.namedRule(&m.Exclude[i], at.Child("excludeResourceRules").Index(i))
	}
}

func (v *validator) namedRule(r *Rule, at *field.Path) {
	seen := map[string]bool{}
	for i, name := range r.Names {
		at := at.Child("resourceNames").Index(i)
		for _, message := range format.PathSegment(name) {
			v.add(field.Invalid(at, name, message))
		}
		if seen[name] {
			v.add(field.Duplicate(at, name))
		}
		seen[name] = true
	}
	v.rule(r, at)
}

// expressionsOf checks the variables, the validations and the audit annotations.
func (v *policyValidator) expressionsOf(p *storedPolicy) {
	env := condition.NewEnvironment(len(p.Variables) > 0, v.params)
	for i := range p.Variables {
		v.variable(env, p.Variables[i].Name, p.Variables[i].Expression, v.at.Child("variables").Index(i))
	}
	if len(p.Validations) == 0 && len(p.Annotations) == 0 {
		const one = "validations or auditAnnotations must contain at least one item"
		v.add(field.Required(v.at.Child("validations"), one), field.Required(v.at.Child("auditAnnotations"), one))
		return
	}
	for i, w := range p.Validations {
		at := v.at.Child("validations").Index(i)
		if strings.TrimSpace(w.Expression) == "" {
			v.add(field.Required(at.Child("expression"), "expression is not specified"))
		} else {
			v.expression(env, condition.Match, w.Expression, at.Child("expression"), v.before.validations[w.Expression])
		}
		switch messages := at.Child("messageExpression"); {
		case w.MessageExpression != "" && strings.TrimSpace(w.MessageExpression) == "":
			v.add(field.Invalid(messages, w.MessageExpression, "must be non-empty if specified"))
		case w.MessageExpression != "":
			v.expression(env, condition.Message, w.MessageExpression, messages, v.before.messages[w.MessageExpression])
		}
		switch message := strings.TrimSpace(w.Message); {
		case w.Message != "" && message == "":
			v.add(field.Invalid(at.Child("message"), w.Message, "must be non-empty if specified"))
		case strings.ContainsAny(message, "\n\r"):
			v.add(field.Invalid(at.Child("message"), w.Message, "must not contain line breaks"))
		}
		v.oneOf(w.Reason, at.Child("reason"), "Forbidden", "Invalid", "RequestEntityTooLarge")
	}
	v.annotations(env, p)
}

func (v *policyValidator) variable(env *condition.Environment, name, expression string, at *field.Path) {
	switch {
	case strings.TrimSpace(name) == "":
		v.add(field.Required(at.Child("name"), "name is not specified"))
	case !identifier(name):
		v.add(field.Invalid(at.Child("name"), name, "must be a valid CEL identifier"))
	}
	of := at.Child("expression")
	if strings.TrimSpace(expression) == "" {
		v.add(field.Required(of, "expression is not specified"))
		return
	}
	v.expressionOf(expression, expression, of, func() error { return env.Declare(name, expression, v.before.validations[expression]) })
}

func (v *policyValidator) annotations(env *condition.Environment, p *storedPolicy) {
	at := v.at.Child("auditAnnotations")
	if len(p.Annotations) > maxAnnotations {
		v.add(field.Invalid(at, p.Annotations, fmt.Sprintf("must not have more than %d auditAnnotations", maxAnnotations)))
	}
	seen := map[string]bool{}
	for i, a := range p.Annotations {
		key, value := at.Index(i).Child("key"), at.Index(i).Child("valueExpression")
		if v.hasName == "" {
			v.add(field.Invalid(key, a.Key, "requires metadata.name be non-empty"))
		} else {
			full := v.hasName + "/" + a.Key
			for _, message := range format.QualifiedName(full) {
				v.add(field.Invalid(key, full, message))
			}
		}
		switch expression := strings.TrimSpace(a.ValueExpression); {
		case expression == "":
			v.add(field.Required(value, "valueExpression is not specified"))
		case len(expression) > maxAnnotationExpression:
			v.add(field.Required(value, fmt.Sprintf("must not exceed %d bytes in length", maxAnnotationExpression)))
		default:
			v.expressionOf(expression, a.ValueExpression, value, func() error {
				return env.Check(condition.Annotation, expression, v.before.annotations[a.ValueExpression])
			})
		}
		if seen[a.Key] {
			v.add(field.Duplicate(key, a.Key))
		}
		seen[a.Key] = true
	}
}

// identifier reports whether a name is an identifier of CEL.
func identifier(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains(reserved, name)
}

// reserved are the words that are no identifiers.
var reserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
	"package", "namespace", "return", "var", "void", "while",
}

// ValidateBinding returns the errors for which a server refuses a binding with defaults. The error says that the binding
// cannot be decoded.
func ValidateBinding(obj map[string]any) (field.List, error) {
	b, err := spec[storedBinding](obj)
	if err != nil {
		return nil, err
	}
	var v validator
	at := field.NewPath("spec")
	if b.PolicyName != "" {
		for _, message := range format.DNS1123Subdomain(b.PolicyName) {
			v.add(field.Invalid(at.Child("policyName"), b.PolicyName, message))
		}
	}
	v.paramRef(&b, at.Child("paramRef"))
	if b.MatchResources != nil {
		v.resourcesOf(b.MatchResources, at.Child("matchResources"))
	}
	v.actions(b.Actions, at.Child("validationActions"))
	// A server declares what is required, and checks that last.
	if b.PolicyName == "" {
		v.add(field.Required(at.Child("policyName"), ""))
	}
	if len(b.Actions) == 0 {
		v.add(field.Required(at.Child("validationActions"), ""))
	}
	return v.errs.Errors(), nil
}

func (v *validator) paramRef(b *storedBinding, at *field.Path) {
	p := b.Param
	if p == nil {
		return
	}
	const exclusive = "name and selector are mutually exclusive"
	both := p.Name != "" && p.Selector != nil
	if p.Name != "" {
		for _, message := range format.PathSegment(p.Name) {
			v.add(field.Invalid(at.Child("name"), p.Name, message))
		}
	}
	if both {
		v.add(field.Forbidden(at.Child("name"), exclusive))
	}
	v.selector(p.Selector, at.Child("selector"))
	if both {
		v.add(field.Forbidden(at.Child("selector"), exclusive))
	}
	if p.Name == "" && p.Selector == nil {
		v.add(field.Required(at, "one of name or selector must be specified"))
	}
	action := at.Child("parameterNotFoundAction")
	if p.NotFound == nil || *p.NotFound == "" {
		v.add(field.Required(action, ""))
	} else if *p.NotFound != deny && *p.NotFound != allow {
		v.add(field.NotSupported(action, *p.NotFound, deny, allow))
	}
}

func (v *validator) actions(actions []string, at *field.Path) {
	seen := map[string]bool{}
	for i, action := range actions {
		v.oneOf(&action, at.Index(i), audit, deny, warn)
		if seen[action] {
			v.add(field.Duplicate(at.Index(i), action))
		}
		seen[action] = true
	}
	if seen[deny] && seen[warn] {
		v.add(field.Invalid(at, actions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
}
