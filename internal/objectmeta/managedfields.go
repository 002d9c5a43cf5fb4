package objectmeta

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/crdkit/crdkit/field"
)

const (
	maxManager     = 128
	maxSubresource = 256

	applyOperation  = "Apply"
	updateOperation = "Update"
	fieldsV1        = "FieldsV1"
)

func (c *checker) managedFields(entries []any) {
	for i, v := range entries {
		m := object(v)
		at := func(key string) *field.Path { return c.path.Child("managedFields").Index(i).Child(key) }
		switch operation := text(m["operation"]); operation {
		case "":
			c.errs.Add(field.Required(at("operation"), "must not be empty"))
		case applyOperation, updateOperation:
		default:
			c.errs.Add(field.NotSupported(at("operation"), jsonText(operation), applyOperation, updateOperation))
		}
		if t := text(m["fieldsType"]); t != "" && t != fieldsV1 {
			c.invalid(at("fieldsType"), t, "must be `FieldsV1`")
		}
		manager := text(m["manager"])
		if len(manager) > maxManager {
			c.errs.Add(field.TooLong(at("manager"), maxManager))
		}
		unprintable := 0
		for i, r := range manager {
			if unicode.IsPrint(r) {
				continue
			}
			if unprintable++; unprintable > maxRepeated {
				break
			}
			c.invalid(at("manager"), manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i))
		}
		if len(text(m["subresource"])) > maxSubresource {
			c.errs.Add(field.TooLong(at("subresource"), maxSubresource))
		}
	}
}

// WithManagedFields returns meta with the managedFields to validate: its own entries if all of them can be decoded, else those of old if
// they can, else none. There are none either if meta resets them, with an empty list or one empty entry. For a create, old is nil.
// The status subresource ignores the managedFields that were sent: there, meta is old.
//
// The entries are sorted as the server stores them. Of those with the same manager, operation, apiVersion and subresource only the last
// remains. The changes by the request itself are not made: it would add an entry, and take fields from other managers.
//
// It does not modify meta. Both maps are as [Read] returns them, or nil. If nothing changes it returns meta itself, and only allocates
// for keys of items in the field sets. Otherwise the result is a new map that shares the values.
//
// Clause: MET-015.
func WithManagedFields(meta, old map[string]any) map[string]any {
	if meta["managedFields"] == nil && old["managedFields"] == nil {
		return meta
	}
	e := editor{meta: meta}
	e.managedFields(old)
	return e.meta
}

// managedFields sets the managedFields of [WithManagedFields].
func (e *editor) managedFields(old map[string]any) {
	sent := list(e.meta["managedFields"])
	entries := managedFields(sent, list(old["managedFields"]))
	switch {
	case len(entries) == 0:
		e.remove("managedFields")
	case len(entries) != len(sent) || &entries[0] != &sent[0]:
		e.set("managedFields", entries)
	}
}

// managedFields returns the entries to validate.
func managedFields(sent, old []any) []any {
	if sent != nil && (len(sent) == 0 || len(sent) == 1 && len(object(sent[0])) == 0) {
		return nil
	}
	if len(sent) > 0 && decodable(sent) {
		return storedManagedFields(sent)
	}
	if decodable(old) {
		return storedManagedFields(old)
	}
	return nil
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
	if slices.IsSortedFunc(entries, compareManagers) && distinct(entries, sameManager) {
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

func sameManager(a, b any) bool { return managerOf(a) == managerOf(b) }

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

// unix returns the time v in seconds since 1970, 0 if it is not a time.
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
