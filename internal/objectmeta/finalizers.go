package objectmeta

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/names"
)

const (
	orphanFinalizer     = "orphan"
	foregroundFinalizer = "foregroundDeletion"
)

func (c *checker) finalizers(finalizers []any) {
	orphan, foreground := false, false
	for _, v := range finalizers {
		f := text(v)
		c.malformed("finalizers", f, names.QualifiedName(f))
		orphan = orphan || f == orphanFinalizer
		foreground = foreground || f == foregroundFinalizer
	}
	if orphan && foreground {
		all := make([]any, len(finalizers))
		for i, v := range finalizers {
			all[i] = text(v)
		}
		c.invalid(c.path.Child("finalizers"), all, "finalizer orphan and foregroundDeletion cannot be both set")
	}
}

// appendAdded appends the finalizers that meta has and old does not have, as far as they count, sorted and without duplicates. It allocates
// nothing if there are none and old has few.
func appendAdded(added []string, meta, old map[string]any, counts func(finalizer string) bool) []string {
	had := list(old["finalizers"])
	var many map[string]bool // instead of had
	if len(had) > 16 {
		many = make(map[string]bool, len(had))
		for _, v := range had {
			many[text(v)] = true
		}
		had = nil
	}
	for _, v := range list(meta["finalizers"]) {
		f := text(v)
		if counts(f) && !many[f] && !slices.ContainsFunc(had, func(v any) bool { return text(v) == f }) {
			added = append(added, f)
		}
	}
	slices.Sort(added)
	return slices.Compact(added)
}

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
	found := appendAdded(few[:0], meta, old, func(f string) bool { return !qualifiedFinalizer(f) || names.QualifiedName(f) != nil })
	most := limit.OrDefault()
	omitted := 0
	for _, f := range found {
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

// qualifiedFinalizer reports whether f has a domain, or is one of the finalizers of Kubernetes without one.
func qualifiedFinalizer(f string) bool {
	return f == orphanFinalizer || f == foregroundFinalizer || f == "kubernetes" || strings.Contains(f, "/")
}
