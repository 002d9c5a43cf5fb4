package objectmeta

import "maps"

// PrepareCreate returns meta as a server prepares it for a create in that namespace, empty for none: each owner reference only once,
// the managed fields that it goes on with, nothing that only a server sets (creationTimestamp, deletionTimestamp,
// deletionGracePeriodSeconds, uid and selfLink), and generation 1. It makes up no new ones. duplicates are the uids of the owner
// references that were left out, for [DuplicateOwnersWarning].
//
// It does not modify meta, which is as [Read] returns it, or nil. With nothing to change it returns meta itself and allocates
// nothing, else a new map with the same values.
//
// Clauses: STR-001, STR-002, STR-008, STR-009, MET-015.
func PrepareCreate(meta map[string]any, namespace string) (prepared map[string]any, changed bool, duplicates []string) {
	e := editor{meta: meta}
	for k := range meta {
		switch k {
		case "creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink":
			e.remove(k)
		case "ownerReferences":
			var owners map[string]any
			if owners, duplicates = DeduplicateOwners(meta); len(duplicates) > 0 {
				e.set(k, owners[k])
			}
		case "managedFields":
			if kept := ManagedFields(meta, nil); len(kept) > 0 {
				e.set(k, kept)
			} else {
				e.remove(k)
			}
		}
	}
	e.generation(1)
	if own := text(meta["namespace"]); namespace == "" {
		e.remove("namespace")
	} else if own != namespace {
		e.set("namespace", namespace)
	}
	return e.meta, e.copied, duplicates
}

// Retain returns meta with what an update cannot change put back from old: generation always (counting it up is the
// strategy's part), uid where meta has none, creationTimestamp and deletionTimestamp where old has them, and
// deletionGracePeriodSeconds where only old has it. selfLink is taken out. Both are as [Read] returns them, or nil.
//
// It does not modify meta. With nothing to change it returns meta itself and allocates nothing, else a new map with the same values.
//
// Clause: STR-003.
func Retain(meta, old map[string]any) map[string]any {
	e := editor{meta: meta}
	e.generation(integer(old["generation"]))
	if text(meta["uid"]) == "" {
		e.setText("uid", old)
	}
	e.setText("creationTimestamp", old)
	e.setText("deletionTimestamp", old)
	if meta["deletionGracePeriodSeconds"] == nil && old["deletionGracePeriodSeconds"] != nil {
		e.set("deletionGracePeriodSeconds", old["deletionGracePeriodSeconds"])
	}
	e.remove("selfLink")
	return e.meta
}

// WithGeneration returns meta with n as its generation; zero takes it out. It does not modify meta, and returns meta itself if that has
// it already.
//
// Clause: STR-002.
func WithGeneration(meta map[string]any, n int64) map[string]any {
	e := editor{meta: meta}
	e.generation(n)
	return e.meta
}

// RepairGeneration returns meta with generation 1 if it has none, as a server reads objects that were stored before there were
// generations. An object without metadata, whose meta is nil, stays without. It does not modify meta.
//
// Clauses: DEC-020, DEC-021, DEC-023.
func RepairGeneration(meta map[string]any) map[string]any {
	if meta == nil || integer(meta["generation"]) != 0 {
		return meta
	}
	return WithGeneration(meta, 1)
}

// An editor changes a copy of a metadata, which it makes at the first change.
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

// setText sets key to the text that from has there, unless that is empty.
func (e *editor) setText(key string, from map[string]any) {
	if s := text(from[key]); s != "" && s != text(e.meta[key]) {
		e.set(key, from[key])
	}
}

// generation sets the generation to n, and removes it if that is zero.
func (e *editor) generation(n int64) {
	if n == 0 {
		e.remove("generation")
	} else if have, ok := e.meta["generation"].(int64); !ok || have != n {
		e.set("generation", n)
	}
}
