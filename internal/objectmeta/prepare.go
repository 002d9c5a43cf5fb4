package objectmeta

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// PrepareCreate returns meta as a server prepares it for a create in that namespace, empty for none: without duplicate
// owner references, with the managedFields of [WithManagedFields], without the members that only a server sets (they
// are not generated either), and with generation 1. duplicates are the uids of the owner references that were removed,
// for [DuplicateOwnersWarning].
//
// It does not modify meta, which is as [Read] returns it, or nil. If nothing changes it returns meta itself and
// allocates nothing. Otherwise prepared is a new map that shares the values. With inPlace, it changes meta itself,
// unless that is nil.
//
// Clauses: STR-001, STR-002, STR-008, STR-009, MET-015.
func PrepareCreate(meta map[string]any, namespace string, inPlace bool) (prepared map[string]any, changed bool, duplicates []string) {
	e := editor{meta: meta, owned: inPlace && meta != nil}
	e.wipe()
	duplicates = e.deduplicateOwners()
	e.managedFields(nil)
	e.generation(1)
	if namespace == "" {
		e.remove("namespace")
	} else if text(meta["namespace"]) != namespace {
		e.set("namespace", namespace)
	}
	return e.meta, e.changed, duplicates
}

// Wipe returns meta without the members that a create ignores. A server does this before it computes managedFields, so
// that nobody owns these members. Wipe does not modify meta, and returns meta itself if nothing changes.
//
// Clauses: STR-001, ORD-002.
func Wipe(meta map[string]any) map[string]any {
	e := editor{meta: meta}
	e.wipe()
	return e.meta
}

// Retain returns meta with what an update cannot change restored from old: the generation always, incremented if the
// update changes anything outside the metadata; creationTimestamp and deletionTimestamp if old has them, uid and
// deletionGracePeriodSeconds if meta has none. It removes selfLink. Both are as [Read] returns them, or nil.
//
// Clauses: STR-002, STR-003.
func Retain(meta, old map[string]any, changed bool) map[string]any {
	e := editor{meta: meta}
	generation := generationOf(old)
	if changed {
		generation++
	}
	e.generation(generation)
	for _, m := range restored {
		if m.onUpdate&drop != 0 {
			e.remove(m.Name)
			continue
		}
		v := meta[m.Name]
		if v != nil && m.onUpdate&retain == 0 {
			continue
		}
		if was := old[m.Name]; was != nil && !jsonval.Equal(was, v) {
			e.set(m.Name, was)
		}
	}
	return e.meta
}

// restored has the members of metadata that [Retain] may change, without the generation.
var restored = slices.DeleteFunc(slices.Clone(Metadata.Members), func(m *Member) bool { return m.onUpdate&(drop|retain|inherit) == 0 })

// An editor changes a map that it owns. It copies another one at the first change.
type editor struct {
	meta    map[string]any
	owned   bool
	changed bool
}

// change is called before each change.
func (e *editor) change() {
	e.changed = true
	if e.owned {
		return
	}
	e.owned = true
	if e.meta = maps.Clone(e.meta); e.meta == nil {
		e.meta = map[string]any{}
	}
}

func (e *editor) set(key string, v any) {
	e.change()
	e.meta[key] = v
}

func (e *editor) remove(key string) {
	if _, ok := e.meta[key]; ok {
		e.change()
		delete(e.meta, key)
	}
}

// wipe removes the members that a create ignores.
func (e *editor) wipe() {
	for _, m := range Metadata.Members {
		if m.onCreate&drop != 0 {
			e.remove(m.Name)
		}
	}
}

// generation sets the generation to n, and removes it if that is zero.
func (e *editor) generation(n int64) {
	if n == 0 {
		e.remove("generation")
	} else if generationOf(e.meta) != n {
		e.set("generation", n)
	}
}

// DeduplicateOwners returns meta without duplicate owner references, and the uids of those that were removed, in their
// order. Duplicates are equal in all members. meta is as [Read] returns it, or nil.
//
// Clause: STR-009. The warning is [DuplicateOwnersWarning].
func DeduplicateOwners(meta map[string]any) (deduplicated map[string]any, uids []string) {
	e := editor{meta: meta}
	uids = e.deduplicateOwners()
	return e.meta, uids
}

