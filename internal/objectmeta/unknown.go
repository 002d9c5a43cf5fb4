package objectmeta

import (
	"maps"
	"slices"
	"strconv"
)

// maxUnknown is how many unknown fields the server's decoder counts in one metadata (DEC-005).
const maxUnknown = 100

// Unknown returns the paths of what [Read] drops from v because metadata has no such key: name.Name, ownerReferences[0].colour. They
// start below v, and stand in the order of v's keys, those of a list where the list stands. There are at most 100, each once.
//
// Keys are not escaped. Two labels or annotations whose keys become equal because they are no UTF-8 are named too: the server
// takes one of them as a duplicate. For a v that Read refuses, the server tracks none. Unknown does not modify v.
//
// Clauses: OME-005, DEC-022.
func Unknown(v any) []string {
	m, _ := v.(map[string]any)
	var u unknown
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch {
		case k == "labels" || k == "annotations":
			u.duplicates(k, m[k])
		case k == "ownerReferences":
			u.items(k, m[k], isOwnerMember)
		case k == "managedFields":
			u.items(k, m[k], isManagedFieldsMember)
		case !isMember(k):
			u.add(validText(k))
		}
	}
	return u.paths
}

type unknown struct{ paths []string }

func (u *unknown) add(path string) {
	if len(u.paths) < maxUnknown && !slices.Contains(u.paths, path) {
		u.paths = append(u.paths, path)
	}
}

// items names the unknown keys of the objects in a list.
func (u *unknown) items(key string, v any, known func(string) bool) {
	list, _ := v.([]any)
	for i, v := range list {
		item, _ := v.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(item)) {
			if !known(k) {
				u.add(key + "[" + strconv.Itoa(i) + "]." + validText(k))
			}
		}
	}
}

func (u *unknown) duplicates(key string, v any) {
	m, _ := v.(map[string]any)
	if len(m) < 2 || canonicalTexts(m) {
		return
	}
	seen := make(map[string]bool, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k = validText(k); seen[k] {
			u.add(key + "." + k)
		}
		seen[k] = true
	}
}

func isOwnerMember(key string) bool {
	switch key {
	case "apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion":
		return true
	}
	return false
}

func isManagedFieldsMember(key string) bool {
	switch key {
	case "manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource":
		return true
	}
	return false
}
