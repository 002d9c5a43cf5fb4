package crdlint

import (
	"time"

	"github.com/crdkit/crdkit/crd"
)

var conflictingNames = Lint{
	Name: "conflicting-names", Severity: Warning, Title: "names that a server does not accept",
	Why: "A server stores the definition, and then sets the condition NamesAccepted to False: a new definition is not served at all, " +
		"and an old one keeps its old names.",
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
	// A new definition gets all its names at once. One that is there already has a plural and a singular that are in use
	// when it gets its short names.
	without := fresh
	without.Spec.Names.ShortNames = nil
	fresh.Status = without.Settle(others, time.Time{})
	l.addConflict(fresh.Settle(others, time.Time{}), " if the short names are added to a definition that is there")
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
