package objectmeta

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Before its rules, the server converts metadata into a Go struct once more, this time not by way of JSON. What Read returns always
// passes. Other metadata has errors with texts of their own here, and may pass without being canonical: null for zero values, whole
// floats, times in any form, unknown keys. The getters at the end say what such values count as.

// conversionError returns what the conversion says about meta, nil if nothing: then it allocates nothing. Of several errors it is the
// one of the first key in the order of the struct's fields, and in the order of the keys within labels and annotations.
func conversionError(meta map[string]any) error {
	c := converter{}
	c.string(meta["name"], "string")
	c.string(meta["generateName"], "string")
	c.string(meta["namespace"], "string")
	c.string(meta["selfLink"], "string")
	c.string(meta["uid"], "types.UID")
	c.string(meta["resourceVersion"], "string")
	c.integer(meta["generation"])
	c.time(meta["creationTimestamp"])
	c.time(meta["deletionTimestamp"])
	c.integer(meta["deletionGracePeriodSeconds"])
	c.texts(meta["labels"])
	c.texts(meta["annotations"])
	for _, v := range c.list(meta["ownerReferences"]) {
		owner := c.object(v)
		c.string(owner["apiVersion"], "string")
		c.string(owner["kind"], "string")
		c.string(owner["name"], "string")
		c.string(owner["uid"], "types.UID")
		c.boolean(owner["controller"])
		c.boolean(owner["blockOwnerDeletion"])
	}
	for _, v := range c.list(meta["finalizers"]) {
		c.string(v, "string")
	}
	for _, v := range c.list(meta["managedFields"]) {
		entry := c.object(v)
		c.string(entry["manager"], "string")
		c.string(entry["operation"], "v1.ManagedFieldsOperationType")
		c.string(entry["apiVersion"], "string")
		c.time(entry["time"])
		c.string(entry["fieldsType"], "string")
		c.json(entry["fieldsV1"])
		c.string(entry["subresource"], "string")
	}
	return c.err
}

// A converter keeps the first error.
type converter struct{ err error }

func (c *converter) fail(text string) {
	if c.err == nil {
		c.err = errors.New(text)
	}
}

func (c *converter) string(v any, goType string) {
	switch v.(type) {
	case nil, string:
	case int64: // A type that Go itself would convert, to a rune.
		c.fail("cannot convert int64 to " + goType)
	default:
		c.fail("unrecognized type: string")
	}
}

func (c *converter) integer(v any) {
	switch x := v.(type) {
	case nil, int64:
	case float64:
		if x != math.Trunc(x) {
			c.fail("cannot convert float64 to int64")
		}
	default:
		c.fail("unrecognized type: int64")
	}
}

func (c *converter) boolean(v any) {
	switch v.(type) {
	case nil, bool:
	default:
		c.fail("unrecognized type: bool")
	}
}

func (c *converter) time(v any) {
	if canonicalTime(v) || isNull(v) {
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

func (c *converter) texts(v any) {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		c.fail("cannot restore map from " + reflectKind(v))
	}
	for _, v := range m {
		switch v.(type) {
		case nil, string:
			continue
		}
		for _, k := range sortedKeys(m) {
			c.string(m[k], "string")
		}
		return
	}
}

func (c *converter) list(v any) []any {
	list, ok := v.([]any)
	if !ok && v != nil {
		c.fail("cannot restore slice from " + reflectKind(v))
	}
	return list
}

func (c *converter) object(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		c.fail("cannot restore struct from: " + reflectKind(v))
	}
	return m
}

func (c *converter) json(v any) {
	if canonicalJSON(v, 0) {
		return
	}
	var r reader
	if r.json(place{"ManagedFieldsEntry", "managedFields", "fieldsV1"}, v, 1); r.stop != nil {
		c.fail(r.stop.Error())
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

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// text returns the string that v is, empty if it is none.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// integer returns the number that v is, 0 if it is none. A float beyond the integers is the smallest integer, as it is on the
// processors that most servers run on.
func integer(v any) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case float64:
		if x >= math.MinInt64 && x < math.MaxInt64 {
			return int64(x)
		}
		return math.MinInt64
	}
	return 0
}

// instant returns the time that v is in the form that Read writes, and "" if v is no time, or the zero time.
func instant(v any) string {
	s := text(v)
	if s == "" || canonicalTime(v) {
		return s
	}
	t, err := time.Parse(time.RFC3339, validText(s))
	if err != nil || t.IsZero() {
		return ""
	}
	return timeText(t)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func isTrue(v any) bool {
	b, _ := v.(bool)
	return b
}
