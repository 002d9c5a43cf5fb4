package objectmeta

import (
	"slices"
	"strconv"
)

// maxUnknown is how many unknown fields the server's decoder counts in one metadata (DEC-005).
const maxUnknown = 100

// Unknown returns the paths of what [Read] drops from v because metadata has no such key: name.Name, ownerReferences[0].colour. They
// are relative to v, in the order of its keys, those of a list in the order of its items. There are at most 100, each once.
//
// Keys are not escaped. Two labels or annotations whose keys become equal because they are not UTF-8 are named too: the server
// reports one of them as a duplicate. Where Read refuses v, the server reports none. Unknown does not modify v.
//
// Clauses: OME-005, DEC-022.
func Unknown(v any) []string {
	m, _ := v.(map[string]any)
	var u unknown
	u.object("", Metadata, m)
	return u.paths
}

type unknown struct{ paths []string }

func (u *unknown) add(path string) {
	if len(u.paths) < maxUnknown && !slices.Contains(u.paths, path) {
		u.paths = append(u.paths, path)
	}
}

// object adds the unknown keys in m, whose paths begin with path.
func (u *unknown) object(path string, o *Object, m map[string]any) {
	for _, k := range sortedKeys(m) {
		f := o.member(k)
		switch {
		case f == nil:
			u.add(path + validText(k))
		case f.Kind == StringMap:
			u.duplicates(k, object(m[k]))
		case f.Kind == ObjectList:
			for i, item := range list(m[k]) {
				u.object(k+"["+strconv.Itoa(i)+"].", f.Items, object(item))
			}
		}
	}
}

// duplicates adds the keys of m that become equal.
func (u *unknown) duplicates(path string, m map[string]any) {
	if canonicalStrings(m) {
		return
	}
	seen := make(map[string]bool, len(m))
	for _, k := range sortedKeys(m) {
		if k = validText(k); seen[k] {
			u.add(path + "." + k)
		}
		seen[k] = true
	}
}