func (e *editor) deduplicateOwners() (uids []string) {
	references := list(e.meta["ownerReferences"])
	if len(references) < 2 {
		return nil
	}
	seen := make(map[string]bool, len(references))
	kept := slices.DeleteFunc(slices.Clone(references), func(v any) bool {
		key := string(owners.inOrder(object(v)))
		again := seen[key]
		seen[key] = true
		if again {
			uids = append(uids, text(object(v)["uid"]))
		}
		return again
	})
	if uids != nil {
		e.set("ownerReferences", kept)
	}
	return uids
}

// DuplicateOwnersWarning returns the warning about owner references that were removed: before admission, from what a
// create or an update sent, or after it, on any write.
//
// Clause: STR-009.
func DuplicateOwnersWarning(uids []string, afterAdmission bool) string {
	when := ""
	if afterAdmission {
		when = " after mutating admission happens"
	}
	return ".metadata.ownerReferences contains duplicate entries" + when +
		"; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24" +
		"; please fix your requests; duplicate UID(s) observed: " + strings.Join(uids, ", ")
}

// The finalizers of a deletion with that propagation policy (DEL-002).
const (
	OrphanFinalizer     = "orphan"
	ForegroundFinalizer = "foregroundDeletion"
)

// appendAdded appends the finalizers that meta has and old does not have, if counts returns true for them, sorted and
// without duplicates.
func appendAdded(added []string, meta, old map[string]any, counts func(finalizer string) bool) []string {
	had := map[string]bool{}
	for _, v := range list(old["finalizers"]) {
		had[text(v)] = true
	}
	for _, v := range list(meta["finalizers"]) {
		if f := text(v); counts(f) && !had[f] {
			added = append(added, f)
		}
	}
	slices.Sort(added)
	return slices.Compact(added)
}

// AppendFinalizerWarnings appends the warnings about the finalizers that meta has and old does not have, sorted by
// finalizer: first those about its syntax, then the one about a missing domain. On create, old is nil. A last warning
// has the number of those beyond the limit.
//
// Clause: STR-016.
func (v Server) AppendFinalizerWarnings(warnings []string, meta, old map[string]any, limit field.Limit) []string {
	var few [4]string
	found := refusal.TextsWithin(limit)
	deserves := func(f string) bool { return !qualifiedFinalizer(f) || format.QualifiedName(f) != nil }
	for _, f := range appendAdded(few[:0], meta, old, deserves) {
		warn := func(message string) {
			if found.Full() {
				found.Skip(1)
				return
			}
			var buf [128]byte
			found.Add("metadata.finalizers: " + string(strconv.AppendQuote(buf[:0], f)) + ": " + message)
		}
		for _, message := range v.labelMessages(format.QualifiedName(f)) {
			warn(message)
		}
		const prefer = "prefer a domain-qualified finalizer name"
		const because = " to avoid accidental conflicts with other finalizer writers"
		switch {
		case qualifiedFinalizer(f):
		case strings.Contains(f, ".") && v.Has(since.FinalizerPaths):
			warn(prefer + " including a path (/)" + because)
		default:
			warn(prefer + because)
		}
	}
	const what = "warnings about finalizers"
	if len(warnings) == 0 {
		return found.All(what)
	}
	return append(warnings, found.All(what)...)
}

// qualifiedFinalizer reports whether f has a domain, or is one of the finalizers of Kubernetes without one.
func qualifiedFinalizer(f string) bool {
	return f == OrphanFinalizer || f == ForegroundFinalizer || f == "kubernetes" || strings.Contains(f, "/")
}

// WithManagedFields returns meta with the managedFields to validate: its own entries if all of them can be decoded,
// else those of old if they can, else none. There are none either if meta resets them ([ResetsManagedFields]). For a
// create, old is nil. The status subresource ignores the managedFields that were sent: there, meta is old.
//
// The entries are sorted as the server stores them. Of those with the same manager, operation, apiVersion and
// subresource only the last remains. The request's own changes to managedFields are not included: an entry of its own,
// and fields taken from other managers. Both maps are as [Read] returns them, or nil. Keys of items in the field sets
// are allocated.
//
// Clause: MET-015.
func WithManagedFields(meta, old map[string]any) map[string]any {
	e := editor{meta: meta}
	e.managedFields(old)
	return e.meta
}

// ResetsManagedFields reports whether a write with these entries leaves none: whether they are an empty list or one
// empty entry.
func ResetsManagedFields(entries []any) bool {
	return entries != nil && (len(entries) == 0 || len(entries) == 1 && len(object(entries[0])) == 0)
}

