package server

import (
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/rbac"
)

// This file checks roles and bindings. A server reports a missing name and missing verbs after all other mistakes.

func checkRole(c *checks, obj, _ map[string]any) {
	at, rules := field.NewPath("rules"), listAt(obj, "rules")
	namespaced := text(obj, "kind") == "Role"
	for i := range rules {
		rule, _ := rules[i].(map[string]any)
		c.rule(at.Index(i), rule, namespaced)
	}
	if aggregation := mapAt(obj, "aggregationRule"); aggregation != nil {
		at, selectors := field.NewPath("aggregationRule", "clusterRoleSelectors"), listAt(aggregation, "clusterRoleSelectors")
		if len(selectors) == 0 {
			c.add(field.Required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
		}
		for i := range selectors {
			selector, _ := selectors[i].(map[string]any)
			if errs := hooks.CheckSelector(selector, at.Index(i)); len(errs) > 0 {
				c.errs.Append(errs...)
				c.add(field.Invalid(at.Index(i), nil, "invalid label selector."))
			}
		}
	}
	for i := range rules {
		rule, _ := rules[i].(map[string]any)
		c.required(at.Index(i).Child("verbs"), rule["verbs"], "")
	}
}

// rule checks a rule, but not that it has verbs.
func (c *checks) rule(at *field.Path, rule map[string]any, namespaced bool) {
	urls, groups, resources := listAt(rule, "nonResourceURLs"), listAt(rule, "apiGroups"), listAt(rule, "resources")
	if len(urls) == 0 {
		c.required(at.Child("apiGroups"), rule["apiGroups"], "resource rules must supply at least one api group")
		c.required(at.Child("resources"), rule["resources"], "resource rules must supply at least one resource")
		return
	}
	if at = at.Child("nonResourceURLs"); namespaced {
		c.add(field.Invalid(at, urls, "namespaced rules cannot apply to non-resource URLs"))
	}
	if len(groups) > 0 || len(resources) > 0 || len(listAt(rule, "resourceNames")) > 0 {
		c.add(field.Invalid(at, urls, "rules cannot apply to both regular resources and non-resource URLs"))
	}
}

func checkBinding(c *checks, obj, old map[string]any) {
	at, ref, kinds := field.NewPath("roleRef"), mapAt(obj, "roleRef"), []string{"Role", "ClusterRole"}
	clustered := text(obj, "kind") == "ClusterRoleBinding"
	if clustered {
		kinds = kinds[1:]
	}
	if group := text(ref, "apiGroup"); group != rbac.Group {
		c.add(field.NotSupported(at.Child("apiGroup"), group, rbac.Group))
	}
	if kind := text(ref, "kind"); !slices.Contains(kinds, kind) {
		c.add(field.NotSupported(at.Child("kind"), kind, kinds...))
	}
	if name := text(ref, "name"); name != "" {
		c.named(at.Child("name"), name, format.PathSegment)
	}
	subjects, list := field.NewPath("subjects"), listAt(obj, "subjects")
	for i := range list {
		subject, _ := list[i].(map[string]any)
		c.subject(subjects.Index(i), subject, clustered)
	}
	if old != nil && !jsonval.Equal(obj["roleRef"], old["roleRef"]) {
		// A server prints the names of the fields of its Go type.
		value := map[string]any{"APIGroup": text(ref, "apiGroup"), "Kind": text(ref, "kind"), "Name": text(ref, "name")}
		c.add(field.Invalid(at, value, immutable))
	}
	for i := range list {
		subject, _ := list[i].(map[string]any)
		c.required(subjects.Index(i).Child("name"), subject["name"], "")
	}
	c.required(at.Child("name"), ref["name"], "")
}

// subject checks a subject of a binding, but not that it has a name.
func (c *checks) subject(at *field.Path, subject map[string]any, clustered bool) {
	group, kind, name := text(subject, "apiGroup"), text(subject, "kind"), text(subject, "name")
	switch kind {
	case "ServiceAccount":
		if name != "" {
			c.named(at.Child("name"), name, format.DNS1123Subdomain)
		}
		if group != "" {
			c.add(field.NotSupported(at.Child("apiGroup"), group, ""))
		}
		if clustered {
			c.required(at.Child("namespace"), subject["namespace"], "")
		}
	case "User", "Group":
		if group != rbac.Group {
			c.add(field.NotSupported(at.Child("apiGroup"), group, rbac.Group))
		}
	default:
		c.add(field.NotSupported(at.Child("kind"), kind, "ServiceAccount", "User", "Group"))
	}
}

// named reports what is wrong with a name.
func (c *checks) named(at *field.Path, name string, check func(string) []string) {
	for _, message := range check(name) {
		c.add(field.Invalid(at, name, message))
	}
}
