package objectmeta

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/names"
)

// AppendFinalizerWarnings appends the warnings about the finalizers that meta has and old does not have, sorted by finalizer: first those
// about its syntax, then the one about a missing domain. On create, old is nil. Updates of the status have no such warnings.
//
// Warnings beyond the limit are counted, and a last one has their number.
//
// Without warnings it allocates nothing, unless old has many finalizers. A single warning has two allocations: its text and the list.
//
// Clause: STR-016.
func AppendFinalizerWarnings(warnings []string, meta, old map[string]any, limit field.Limit) []string {
	var few [4]string
	found := few[:0]
	had := finalizersOf(old)
	for _, v := range list(meta["finalizers"]) {
		if f := text(v); !goodFinalizer(f) && !had.has(f) {
			found = append(found, f)
		}
	}
	slices.Sort(found)
	most := limit.OrDefault()
	omitted := 0
	for _, f := range slices.Compact(found) {
		var room [128]byte
		quoted := strconv.AppendQuote(room[:0], f)
		warn := func(message string) {
			most.Errors--
			most.Bytes -= len(quoted) + len(message)
			if omitted > 0 || most.Errors < 0 || most.Bytes < 0 {
				omitted++
				return
			}
			warnings = append(warnings, "metadata.finalizers: "+string(quoted)+": "+message)
		}
		for _, message := range names.QualifiedName(f) {
			warn(message)
		}
		switch {
		case qualifiedFinalizer(f):
		case strings.Contains(f, "."):
			warn(finalizerWithoutPath)
		default:
			warn(finalizerWithoutDomain)
		}
	}
	if omitted > 0 {
		warnings = append(warnings, errlist.Omitted("warnings about finalizers", omitted))
	}
	return warnings
}

const (
	finalizerWithoutDomain = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
	finalizerWithoutPath   = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with " +
		"other finalizer writers"
)

func goodFinalizer(f string) bool { return qualifiedFinalizer(f) && names.IsQualifiedName(f) }

// qualifiedFinalizer reports whether f has a domain, or is one of the finalizers of Kubernetes without one.
func qualifiedFinalizer(f string) bool {
	return f == orphanFinalizer || f == foregroundFinalizer || f == "kubernetes" || strings.Contains(f, "/")
}

// DeduplicateOwners returns meta without duplicate owner references, and the uids of those that were removed, in their order. Duplicates
// are equal in all members. meta is as [Read] returns it, or nil.
//
// It does not modify meta. Without duplicates it returns meta itself, and allocates nothing unless there are many references.
//
// Clause: STR-009. The texts of the warning are [DuplicateOwnersWarning] and [DuplicateOwnersWarningAfterAdmission].
func DeduplicateOwners(meta map[string]any) (deduplicated map[string]any, uids []string) {
	owners := list(meta["ownerReferences"])
	if distinct(owners, jsonval.Equal) {
		return meta, nil
	}
	seen := make(map[string]bool, len(owners))
	kept := make([]any, 0, len(owners))
	for _, v := range owners {
		o := ownerReference(v)
		key, _ := json.Marshal(o) // It has only strings and booleans.
		if seen[string(key)] {
			uids = append(uids, o.UID)
			continue
		}
		seen[string(key)] = true
		kept = append(kept, v)
	}
	if uids == nil {
		return meta, nil
	}
	deduplicated = maps.Clone(meta)
	deduplicated["ownerReferences"] = kept
	return deduplicated, uids
}

// distinct reports whether no two values are equal. It is false for many values, which take too long to compare in pairs.
func distinct(values []any, equal func(v, w any) bool) bool {
	if len(values) > 16 {
		return false
	}
	for i, v := range values {
		for _, w := range values[:i] {
			if equal(v, w) {
				return false
			}
		}
	}
	return true
}

// DuplicateOwnersWarning returns the warning about owner references that were removed from the object in a create or an update. A patch has
// none.
//
// Clause: STR-009.
func DuplicateOwnersWarning(uids []string) string {
	return ".metadata.ownerReferences contains duplicate entries" + duplicateOwners + strings.Join(uids, ", ")
}

// DuplicateOwnersWarningAfterAdmission returns the warning about owner references that were removed after admission, on any write.
//
// Clause: STR-009.
func DuplicateOwnersWarningAfterAdmission(uids []string) string {
	return ".metadata.ownerReferences contains duplicate entries after mutating admission happens" + duplicateOwners +
		strings.Join(uids, ", ")
}

const duplicateOwners = "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; " +
	"please fix your requests; duplicate UID(s) observed: "
