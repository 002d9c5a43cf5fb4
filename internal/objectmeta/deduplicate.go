package objectmeta

import (
	"encoding/json"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// Deduplicate returns errs, which are errors of this package about one metadata, without those whose text another one before it has. It
// returns errs itself if there are none, and else a new list.
//
// Clause: MET-014.
func Deduplicate(errs field.List) field.List {
	if len(errs) < 2 {
		return errs
	}
	seen := make(map[errorKey]bool, len(errs))
	var lists field.List // those seen whose value has no key
	out := make(field.List, 0, len(errs))
	for _, e := range errs {
		key, ok := keyOfError(e)
		switch {
		case !ok && contains(lists, e), ok && seen[key]:
			continue
		case ok:
			seen[key] = true
		default:
			lists = append(lists, e)
		}
		out = append(out, e)
	}
	if len(out) == len(errs) {
		return errs
	}
	return out
}

// An errorKey is an error to compare. Its text is not needed for that: the errors of this package differ in their texts if and only if
// they differ in one of these.
type errorKey struct {
	kind          field.ErrorType
	field, detail string
	value         any
}

type rawText string

// keyOfError reports false for a value that cannot be compared as Go does, a list or a map.
func keyOfError(e *field.Error) (key errorKey, ok bool) {
	key = errorKey{kind: e.Type, field: e.Field, detail: e.Detail}
	switch x := e.BadValue.(type) {
	case nil, bool, int64, string, OwnerReference: // An owner reference has only one error that prints it.
		key.value = x
	case json.RawMessage:
		key.value = rawText(x)
	default:
		key.value = x
		return key, x == field.OmitValue
	}
	return key, true
}

// contains reports whether one of errs, which have values without keys, has the text of e. A metadata has few such errors.
func contains(errs field.List, e *field.Error) bool {
	for _, f := range errs {
		if e.Type == f.Type && e.Field == f.Field && e.Detail == f.Detail && sameValue(e.BadValue, f.BadValue) {
			return true
		}
	}
	return false
}

// sameValue compares values without keys. There is one list of owner references in a metadata, and all its errors share it.
func sameValue(a, b any) bool {
	x, ok := a.([]OwnerReference)
	if !ok {
		return jsonval.Equal(a, b)
	}
	y, ok := b.([]OwnerReference)
	return ok && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}
