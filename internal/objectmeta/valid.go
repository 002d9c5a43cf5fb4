package objectmeta

import (
	"unicode"

	"github.com/crdkit/crdkit/internal/names"
)

// This file has the verdicts of the rules, without errors and without allocations: conversion and rules in one walk over what is there.

// ValidCreate reports whether [ValidateCreate] finds nothing, with either rule for names: both are asked on create. It allocates
// nothing if the times and the fieldsV1 of meta are as [Read] writes them.
//
// Clauses: MET-000 to MET-009, MET-012.
func ValidCreate(meta map[string]any, namespaced bool) bool {
	var j judge
	return j.members(meta) && j.bothNames() && j.namespace(namespaced)
}

// ValidUpdate reports whether an update finds nothing: neither [ValidateUpdate], nor [ValidateCreate] with the rule [PathSegment]. It
// allocates nothing if the times and the fieldsV1 of meta and old are as [Read] writes them, and old has few finalizers.
//
// Clauses: MET-000, MET-002 to MET-012.
func ValidUpdate(meta, old map[string]any, namespaced bool) bool {
	var j judge
	return j.members(meta) && j.name(PathSegment, true) && j.namespace(namespaced) &&
		conversionError(old) == nil && validChange(meta, old)
}

// validEmbedded judges the metadata of an embedded resource, as Read returned it. It is not converted again.
func validEmbedded(meta map[string]any) bool {
	j := judge{read: true}
	return j.members(meta) && j.name(PathSegment, false) && j.namespace(j.inNamespace != "")
}

// A judge keeps the members that are judged last: whether they are needed depends on others, or on who asks.
type judge struct {
	named, generateName, inNamespace string

	read bool // Times are in order, whatever they look like.
}

// members judges everything else in meta, and all types.
func (j *judge) members(meta map[string]any) bool {
	for k, v := range meta {
		if !j.member(k, v) {
			return false
		}
	}
	return true
}

func (j *judge) member(k string, v any) (ok bool) {
	switch k {
	case "name":
		j.named, ok = asText(v)
	case "generateName":
		j.generateName, ok = asText(v)
	case "namespace":
		j.inNamespace, ok = asText(v)
	case "uid", "selfLink", "resourceVersion":
		_, ok = asText(v)
	case "generation":
		ok = asInteger(v) && integer(v) >= 0
	case "deletionGracePeriodSeconds":
		ok = asInteger(v)
	case "creationTimestamp", "deletionTimestamp":
		ok = j.read || asTime(v)
	case "labels":
		ok = validLabels(v)
	case "annotations":
		ok = validAnnotations(v)
	case "ownerReferences":
		ok = validOwners(v)
	case "finalizers":
		ok = validFinalizers(v)
	case "managedFields":
		ok = j.validManagedFields(v)
	default:
		ok = true
	}
	return ok
}

func (j *judge) name(rule NameRule, required bool) bool {
	switch {
	case j.generateName != "" && !rule.validPrefix(j.generateName):
		return false
	case j.named != "":
		return rule.valid(j.named)
	case j.generateName != "" && required:
		return rule.validGenerated(j.generateName)
	}
	return !required
}

// bothNames judges by both rules. A name that is a subdomain is a path segment; what a subdomain begins with need not be one.
func (j *judge) bothNames() bool {
	return j.name(Subdomain, true) && (j.generateName == "" || j.name(PathSegment, true))
}

func (j *judge) namespace(namespaced bool) bool {
	if namespaced {
		return names.IsDNS1123Label(j.inNamespace)
	}
	return j.inNamespace == ""
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

// asText returns the string that v is, and whether v converts to one.
func asText(v any) (s string, ok bool) {
	s, ok = v.(string)
	return s, ok || v == nil
}

func asInteger(v any) bool {
	var c converter
	c.integer(v)
	return c.err == nil
}

func asBoolean(v any) bool {
	_, ok := v.(bool)
	return ok || v == nil
}

func asTime(v any) bool {
	if canonicalTime(v) {
		return true
	}
	var c converter
	c.time(v)
	return c.err == nil
}

func asJSON(v any) bool {
	var c converter
	c.json(v)
	return c.err == nil
}

func validLabels(v any) bool {
	labels, ok := v.(map[string]any)
	for k, v := range labels {
		s, ok := asText(v)
		if !ok || !names.IsQualifiedName(k) || !names.IsLabelValue(s) {
			return false
		}
	}
	return ok || v == nil
}

func validAnnotations(v any) bool {
	annotations, ok := v.(map[string]any)
	size := 0
	for k, v := range annotations {
		s, ok := asText(v)
		if !ok || !names.IsQualifiedNameFold(k) {
			return false
		}
		size += len(k) + len(s)
	}
	return (ok || v == nil) && size <= maxAnnotations
}

func validOwners(v any) bool {
	owners, ok := v.([]any)
	controllers := 0
	for _, v := range owners {
		m := object(v) // One that is no object lacks everything.
		kind := text(m["kind"])
		group, version, err := GroupVersion(text(m["apiVersion"]))
		if err != nil || version == "" || kind == "" || text(m["name"]) == "" || text(m["uid"]) == "" ||
			isEvent(group, version, kind) || !asBoolean(m["controller"]) || !asBoolean(m["blockOwnerDeletion"]) {
			return false
		}
		if isTrue(m["controller"]) {
			controllers++
		}
	}
	return (ok || v == nil) && controllers < 2
}

func validFinalizers(v any) bool {
	finalizers, ok := v.([]any)
	orphan, foreground := false, false
	for _, v := range finalizers {
		f := text(v) // One that is no text is an empty name.
		if !names.IsQualifiedName(f) {
			return false
		}
		orphan = orphan || f == orphanFinalizer
		foreground = foreground || f == foregroundFinalizer
	}
	return (ok || v == nil) && (!orphan || !foreground)
}

func (j *judge) validManagedFields(v any) bool {
	entries, ok := v.([]any)
	for _, v := range entries {
		m := object(v) // One that is no object has no operation.
		operation := text(m["operation"])
		fieldsType, typed := asText(m["fieldsType"])
		manager, managed := asText(m["manager"])
		subresource, placed := asText(m["subresource"])
		_, versioned := asText(m["apiVersion"])
		if operation != applyOperation && operation != updateOperation || fieldsType != "" && fieldsType != fieldsV1 ||
			len(manager) > maxManager || len(subresource) > maxSubresource ||
			!typed || !managed || !placed || !versioned || !j.read && !asTime(m["time"]) || !asJSON(m["fieldsV1"]) {
			return false
		}
		for _, r := range manager {
			if !unicode.IsPrint(r) {
				return false
			}
		}
	}
	return ok || v == nil
}

// validChange judges what only an update can break. Both convert.
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
	had := finalizersOf(old)
	for _, v := range list(meta["finalizers"]) {
		if !had.has(text(v)) {
			return true
		}
	}
	return false
}