// managedFields sets the managedFields of [WithManagedFields].
func (e *editor) managedFields(old map[string]any) {
	sent := list(e.meta["managedFields"])
	entries := sent
	switch {
	case ResetsManagedFields(sent):
		entries = nil
	case len(sent) == 0 || !decodable(sent):
		if entries = list(old["managedFields"]); !decodable(entries) {
			entries = nil
		}
	}
	entries = storedManagedFields(entries)
	switch {
	case len(entries) == 0:
		e.remove("managedFields")
	case len(entries) != len(sent) || &entries[0] != &sent[0]:
		e.set("managedFields", entries)
	}
}

// decodable reports whether the server can decode all entries.
func decodable(entries []any) bool {
	for _, v := range entries {
		m := object(v)
		operation := text(m["operation"])
		if operation != applyOperation && operation != updateOperation || text(m["apiVersion"]) == "" ||
			text(m["fieldsType"]) != fieldsV1 || !isFieldSet(m["fieldsV1"], 0) {
			return false
		}
	}
	return true
}

// isFieldSet reports whether v is a set of fields: nested objects, or null, whose keys have the form of path elements.
func isFieldSet(v any, depth int) bool {
	if isNull(v) {
		return true
	}
	m, ok := v.(map[string]any)
	if !ok || depth > maxDepth {
		return false
	}
	for k, v := range m {
		if k == "." {
			continue // The field itself, with any value.
		}
		if len(k) < 2 || k[1] != ':' {
			return false
		}
		step := k[2:]
		switch k[0] {
		case 'f': // the name of a field
		case 'v': // the value of an item in a set
			ok = json.Valid([]byte(step))
		case 'k': // the keys of an item in a map list
			step = strings.TrimLeft(step, " \t\r\n")
			ok = (strings.HasPrefix(step, "{") || strings.HasPrefix(step, "n")) && json.Valid([]byte(step))
		case 'i': // the index of an item
			_, err := strconv.Atoi(step)
			ok = err == nil
		default:
			continue // Unknown kinds of path elements are ignored.
		}
		if !ok || !isFieldSet(v, depth+1) {
			return false
		}
	}
	return true
}

// storedManagedFields returns the entries as the server stores them.
func storedManagedFields(entries []any) []any {
	if storedAsSent(entries) {
		return entries
	}
	last := map[manager]int{}
	for i, v := range entries {
		last[managerOf(v)] = i
	}
	var kept []any
	for i, v := range entries {
		if last[managerOf(v)] == i {
			kept = append(kept, v)
		}
	}
	slices.SortFunc(kept, compareManagers)
	return kept
}

// storedAsSent reports whether the server stores the entries unchanged: they are sorted, and each has another manager.
func storedAsSent(entries []any) bool {
	var few [16]manager
	if len(entries) > len(few) {
		managers := make(map[manager]bool, len(entries))
		for _, v := range entries {
			managers[managerOf(v)] = true
		}
		return len(managers) == len(entries) && slices.IsSortedFunc(entries, compareManagers)
	}
	if len(entries) < 2 {
		return true
	}
	for i, v := range entries {
		few[i] = managerOf(v)
		if slices.Contains(few[:i], few[i]) {
			return false
		}
	}
	return slices.IsSortedFunc(entries, compareManagers)
}

// A manager identifies an entry.
type manager struct{ name, operation, apiVersion, subresource string }

func managerOf(v any) manager {
	m := object(v)
	of := manager{text(m["manager"]), text(m["operation"]), text(m["apiVersion"]), text(m["subresource"])}
	if of.operation == applyOperation {
		of.apiVersion = "" // An apply in another version replaces the entry.
	}
	return of
}

// compareManagers orders entries as they are stored.
func compareManagers(a, b any) int {
	x, y := object(a), object(b)
	const noTime = "1970-01-01T00:00:00Z"
	return cmp.Or(
		cmp.Compare(text(x["operation"]), text(y["operation"])),
		cmp.Compare(cmp.Or(text(x["time"]), noTime), cmp.Or(text(y["time"]), noTime)),
		cmp.Compare(text(x["manager"]), text(y["manager"])),
		cmp.Compare(text(x["apiVersion"]), text(y["apiVersion"])),
		cmp.Compare(text(x["subresource"]), text(y["subresource"])),
	)
}
