package hooks

import (
	"encoding/json"
	"strings"

	"github.com/crdkit/crdkit/server/internal/condition"
)

// The plural names of admission policies and of their bindings.
const (
	Policies       = "validatingadmissionpolicies"
	PolicyBindings = "validatingadmissionpolicybindings"
)

// A Policy is a ValidatingAdmissionPolicy. It is immutable.
type Policy struct {
	condition.Policy
	Criteria
	Name  string
	Param *ParamKind // nil: it has no parameters
}

// A ParamKind is the kind of the parameters of a policy.
type ParamKind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// A Binding is a ValidatingAdmissionPolicyBinding. It is immutable.
type Binding struct {
	Criteria
	Name, Policy string
	Deny, Warn   bool
	Param        *ParamRef // nil: no parameters, even if the policy has a kind of them
}

// A ParamRef says which objects are the parameters of a policy.
type ParamRef struct {
	Name      string // empty: those that are selected
	Namespace string
	Required  bool // parameterNotFoundAction Deny

	selector labels
}

// Selects reports whether an object is a parameter, as far as its labels say so. The error is that of the selector.
func (p *ParamRef) Selects(obj map[string]any) (bool, error) {
	return p.selector.err == nil && p.selector.selects(obj), p.selector.err
}

// storedPolicy is the spec of a policy, as it is stored.
type storedPolicy struct {
	ParamKind        *ParamKind       `json:"paramKind"`
	MatchConstraints *matchResources  `json:"matchConstraints"`
	MatchConditions  []matchCondition `json:"matchConditions"`
	FailurePolicy    *string          `json:"failurePolicy"`
	Variables        []struct {
		Name       string `json:"name"`
		Expression string `json:"expression"`
	} `json:"variables"`
	Validations []struct {
		Expression        string  `json:"expression"`
		Message           string  `json:"message"`
		MessageExpression string  `json:"messageExpression"`
		Reason            *string `json:"reason"`
	} `json:"validations"`
	// Annotations have no tags because an error has them as JSON, with the names of fields that Kubernetes has inside.
	Annotations []struct{ Key, ValueExpression string } `json:"auditAnnotations"`
}

// matchResources says for which requests a policy or a binding counts.
type matchResources struct {
	Rules             []Rule         `json:"resourceRules"`
	Exclude           []Rule         `json:"excludeResourceRules"`
	MatchPolicy       *string        `json:"matchPolicy"`
	NamespaceSelector *labelSelector `json:"namespaceSelector"`
	ObjectSelector    *labelSelector `json:"objectSelector"`
}

// storedBinding is the spec of a binding, as it is stored.
type storedBinding struct {
	PolicyName     string          `json:"policyName"`
	MatchResources *matchResources `json:"matchResources"`
	Actions        []string        `json:"validationActions"`
	Param          *struct {
		Name      string         `json:"name"`
		Namespace string         `json:"namespace"`
		Selector  *labelSelector `json:"selector"`
		NotFound  *string        `json:"parameterNotFoundAction"`
	} `json:"paramRef"`
}

// The values of parameterNotFoundAction and of validationActions.
const (
	allow, deny = "Allow", "Deny"
	warn, audit = "Warn", "Audit"
)

// spec decodes the spec of an object.
func spec[T any](obj map[string]any) (out T, err error) {
	text, err := json.Marshal(obj["spec"])
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

func name(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// compile returns m as criteria. Nil matches everything, and so does m without rules.
func (m *matchResources) compile() Criteria {
	if m == nil {
		return Criteria{All: true}
	}
	return Criteria{
		Rules: m.Rules, Exclude: m.Exclude, All: len(m.Rules) == 0, Exact: is(m.MatchPolicy, exact),
		namespaces: m.NamespaceSelector.compile(), objects: m.ObjectSelector.compile(),
	}
}

// CompilePolicy returns the policy of a stored object.
func CompilePolicy(obj map[string]any) (*Policy, error) {
	stored, err := spec[storedPolicy](obj)
	if err != nil {
		return nil, err
	}
	env := condition.NewEnvironment(true, stored.ParamKind != nil)
	p := &Policy{
		Policy:   condition.Policy{Environment: env, Ignore: is(stored.FailurePolicy, ignore)},
		Criteria: stored.MatchConstraints.compile(), Name: name(obj), Param: stored.ParamKind,
	}
	for _, v := range stored.Variables {
		_ = env.Declare(v.Name, v.Expression, true) // its error is that of each use
	}
	for _, c := range stored.MatchConditions {
		p.Conditions = append(p.Conditions, env.Compile(condition.Match, c.Expression))
	}
	for _, v := range stored.Validations {
		next := condition.Validation{Condition: env.Compile(condition.Match, v.Expression), Text: v.Message}
		if v.MessageExpression != "" {
			next.Message = env.Compile(condition.Message, v.MessageExpression)
		}
		if v.Reason != nil {
			next.Reason = *v.Reason
		}
		p.Validations = append(p.Validations, next)
	}
	for _, a := range stored.Annotations {
		p.Annotations = append(p.Annotations, env.Compile(condition.Annotation, a.ValueExpression))
	}
	return p, nil
}

// CompileBinding returns the binding of a stored object.
func CompileBinding(obj map[string]any) (*Binding, error) {
	stored, err := spec[storedBinding](obj)
	if err != nil {
		return nil, err
	}
	b := &Binding{Criteria: stored.MatchResources.compile(), Name: name(obj), Policy: stored.PolicyName}
	for _, action := range stored.Actions {
		b.Deny, b.Warn = b.Deny || action == deny, b.Warn || action == warn
	}
	if p := stored.Param; p != nil {
		b.Param = &ParamRef{Name: p.Name, Namespace: p.Namespace, Required: is(p.NotFound, deny), selector: p.Selector.compile()}
	}
	return b, nil
}

// GroupVersion returns the parts of the apiVersion.
func (k *ParamKind) GroupVersion() (group, version string) {
	group, version, found := strings.Cut(k.APIVersion, "/")
	if !found {
		return "", group
	}
	return group, version
}
