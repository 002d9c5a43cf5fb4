package objectmeta

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ManagedFields returns the entries of managedFields that the rules of an object get to see: the sent ones of meta if all of them can
// be decoded, else those of old if they can, else none. None, too, if meta resets them: with an empty list, or one empty entry. On the
// status subresource the sent ones do not count: meta is nil. A create has no old.
//
// The entries are sorted as the server stores them, and of those of the same manager, operation, apiVersion and subresource only
// the last is there. What the request itself adds, and which fields it takes from other managers, is not worked out. The entries
// are meta's own, or old's, and so is the list if that is what it comes to; then nothing is allocated but for the values and keys of
// items in the sets. Both maps are as [Read] returns them, or nil.
//
// Clause: MET-015.
func ManagedFields(meta, old map[string]any) []any {
	sent := list(meta["managedFields"])
	if sent != nil && (len(sent) == 0 || len(sent) == 1 && len(object(sent[0])) == 0) {
		return nil
	}
	if len(sent) > 0 && decodable(sent) {
		return storedManagedFields(sent)
	}
	if live := list(old["managedFields"]); len(live) > 0 && decodable(live) {
		return storedManagedFields(live)
	}
	return nil
}

// decodable reports whether the server makes field sets of all entries.
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

// isFieldSet reports whether v is a set of fields: objects, or null, all the way down, whose keys say what kind of step they are.
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
			continue // The field itself; what it maps to does not matter.
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
			continue // Kinds of steps that are not known yet are dropped with all below.
		}
		if !ok || !isFieldSet(v, depth+1) {
			return false
		}
	}
	return true
}

// storedManagedFields returns the entries as the server stores them.
func storedManagedFields(entries []any) []any {
	if slices.IsSortedFunc(entries, compareManagers) && distinctManagers(entries) {
		return entries
	}
	last := make(map[manager]any, len(entries))
	for _, v := range entries {
		last[managerOf(v)] = v
	}
	stored := make([]any, 0, len(last))
	for _, v := range entries {
		if k := managerOf(v); last[k] != nil {
			stored = append(stored, last[k])
			delete(last, k)
		}
	}
	slices.SortStableFunc(stored, compareManagers)
	return stored
}

// A manager is what there is one entry for.
type manager struct{ name, operation, apiVersion, subresource string }

func managerOf(v any) manager {
	m := object(v)
	of := manager{text(m["manager"]), text(m["operation"]), text(m["apiVersion"]), text(m["subresource"])}
	if of.operation == applyOperation {
		of.apiVersion = "" // Who applies in another version replaces what he applied before.
	}
	return of
}

// distinctManagers reports whether no two entries are of the same manager. Where there are many, it does not look.
func distinctManagers(entries []any) bool {
	const many = 16 // each is compared with each
	if len(entries) > many {
		return false
	}
	for i, v := range entries {
		of := managerOf(v)
		for _, w := range entries[:i] {
			if managerOf(w) == of {
				return false
			}
		}
	}
	return true
}

// compareManagers orders entries as they are stored.
func compareManagers(a, b any) int {
	x, y := object(a), object(b)
	return cmp.Or(
		cmp.Compare(text(x["operation"]), text(y["operation"])),
		cmp.Compare(unix(x["time"]), unix(y["time"])),
		cmp.Compare(text(x["manager"]), text(y["manager"])),
		cmp.Compare(text(x["apiVersion"]), text(y["apiVersion"])),
		cmp.Compare(text(x["subresource"]), text(y["subresource"])),
	)
}

// unix returns the seconds since 1970 of the time v, 0 if it is none.
func unix(v any) int64 {
	s := text(v)
	if s == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0
	}
	return t.Unix()
}
