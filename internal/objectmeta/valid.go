package objectmeta

import (
	"unicode"

	"github.com/crdkit/crdkit/internal/names"
)

// This file has the verdicts of the rules, without errors and without allocations.

// ValidCreate reports whether [ValidateCreate] finds nothing, with either rule for names: both are asked on create. It allocates
// nothing.
//
// Clauses: MET-000 to MET-009, MET-012.
func ValidCreate(meta map[string]any, namespaced bool) bool {
	return conversionError(meta) == nil && validName(meta, Subdomain, true) && validName(meta, PathSegment, true) &&
		validOnCreate(meta, namespaced)
}

// ValidUpdate reports whether an update finds nothing: neither [ValidateUpdate], nor [ValidateCreate] with the rule [PathSegment]. It
// allocates nothing.
//
// Clauses: MET-000, MET-002 to MET-012.
func ValidUpdate(meta, old map[string]any, namespaced bool) bool {
	return conversionError(meta) == nil && conversionError(old) == nil && validName(meta, PathSegment, true) &&
		validOnCreate(meta, namespaced) && validChange(meta, old)
}

func (r NameRule) valid(name string) bool {
	if r == Subdomain {
		return names.IsDNS1123Subdomain(name)
	}
	return names.IsPathSegment(name)
}

func (r NameRule) validPrefix(prefix string) bool {
	if r == Subdomain {
		return names.IsDNS1123SubdomainPrefix(prefix)
	}
	return names.IsPathSegmentPrefix(prefix)
}

// validGenerated reports whether the rule takes the names that the server makes of a generateName.
func (r NameRule) validGenerated(prefix string) bool {
	prefix = prefix[:min(len(prefix), maxGeneratedPrefix)]
	if r == Subdomain {
		return names.BeginsDNS1123Subdomain(prefix)
	}
	return names.IsPathSegmentPrefix(prefix)
}

func validName(meta map[string]any, rule NameRule, required bool) bool {
	name, prefix := text(meta["name"]), text(meta["generateName"])
	switch {
	case prefix != "" && !rule.validPrefix(prefix):
		return false
	case name != "":
		return rule.valid(name)
	case prefix != "" && required:
		return rule.validGenerated(prefix)
	}
	return !required
}

// validOnCreate judges what follows the name.
func validOnCreate(meta map[string]any, namespaced bool) bool {
	namespace := text(meta["namespace"])
	return (namespaced && names.IsDNS1123Label(namespace) || !namespaced && namespace == "") &&
		integer(meta["generation"]) >= 0 &&
		validLabels(object(meta["labels"])) &&
		validAnnotations(object(meta["annotations"])) &&
		validOwners(list(meta["ownerReferences"])) &&
		validFinalizers(list(meta["finalizers"])) &&
		validManagedFields(list(meta["managedFields"]))
}

func validLabels(labels map[string]any) bool {
	for k, v := range labels {
		if !names.IsQualifiedName(k) || !names.IsLabelValue(text(v)) {
			return false
		}
	}
	return true
}

func validAnnotations(annotations map[string]any) bool {
	size := 0
	for k, v := range annotations {
		if !names.IsQualifiedNameFold(k) {
			return false
		}
		size += len(k) + len(text(v))
	}
	return size <= maxAnnotations
}

func validOwners(owners []any) bool {
	controllers := 0
	for _, v := range owners {
		m := object(v)
		kind := text(m["kind"])
		group, version, err := GroupVersion(text(m["apiVersion"]))
		if err != nil || version == "" || kind == "" || text(m["name"]) == "" || text(m["uid"]) == "" ||
			isEvent(group, version, kind) {
			return false
		}
		if isTrue(m["controller"]) {
			controllers++
		}
	}
	return controllers < 2
}

func validFinalizers(finalizers []any) bool {
	orphan, foreground := false, false
	for _, v := range finalizers {
		f := text(v)
		if !names.IsQualifiedName(f) {
			return false
		}
		orphan = orphan || f == orphanFinalizer
		foreground = foreground || f == foregroundFinalizer
	}
	return !orphan || !foreground
}

func validManagedFields(entries []any) bool {
	for _, v := range entries {
		m := object(v)
		operation, fieldsType, manager := text(m["operation"]), text(m["fieldsType"]), text(m["manager"])
		if operation != applyOperation && operation != updateOperation || fieldsType != "" && fieldsType != fieldsV1 ||
			len(manager) > maxManager || len(text(m["subresource"])) > maxSubresource {
			return false
		}
		for _, r := range manager {
			if !unicode.IsPrint(r) {
				return false
			}
		}
	}
	return true
}

// validChange judges what only an update can break.
func validChange(meta, old map[string]any) bool {
	const grace = "deletionGracePeriodSeconds"
	return text(meta["name"]) == text(old["name"]) && text(meta["namespace"]) == text(old["namespace"]) &&
		!uidChanged(text(meta["uid"]), text(old["uid"])) &&
		(text(meta["resourceVersion"]) != "" || text(old["resourceVersion"]) == "") &&
		integer(meta["generation"]) >= integer(old["generation"]) &&
		instant(meta["creationTimestamp"]) == instant(old["creationTimestamp"]) &&
		instant(meta["deletionTimestamp"]) == instant(old["deletionTimestamp"]) &&
		(meta[grace] == nil) == (old[grace] == nil) && integer(meta[grace]) == integer(old[grace]) &&
		(instant(old["deletionTimestamp"]) == "" || !addsFinalizers(meta, old))
}

func addsFinalizers(meta, old map[string]any) bool {
	for _, v := range list(meta["finalizers"]) {
		if !hasFinalizer(old, text(v)) {
			return true
		}
	}
	return false
}
