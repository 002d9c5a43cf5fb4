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

// conversionError returns the first error of the conversion, in the order of the struct's fields, and in the order of the keys within
// labels and annotations. For what [Read] returns it allocates nothing without one.
func conversionError(meta map[string]any) error {
	var c converter
	c.object(Metadata, meta)
	return c.err
}

// converts reports whether meta, which is as [Read] returns it, converts. It does not look into fieldsV1, which always does.
func converts(meta map[string]any) bool {
	c := converter{read: true}
	c.object(Metadata, meta)
	return c.err == nil
}

// A converter keeps the first error.
type converter struct {
	err  error
	read bool // the metadata was read: each fieldsV1 is JSON
}

func (c *converter) fail(text string) {
	if c.err == nil {
		c.err = errors.New(text)
	}
}

func (c *converter) object(o *Object, m map[string]any) {
	for i := range o.Members {
		c.value(&o.Members[i], m[o.Members[i].Name])
	}
}

// value converts the value v of m, nil if there is none.
func (c *converter) value(m *Member, v any) {
	switch m.Kind {
	case String:
		c.string(v, m.goType)
	case Integer, IntegerPointer:
		f, isFloat := v.(float64)
		if _, ok := v.(int64); isFloat && f != math.Trunc(f) {
			c.fail("cannot convert float64 to int64")
		} else if !ok && !isFloat && v != nil {
			c.fail("unrecognized type: int64")
		}
	case BoolPointer:
		if _, ok := v.(bool); !ok && v != nil {
			c.fail("unrecognized type: bool")
		}
	case Time, TimePointer:
		c.time(v)
	case JSON:
		c.json(m, v)
	case StringMap:
		c.stringMap(v)
	default:
		c.list(m, v)
	}
}

func (c *converter) string(v any, goType string) {
	switch v.(type) {
	case nil, string:
	case int64: // The one type that Go itself would convert: to a rune.
		c.fail("cannot convert int64 to " + goType)
	default:
		c.fail("unrecognized type: string")
	}
}

func (c *converter) time(v any) {
	if CanonicalTime(text(v)) || isNull(v) {
		return
	}
	s, ok := v.(string)
	if !ok {
		c.fail("json: cannot unmarshal " + kindOf(v) + " into Go value of type string")
		return
	}
	if _, err := time.Parse(time.RFC3339, validText(s)); err != nil {
		c.fail(err.Error())
	}
}

func (c *converter) json(m *Member, v any) {
	if c.read || canonicalJSON(v, 1) {
		return
	}
	var r reader
	if r.json(m, v, 1); r.stop != nil {
		c.fail(r.stop.Error())
	}
}

func (c *converter) stringMap(v any) {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		c.fail("cannot restore map from " + reflectKind(v))
	}
	if canonicalStrings(m) {
		return
	}
	for _, k := range sortedKeys(m) { // The first error is that of the first key.
		c.string(m[k], "string")
	}
}

func (c *converter) list(m *Member, v any) {
	list, ok := v.([]any)
	if !ok && v != nil {
		c.fail("cannot restore slice from " + reflectKind(v))
	}
	for _, v := range list {
		if m.Kind == StringList {
			c.string(v, "string")
			continue
		}
		item, ok := v.(map[string]any)
		if !ok && v != nil {
			c.fail("cannot restore struct from: " + reflectKind(v))
		}
		c.object(m.Items, item)
	}
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
