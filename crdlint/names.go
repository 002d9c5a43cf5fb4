package crdlint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/crd"
)

var conflictingNames = Lint{
	Name: "conflicting-names", Severity: Warning, Title: "names that a server does not accept",
	Why: "A server stores the definition, and then sets the condition NamesAccepted to False: a new definition " +
		"is not served at all, and an old one keeps its old names.",
	check: checkConflictingNames,
}

func checkConflictingNames(l *linter) {
	var others []*crd.CustomResourceDefinition
	for _, o := range l.opts.Others {
		if o == nil || o.Spec.Group != l.d.Spec.Group || o.Name() == l.d.Name() {
			continue
		}
		if o.Status.AcceptedNames.Plural == "" { // it is from a file
			accepted := crd.CustomResourceDefinition{APIVersion: o.APIVersion, Metadata: o.Metadata}
			accepted.Spec.Group, accepted.Spec.Names, accepted.Status.AcceptedNames = o.Spec.Group, o.Spec.Names, o.Spec.Names
			o = &accepted
		}
		others = append(others, o)
	}
	fresh := *l.d
	fresh.Status = crd.Status{}
	if l.addConflict(fresh.Settle(others, time.Time{}), "") {
		return
	}
	// A new definition gets all its names at once. An existing one has a plural and a singular that are in use
	// when it gets its short names.
	without := fresh
	without.Spec.Names.ShortNames = nil
	fresh.Status = without.Settle(others, time.Time{})
	l.addConflict(fresh.Settle(others, time.Time{}), " if the short names are added to an existing definition")
}

// addConflict adds a finding if a server does not accept the names, and reports whether it does not.
func (l *linter) addConflict(s crd.Status, when string) bool {
	d := crd.CustomResourceDefinition{Status: s}
	c := d.Condition(crd.NamesAccepted)
	if c == nil || c.Status == "True" {
		return false
	}
	at := map[string]string{
		"PluralConflict": "plural", "SingularConflict": "singular", "ShortNamesConflict": "shortNames", "KindConflict": "kind",
		"ListKindConflict": "listKind",
	}[c.Reason]
	l.add("spec.names."+at, nil, "use another name", "the condition NamesAccepted becomes False%s: %s: %s", when, c.Reason, c.Message)
	return true
}

var ambiguousName = Lint{
	Name: "ambiguous-name", Severity: Note, Title: "a name that kubectl reads as another resource",
	Why: "kubectl get takes a name that two groups have for the resource of Kubernetes itself, or of the group " +
		"that is first by name, and a category before all names. The other resource needs its full name: " +
		"widgets.example.org.",
	check: checkAmbiguousNames,
}

// builtIn has the plurals, singulars and short names of the resources of Kubernetes itself.
const builtIn = " bindings componentstatuses componentstatus cs configmaps configmap cm endpoints ep events " +
	"event ev limitranges limitrange limits namespaces namespace ns nodes node no persistentvolumeclaims " +
	"persistentvolumeclaim pvc persistentvolumes persistentvolume pv pods pod po podtemplates podtemplate " +
	"replicationcontrollers replicationcontroller rc resourcequotas resourcequota quota secrets secret " +
	"serviceaccounts serviceaccount sa services service svc mutatingwebhookconfigurations " +
	"validatingwebhookconfigurations validatingadmissionpolicies customresourcedefinitions " +
	"customresourcedefinition crd crds apiservices apiservice controllerrevisions controllerrevision daemonsets " +
	"daemonset ds deployments deployment deploy replicasets replicaset rs statefulsets statefulset sts " +
	"horizontalpodautoscalers horizontalpodautoscaler hpa cronjobs cronjob cj jobs job " +
	"certificatesigningrequests certificatesigningrequest csr leases lease endpointslices endpointslice " +
	"ingressclasses ingressclass ingresses ingress ing networkpolicies networkpolicy netpol poddisruptionbudgets " +
	"poddisruptionbudget pdb clusterrolebindings clusterrolebinding clusterroles clusterrole rolebindings " +
	"rolebinding roles role priorityclasses priorityclass pc csidrivers csidriver csinodes csinode " +
	"storageclasses storageclass sc volumeattachments volumeattachment "

func isBuiltIn(name string) bool { return name != "" && strings.Contains(builtIn, " "+name+" ") }

// maxNames is how many names and categories of a definition are compared.
const maxNames = 100

func checkAmbiguousNames(l *linter) {
	if l.d.Spec.Group == "" {
		return
	}
	names := l.d.Spec.Names
	shorts := names.ShortNames[:min(len(names.ShortNames), maxNames)]
	categories := names.Categories[:min(len(names.Categories), maxNames)]
	other := map[string]string{names.Plural: "", singularOf(&names): ""} // the definition of another group that has a name
	for _, name := range slices.Concat(shorts, categories) {
		other[name] = ""
	}
	for _, o := range l.opts.Others {
		if o == nil || o.Spec.Group == l.d.Spec.Group {
			continue
		}
		for _, name := range append([]string{o.Spec.Names.Plural, singularOf(&o.Spec.Names)},
			o.Spec.Names.ShortNames[:min(len(o.Spec.Names.ShortNames), maxNames)]...) {
			if _, ok := other[name]; ok {
				other[name] = o.Name()
			}
		}
	}
	var texts []string
	check := func(what, name string) {
		switch {
		case isBuiltIn(name):
			texts = append(texts, fmt.Sprintf("the %s %s is a name of a resource of Kubernetes", what, name))
		case other[name] != "":
			texts = append(texts, fmt.Sprintf("the %s %s is a name of %s", what, name, other[name]))
		}
	}
	check("plural", names.Plural)
	if singular := singularOf(&names); singular != names.Plural {
		check("singular", singular)
	}
	for _, name := range shorts {
		check("short name", name)
	}
	for _, category := range categories {
		if category == names.Plural || category == singularOf(&names) || slices.Contains(shorts, category) {
			texts = append(texts, fmt.Sprintf("the category %s is also a name of the resource", category))
		} else {
			check("category", category)
		}
	}
	if len(texts) > 0 && l.more() {
		l.add("spec.names", nil, "use other names, or tell users the full name: "+l.d.Name(), "%s",
			strings.Join(texts[:min(len(texts), maxListed)], "; "))
	}
}

// singularOf returns the singular, which is the kind in lower case by default.
func singularOf(names *crd.Names) string {
	if names.Singular != "" {
		return names.Singular
	}
	return strings.ToLower(names.Kind)
}
