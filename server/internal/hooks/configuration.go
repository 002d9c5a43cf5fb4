package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/server/internal/condition"
)

// Group is the API group of the configurations.
const Group = "admissionregistration.k8s.io"

// The plural names of the configurations.
const (
	Mutating   = "mutatingwebhookconfigurations"
	Validating = "validatingwebhookconfigurations"
)

// The operations of admission.
const (
	Create = "CREATE"
	Update = "UPDATE"
	Delete = "DELETE"
)

// A Hook is a webhook. It is immutable.
type Hook struct {
	Name     string
	ID       string // unique among the webhooks
	Mutating bool

	Criteria
	Conditions  []*condition.Condition
	environment *condition.Environment

	Ignore    bool          // failurePolicy Ignore
	Timeout   time.Duration // of a call
	Reinvoked bool          // reinvocationPolicy IfNeeded
	DryRuns   bool          // it has no side effects in dry runs
	Review    string        // the version of AdmissionReview; empty: none that is known
	Client    ClientConfig
}

// A Rule says which requests match. "*" stands for all in its lists, and in both parts of a resource.
type Rule struct {
	Operations []string `json:"operations"`
	Groups     []string `json:"apiGroups"`
	Versions   []string `json:"apiVersions"`
	Resources  []string `json:"resources"`     // plural, or plural/subresource
	Scope      *string  `json:"scope"`         // nil: *
	Names      []string `json:"resourceNames"` // of objects; empty: all; only of policies and bindings
}

// A ClientConfig says where a webhook is: at a URL, or behind a Service.
type ClientConfig struct {
	URL      *string  `json:"url"`
	Service  *Service `json:"service"`
	CABundle []byte   `json:"caBundle"`
}

// A Service is a reference to a Service.
type Service struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Path      *string `json:"path"`
	Port      *int32  `json:"port"` // nil: 443
}

// webhook is a webhook of a configuration, as it is stored.
type webhook struct {
	Name               string           `json:"name"`
	Client             ClientConfig     `json:"clientConfig"`
	Rules              []Rule           `json:"rules"`
	FailurePolicy      *string          `json:"failurePolicy"`
	MatchPolicy        *string          `json:"matchPolicy"`
	NamespaceSelector  *labelSelector   `json:"namespaceSelector"`
	ObjectSelector     *labelSelector   `json:"objectSelector"`
	SideEffects        *string          `json:"sideEffects"`
	TimeoutSeconds     *int32           `json:"timeoutSeconds"`
	ReviewVersions     []string         `json:"admissionReviewVersions"`
	ReinvocationPolicy *string          `json:"reinvocationPolicy"`
	MatchConditions    []matchCondition `json:"matchConditions"`
}

type matchCondition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// The values of policies.
const (
	fail, ignore             = "Fail", "Ignore"
	exact, equivalent        = "Exact", "Equivalent"
	never, ifNeeded          = "Never", "IfNeeded"
	none, noneOnDryRun       = "None", "NoneOnDryRun"
	allScopes                = "*"
	clusterScope             = "Cluster"
	namespacedScope          = "Namespaced"
	defaultTimeout           = 10 // seconds
	maxTimeout               = 30 // seconds
	defaultPort        int32 = 443
)

// decode decodes the webhooks of a configuration.
func decode(configuration map[string]any) ([]webhook, error) {
	text, err := json.Marshal(configuration["webhooks"])
	if err != nil {
		return nil, err
	}
	var out []webhook
	return out, json.Unmarshal(text, &out)
}

// Compile returns the webhooks of a stored configuration.
func Compile(configuration map[string]any, mutating bool) ([]*Hook, error) {
	stored, err := decode(configuration)
	if err != nil {
		return nil, err
	}
	name := name(configuration)
	out := make([]*Hook, len(stored))
	seen, env := map[string]int{}, condition.NewEnvironment(false, false)
	for i := range stored {
		w := &stored[i]
		out[i] = w.compile(fmt.Sprintf("%t/%s/%s/%d", mutating, name, w.Name, seen[w.Name]), mutating, env)
		seen[w.Name]++
	}
	return out, nil
}

func (w *webhook) compile(id string, mutating bool, env *condition.Environment) *Hook {
	h := &Hook{
		environment: env, Name: w.Name, ID: id, Mutating: mutating, Client: w.Client,
		Criteria: Criteria{
			Rules: w.Rules, Exact: is(w.MatchPolicy, exact), objects: w.ObjectSelector.compile(), namespaces: w.NamespaceSelector.compile(),
		},
		Ignore: is(w.FailurePolicy, ignore), Reinvoked: is(w.ReinvocationPolicy, ifNeeded),
		DryRuns: is(w.SideEffects, none) || is(w.SideEffects, noneOnDryRun),
		Timeout: defaultTimeout * time.Second,
	}
	if w.TimeoutSeconds != nil && *w.TimeoutSeconds > 0 {
		h.Timeout = time.Duration(min(*w.TimeoutSeconds, maxTimeout)) * time.Second
	}
	for _, v := range w.ReviewVersions {
		if v == "v1" || v == "v1beta1" {
			h.Review = v
			break
		}
	}
	for _, c := range w.MatchConditions {
		h.Conditions = append(h.Conditions, env.Compile(condition.Match, c.Expression))
	}
	return h
}

// Matches evaluates the match conditions of h.
func (h *Hook) Matches(ctx context.Context, in *condition.Input) (condition.Outcome, error) {
	return h.environment.Evaluate(ctx, h.Conditions, in)
}

func is(value *string, want string) bool { return value != nil && *value == want }

// A labelSelector is a LabelSelector of meta/v1.
type labelSelector struct {
	MatchLabels      map[string]string `json:"matchLabels"`
	MatchExpressions []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"matchExpressions"`
}

// labels is a label selector, or the error of an invalid one.
type labels struct {
	query.Labels
	err error
}

// compile returns the selector. Nil selects everything, as an empty one does.
func (s *labelSelector) compile() labels {
	if s == nil {
		return labels{}
	}
	var requirements []string
	add := func(text, key string, values ...string) error {
		for _, messages := range append([][]string{format.QualifiedName(key)}, mapStrings(values, format.LabelValue)...) {
			if messages != nil {
				return errors.New(strings.Join(messages, "; "))
			}
		}
		requirements = append(requirements, text)
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		if err := add(key+"="+s.MatchLabels[key], key, s.MatchLabels[key]); err != nil {
			return labels{err: err}
		}
	}
	for _, e := range s.MatchExpressions {
		text, known := query.Requirement(e.Key, e.Operator, e.Values)
		if !known {
			return labels{err: fmt.Errorf("%q is not a valid label selector operator", e.Operator)}
		}
		if err := add(text, e.Key, e.Values...); err != nil {
			return labels{err: err}
		}
	}
	parsed, err := query.ParseLabels(strings.Join(requirements, ","))
	return labels{parsed, err}
}

func mapStrings[T any](in []string, f func(string) T) []T {
	out := make([]T, len(in))
	for i, s := range in {
		out[i] = f(s)
	}
	return out
}
