package objectmeta

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Before it applies the rules, the server converts metadata into a Go struct again, this time without JSON. What Read
// returns converts, except for times in a year that does not have four digits. Other metadata has its own errors, and
// values that are not canonical may convert: null for zero values, whole floats, times in any form, unknown keys. The
// functions text, integer and instant return such values as the rules see them.

// conversionError returns the first error of the conversion of m, an object of o, in the order of the struct's fields,
// and in the order of the keys within labels and annotations. If m is as [Read] returns it, read is true: each fieldsV1
// is JSON, and without an error nothing is allocated.
func (o *Object) conversionError(m map[string]any, read bool) error {
	for i := range o.Members {
		f := &o.Members[i]
		if v := m[f.Name]; !isNull(v) {
			if err := f.conversionError(v, read); err != nil {
				return err
			}
		}
	}
	return nil
}

// conversionError returns the error of a value of m that is not null.
func (m *Member) conversionError(v any, read bool) error {
	switch m.Kind {
	case String:
		return stringError(v, m.goType)
	case Integer, IntegerPointer:
		switch n := v.(type) {
		case int64:
		case float64:
			if n != math.Trunc(n) {
				return errors.New("cannot convert float64 to int64")
			}
		default:
			return errors.New("unrecognized type: int64")
		}
	case BoolPointer:
		if _, ok := v.(bool); !ok {
			return errors.New("unrecognized type: bool")
		}
	case Time, TimePointer:
		s, ok := v.(string)
		if !ok {
			return errors.New("json: cannot unmarshal " + kindOf(v) + " into Go value of type string")
		}
		if !CanonicalTime(s) {
			_, err := time.Parse(time.RFC3339, validText(s))
			return err
		}
	case JSON:
		if !read && !canonicalJSON(v, 1) {
			var r reader
			r.json(m, v, 1)
			return r.stop
		}
	case StringMap:
		entries, ok := v.(map[string]any)
		if !ok {
			return errors.New("cannot restore map from " + reflectKind(v))
		}
		if !canonicalStrings(entries) {
			for _, k := range sortedKeys(entries) {
				if err := stringError(entries[k], "string"); err != nil {
					return err
				}
			}
		}
	default:
		items, ok := v.([]any)
		if !ok {
			return errors.New("cannot restore slice from " + reflectKind(v))
		}
		for _, item := range items {
			if err := m.itemError(item, read); err != nil {
				return err
			}
		}
	}
	return nil
}

// itemError returns the error of an item of the list m.
func (m *Member) itemError(v any, read bool) error {
	if m.Kind == StringList {
		return stringError(v, "string")
	}
	item, ok := v.(map[string]any)
	if !ok && v != nil {
		return errors.New("cannot restore struct from: " + reflectKind(v))
	}
	return m.Items.conversionError(item, read)
}

func stringError(v any, goType string) error {
	switch v.(type) {
	case nil, string:
		return nil
	case int64: // The one type that Go itself would convert: to a rune.
		return errors.New("cannot convert int64 to " + goType)
	}
	return errors.New("unrecognized type: string")
}

// reflectKind returns what package reflect calls the kind of v, for the types that values have.
func reflectKind(v any) string {
	switch v.(type) {
	case []any:
		return "slice"
	case map[string]any:
		return "map"
	}
	return fmt.Sprintf("%T", v)
}
