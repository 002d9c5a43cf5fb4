package objectmeta

import (
	"maps"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// PrepareCreate returns meta as a server prepares it for a create in that namespace, empty for none: without duplicate owner
// references, with the managedFields of [WithManagedFields], without the members that only a server sets (they are not generated either),
// and with generation 1. duplicates are the uids of the owner references that were removed, for [DuplicateOwnersWarning].
//
// It does not modify meta, which is as [Read] returns it, or nil. If nothing changes it returns meta itself and allocates
// nothing. Otherwise prepared is a new map that shares the values.
//
// Clauses: STR-001, STR-002, STR-008, STR-009, MET-015.
func PrepareCreate(meta map[string]any, namespace string) (prepared map[string]any, changed bool, duplicates []string) {
	e := editor{meta: meta}
	for i := range Metadata.Members {
		if m := &Metadata.Members[i]; m.onCreate == drop {
			e.remove(m.Name)
		}
	}
	duplicates = e.deduplicateOwners()
	e.managedFields(nil)
	e.generation(1)
	if namespace == "" {
		e.remove("namespace")
	} else if text(meta["namespace"]) != namespace {
		e.set("namespace", namespace)
	}
	return e.meta, e.copied, duplicates
}

// Retain returns meta with what an update cannot change restored from old: the generation always (the caller increments it),
// creationTimestamp and deletionTimestamp if old has them, uid and deletionGracePeriodSeconds if meta has none. It removes selfLink. Both
// are as [Read] returns them, or nil.
//
// It does not modify meta. If nothing changes it returns meta itself and allocates nothing. Otherwise the result is a new map that shares
// the values.
//
// Clause: STR-003.
func Retain(meta, old map[string]any) map[string]any {
	e := editor{meta: meta}
	e.generation(integer(old["generation"]))
	for i := range Metadata.Members {
		switch m := &Metadata.Members[i]; m.onUpdate {
		case drop:
			e.remove(m.Name)
		case retain:
			e.inherit(m, old)
		case inherit:
			if !m.has(meta[m.Name]) {
				e.inherit(m, old)
			}
		}
	}
	return e.meta
}

// WithGeneration returns meta with the generation n, or without one if n is zero. It does not modify meta, and returns meta itself if
// nothing changes.
//
// Clause: STR-002.
func WithGeneration(meta map[string]any, n int64) map[string]any {
	e := editor{meta: meta}
	e.generation(n)
	return e.meta
}

// An editor copies a map at the first change.
type editor struct {
	meta   map[string]any
	copied bool
}

func (e *editor) copy() {
	if e.copied {
		return
	}
	e.copied = true
	if e.meta = maps.Clone(e.meta); e.meta == nil {
		e.meta = map[string]any{}
	}
}

func (e *editor) set(key string, v any) {
	e.copy()
	e.meta[key] = v
}

func (e *editor) remove(key string) {
	if _, ok := e.meta[key]; ok {
		e.copy()
		delete(e.meta, key)
	}
}

// inherit sets m to its value in old, if there is one.
func (e *editor) inherit(m *Member, old map[string]any) {
	if v := old[m.Name]; m.has(v) && !jsonval.Equal(v, e.meta[m.Name]) {
		e.set(m.Name, v)
	}
}

// has reports whether v, a value of m, is neither null nor empty.
func (m *Member) has(v any) bool {
	if m.Kind == IntegerPointer {
		return v != nil
	}
	return text(v) != ""
}

// generation sets the generation to n, and removes it if that is zero.
func (e *editor) generation(n int64) {
	if n == 0 {
		e.remove("generation")
	} else if have, ok := e.meta["generation"].(int64); !ok || have != n {
		e.set("generation", n)
	}
}
