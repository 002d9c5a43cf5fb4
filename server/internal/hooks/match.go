package hooks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Request is a write, as far as webhooks and policies are chosen by it.
type Request struct {
	Operation string
	Group     string
	Version   string
	Resource  string // plural
	Sub       string // the subresource; empty: none
	Name      string // of the object; empty: it is still to be generated
	Namespace string // that of the object; for a Namespace, its own name

	// Equivalents are the other versions in which the resource is served.
	Equivalents []string
	// Object and Old are the objects whose labels count; nil: none.
	Object, Old map[string]any
	// NamespaceLabels returns the labels of the namespace.
	NamespaceLabels func() (map[string]any, *field.Status)
}

// Exempt reports whether the request is for a configuration of admission itself. No stored webhook is called for it, so
// that a wrong configuration can be mended.
func (r *Request) Exempt() bool {
	return r.Group == Group && strings.HasSuffix(r.Resource, "webhookconfigurations") || r.ExemptFromPolicies()
}

// ExemptFromPolicies reports whether the request is for an admission policy or a binding. No policy counts for it.
func (r *Request) ExemptFromPolicies() bool {
	return r.Group == Group && (strings.HasSuffix(r.Resource, "admissionpolicies") || strings.HasSuffix(r.Resource, "admissionpolicybindings"))
}

// Criteria say for which requests a webhook, a policy or a binding counts.
type Criteria struct {
	Rules   []Rule
	All     bool   // all requests match, whatever the rules
	Exclude []Rule // no request that one of them matches
	Exact   bool   // matchPolicy Exact: other versions of a resource do not match

	namespaces, objects labels
}

// Match reports whether c matches a request, and with which version of the resource. A refusal, because of a selector or
// of the namespace, counts only for a request that c would match.
func (c *Criteria) Match(r *Request) (version string, matches bool, refused *field.Status) {
	if version, matches = c.version(c.Rules, r); !matches && !c.All {
		return "", false, nil
	}
	if _, excluded := c.version(c.Exclude, r); excluded {
		return "", false, nil
	}
	if c.objects.err == nil && !c.objects.selects(r.Object) && !c.objects.selects(r.Old) {
		return "", false, nil
	}
	if matches, refused = c.inNamespace(r); refused != nil || !matches {
		return "", false, refused
	}
	if c.objects.err != nil {
		return "", false, refusal.Internal(c.objects.err)
	}
	return cmp.Or(version, r.Version), true, nil
}

// version returns the version of the resource for which a rule matches.
func (c *Criteria) version(rules []Rule, r *Request) (string, bool) {
	for i := range rules {
		if rules[i].matches(r, r.Version) {
			return r.Version, true
		}
	}
	if c.Exact {
		return "", false
	}
	for i := range rules {
		for _, other := range r.Equivalents {
			if rules[i].matches(r, other) {
				return other, true
			}
		}
	}
	return "", false
}

// Concerns reports whether a rule names a resource, or all.
func (c *Criteria) Concerns(group, resource string) bool {
	return c.All || slices.ContainsFunc(c.Rules, func(r Rule) bool {
		return has(r.Groups, group) && slices.ContainsFunc(r.Resources, func(of string) bool {
			of, _, _ = strings.Cut(of, "/")
			return of == "*" || of == resource
		})
	})
}

func (r *Rule) matches(q *Request, version string) bool {
	namespace := q.Group == "" && q.Resource == "namespaces"
	switch cluster := namespace || q.Namespace == ""; {
	case is(r.Scope, namespacedScope) && cluster, is(r.Scope, clusterScope) && !cluster:
		return false
	}
	if len(r.Names) > 0 && !slices.Contains(r.Names, q.Name) {
		return false
	}
	return has(r.Operations, q.Operation) && has(r.Groups, q.Group) && has(r.Versions, version) &&
		slices.ContainsFunc(r.Resources, func(of string) bool {
			resource, sub, _ := strings.Cut(of, "/")
			return (resource == "*" || resource == q.Resource) && (sub == "*" || sub == q.Sub)
		})
}

// has reports whether a list has the value or "*".
func has(list []string, value string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, value)
}

// inNamespace applies the namespaceSelector. It does not exclude objects outside of namespaces, except namespaces.
func (c *Criteria) inNamespace(r *Request) (bool, *field.Status) {
	switch {
	case r.Namespace == "" && r.Resource != "namespaces":
		return true, nil
	case c.namespaces.err != nil:
		return false, refusal.Internal(c.namespaces.err)
	case c.namespaces.Empty():
		return true, nil
	}
	found, refused := r.NamespaceLabels()
	return refused == nil && c.namespaces.Matches(found), refused
}

// selects reports whether an object is selected. Nil is selected by an empty selector only.
func (l *labels) selects(obj map[string]any) bool {
	return l.Empty() || obj != nil && l.Matches(query.LabelsOf(obj))
}
