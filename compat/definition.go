package compat

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/kubeversion"
)

// compareDefinitions compares what is not about objects: whether a server accepts the update, and what clients know
// about the definition.
func (c *comparer) compareDefinitions(old, new *crd.CustomResourceDefinition) {
	refused := map[string]bool{} // paths
	for _, e := range c.refusals(manifest.ReplaceDefinition(new, old)) {
		refused[e.Field] = true
		c.addBreak("", e.Field, updateCheck(e.Field), "A server refuses the update: "+cut(e.Error(), maxRefusal), "", "")
	}
	c.compareNames(&old.Spec, &new.Spec, refused)
	before, after, was, is := old.Lookup(), new.Lookup(), servedNames(old), servedNames(new)
	for i := range old.Spec.Versions {
		name := old.Spec.Versions[i].Name
		switch {
		case was[name] && !is[name]:
			c.addBreak(name, "", "servedVersionRemoval", "The version is not served any longer.", "served", "not served")
		case was[name]:
			c.compareVersionSettings(before, after, name)
		}
	}
	exists := map[string]bool{}
	for i := range new.Spec.Versions {
		exists[new.Spec.Versions[i].Name] = true
	}
	stored := old.Status.StoredVersions
	if len(stored) == 0 {
		if name, err := old.StorageVersion(); err == nil {
			stored = []string{name}
		}
	}
	for _, name := range stored {
		if !exists[name] {
			c.addBreak(name, "", "storedVersionRemoval", "Objects may be stored in a version that is gone.", "stored", "gone")
		}
	}
}

// refusals returns the errors of an update of the definition.
func (c *comparer) refusals(new, old *crd.CustomResourceDefinition) field.List {
	if c.options.Kubernetes == "" {
		return crdcheck.ValidateUpdate(new, old)
	}
	v, err := kubeversion.CheckUpdate(new, old, c.options.Kubernetes)
	if err != nil {
		return nil // Invariant: the definitions are compiled for that version
	}
	return v.Errors
}

// updateCheck returns the check for the path of an error of the update.
func updateCheck(path string) string {
	switch {
	case strings.HasPrefix(path, "status.storedVersions"):
		return "storedVersionRemoval"
	case strings.HasPrefix(path, "spec.scope"):
		return "scope"
	case path == "spec.group":
		return "group"
	case strings.HasPrefix(path, "spec.names"):
		return "names"
	}
	return "update"
}

// addBreak adds a finding about the definition. version is empty if it is about all of them.
func (c *comparer) addBreak(version, path, check, detail, before, after string) {
	c.add(Finding{Verdict: Breaks, Request: requestDefinition, Version: version, Path: path, Check: check, Detail: detail, Before: short(before), After: short(after)})
}

// maxRefusal is how many characters of a server's refusal are quoted. Only a value in it can be that long.
const maxRefusal = 2000

// compareNames compares the scope, the group and the names of resources, except what a server refuses to change.
func (c *comparer) compareNames(old, new *crd.Spec, refused map[string]bool) {
	a, b := &old.Names, &new.Names
	for _, n := range []struct{ path, check, detail, before, after string }{
		{"spec.scope", "scope", "The scope changes.", old.Scope, new.Scope},
		{"spec.group", "group", "The group changes.", old.Group, new.Group},
		{"spec.names.plural", "names", "A name changes.", a.Plural, b.Plural},
		{"spec.names.singular", "names", "A name changes.", a.Singular, b.Singular},
		{"spec.names.kind", "names", "A name changes.", a.Kind, b.Kind},
		{"spec.names.listKind", "names", "A name changes.", a.ListKind, b.ListKind},
	} {
		if n.before != n.after && !refused[n.path] {
			c.addBreak("", n.path, n.check, n.detail, n.before, n.after)
		}
	}
	for _, n := range []struct {
		path          string
		before, after []string
	}{{"shortNames", a.ShortNames, b.ShortNames}, {"categories", a.Categories, b.Categories}} {
		after := map[string]bool{}
		for _, name := range n.after {
			after[name] = true
		}
		for _, name := range n.before {
			if !after[name] {
				c.addBreak("", "spec.names."+n.path, "names", "A name is gone.", name, "none")
			}
		}
	}
}

// compareVersionSettings compares the subresources and selectable fields of a version that both definitions serve.
func (c *comparer) compareVersionSettings(before, after *crd.Lookup, name string) {
	a, _ := before.Subresources(name) // Invariant: both definitions compile, so that there is no error
	b, _ := after.Subresources(name)
	switch {
	case a.Status != nil && b.Status == nil:
		c.addBreak(name, "subresources.status", "subresource",
			"The status subresource is gone: clients that update it fail, and other requests may change the status.",
			"there", "none")
	case a.Status == nil && b.Status != nil:
		c.addBreak(name, "subresources.status", "subresource",
			"There is a status subresource now: other requests cannot change the status any longer.", "none", "there")
	}
	if before, after := scaleText(a.Scale), scaleText(b.Scale); a.Scale != nil && before != after {
		c.addBreak(name, "subresources.scale", "subresource",
			"The scale subresource is gone or has other paths.", before, after)
	}
	was, _ := before.SelectableFields(name)
	is, _ := after.SelectableFields(name)
	selectable := map[crd.SelectableField]bool{}
	for _, f := range is {
		selectable[f] = true
	}
	for _, f := range was {
		if !selectable[f] {
			c.addBreak(name, "selectableFields", "selectableField", "A field can no longer be selected.", f.JSONPath, "none")
		}
	}
}

// scaleText returns the paths of a scale subresource, or "none".
func scaleText(s *crd.SubresourceScale) string {
	if s == nil {
		return "none"
	}
	selector := ""
	if s.LabelSelectorPath != nil {
		selector = *s.LabelSelectorPath
	}
	return strings.TrimSpace(fmt.Sprint(s.SpecReplicasPath, " ", s.StatusReplicasPath, " ", selector))
}
