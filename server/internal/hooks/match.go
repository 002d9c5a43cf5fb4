package hooks

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Request is a write, as far as webhooks are chosen by it.
type Request struct {
	Operation string
	Group     string
	Version   string
	Resource  string // plural
	Sub       string // the subresource; empty: none
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
	return r.Group == Group && (strings.HasSuffix(r.Resource, "webhookconfigurations") ||
		strings.HasSuffix(r.Resource, "admissionpolicies") || strings.HasSuffix(r.Resource, "admissionpolicybindings"))
}

// Match reports whether h is called for a request, before its conditions are evaluated, and with which version of the
// resource.
func (h *Hook) Match(r *Request) (version string, matches bool, refused *field.Status) {
	version, matches = h.version(r)
	if !matches {
		return "", false, nil
	}
	// A refusal counts only for a webhook that would be called.
	if matches, refused = h.inNamespace(r); refused != nil || !matches {
		return "", false, refused
	}
	if h.objects.err != nil {
		return "", false, refusal.Internal(h.objects.err)
	}
	if !h.objects.selects(r.Object) && !h.objects.selects(r.Old) {
		return "", false, nil
	}
	return version, true, nil
}

// version returns the version of the resource for which a rule matches.
func (h *Hook) version(r *Request) (string, bool) {
	for i := range h.Rules {
		if h.Rules[i].matches(r, r.Version) {
			return r.Version, true
		}
	}
	if h.Exact {
		return "", false
	}
	for i := range h.Rules {
		for _, other := range r.Equivalents {
			if h.Rules[i].matches(r, other) {
				return other, true
			}
		}
	}
	return "", false
}

// Concerns reports whether a rule names a resource, or all.
func (h *Hook) Concerns(group, resource string) bool {
	return slices.ContainsFunc(h.Rules, func(r Rule) bool {
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
func (h *Hook) inNamespace(r *Request) (bool, *field.Status) {
	switch {
	case r.Namespace == "" && r.Resource != "namespaces":
		return true, nil
	case h.namespaces.err != nil:
		return false, refusal.Internal(h.namespaces.err)
	case h.namespaces.Empty():
		return true, nil
	}
	found, refused := r.NamespaceLabels()
	return refused == nil && h.namespaces.Matches(found), refused
}

// selects reports whether an object is selected. Nil is selected by an empty selector only.
func (l *labels) selects(obj map[string]any) bool {
	return l.Empty() || obj != nil && l.Matches(query.LabelsOf(obj))
}
