package catalog

import (
	"encoding/base64"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// This file gives decoded objects of built-in kinds the form that a server's decoder gives them. A server decodes to Go
// structs: what their JSON omits is gone, what it always has is there, and quantities are canonical. Then the defaults
// are set: constants, which parity/defaults learns from Kubernetes (defaults.json), and those that depend on other
// fields (conditional.go).

// A completer completes an object in place.
type completer struct {
	types Types
	left  int // how many values may still be added
}

// Complete returns a decoded object of a type in the form that a server's decoder gives it, with its defaults. It does
// not modify obj. It reports false if it would add more than that number of values. Values of wrong types stay: the
// schema refuses them.
func (t Types) Complete(of string, obj map[string]any, values int) (out map[string]any, ok bool) {
	out, _ = jsonval.Clone(obj).(map[string]any)
	c := completer{types: t, left: values}
	c.object(of, out, true)
	return out, c.left >= 0
}

// object completes an object of a type. The metadata of the root is complete already.
func (c *completer) object(of string, m map[string]any, root bool) {
	s := c.types[of]
	if s == nil || c.left < 0 {
		return
	}
	core := strings.HasPrefix(of, "core.")
	c.prepare(s, m, root)
	if set := conditional[of]; set != nil {
		before := len(m)
		set(m)
		c.left -= max(0, len(m)-before)
	}
	c.fill(s, m, root, core)
}

// normal returns a copy of a value of a table, with numbers as in objects.
func normal(v any) any {
	out, _ := jsonval.Normalize(nil, v)
	return jsonval.Clone(out)
}

// prepare drops what JSON omits, and adds the structs and scalars that it always has.
func (c *completer) prepare(s *Struct, m map[string]any, root bool) {
	for i := range s.Fields {
		f := &s.Fields[i]
		switch v, has := m[f.Name]; {
		case f.Name == "":
			c.prepare(c.types[f.Type], m, false)
		case root && f.Name == "metadata":
		case has && (v == nil || f.Omit && isEmpty(v)):
			delete(m, f.Name)
		case !has && f.Always != nil:
			m[f.Name] = normal(f.Always)
			c.left--
		}
	}
}

// fill sets constant defaults, and completes the values of all fields. Of the core group, it rounds amounts of
// resources up to three decimal places.
func (c *completer) fill(s *Struct, m map[string]any, root, core bool) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == "" {
			c.object(f.Type, m, false)
			continue
		}
		if root && f.Name == "metadata" {
			continue
		}
		v, has := m[f.Name]
		if f.Fill != nil && (!has || f.Fill.Zero && isEmpty(v)) {
			v, has = normal(f.Fill.Value), true
			m[f.Name] = v
			c.left--
		}
		if has {
			if w := c.value(f.Type, v, core); w != nil {
				m[f.Name] = w
			}
		}
	}
}

// value completes a value of a type in place, or returns its replacement. With milli, it rounds quantities in maps.
func (c *completer) value(of string, v any, milli bool) any {
	switch x := v.(type) {
	case map[string]any:
		if element, isMap := strings.CutPrefix(of, "{}"); isMap {
			for k, e := range x {
				if e == nil {
					e = c.types.nothing(element)
					x[k] = e
				}
				if w := c.element(element, e, milli); w != nil {
					x[k] = w
				}
			}
			return nil
		}
		c.object(of, x, false)
	case []any:
		element, _ := strings.CutPrefix(of, "[]")
		for i, e := range x {
			if e == nil {
				e = c.types.nothing(element)
				x[i] = e
			}
			if w := c.value(element, e, milli); w != nil {
				x[i] = w
			}
		}
	default:
		switch of {
		case quantityType:
			return canonicalQuantity(v, false)
		case "bytes":
			return canonicalBytes(v)
		}
	}
	return nil
}

// canonicalBytes returns bytes in base64 as a server encodes them, or nil if they are. A client may have sent lines.
func canonicalBytes(v any) any {
	sent, _ := v.(string)
	decoded, err := base64.StdEncoding.DecodeString(sent)
	if err != nil {
		return nil // it is refused elsewhere
	}
	if encoded := base64.StdEncoding.EncodeToString(decoded); encoded != sent {
		return encoded
	}
	return nil
}

// FillNulls replaces null in the maps in a value of a type by the value that it stands for. It modifies v.
func (t Types) FillNulls(of string, v any) {
	switch x := v.(type) {
	case map[string]any:
		element, isMap := strings.CutPrefix(of, "{}")
		if !isMap {
			t.fillFields(of, x)
			return
		}
		for k, e := range x {
			if e == nil {
				x[k] = t.nothing(element)
			} else {
				t.FillNulls(element, e)
			}
		}
	case []any:
		element, _ := strings.CutPrefix(of, "[]")
		for _, e := range x {
			t.FillNulls(element, e)
		}
	}
}

// fillFields is FillNulls for the fields of a struct.
func (t Types) fillFields(of string, m map[string]any) {
	s := t[of]
	if s == nil {
		return
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Name == "" {
			t.fillFields(f.Type, m)
		} else {
			t.FillNulls(f.Type, m[f.Name])
		}
	}
}

// element is value for a value of a map.
func (c *completer) element(of string, v any, milli bool) any {
	if of == quantityType {
		return canonicalQuantity(v, milli)
	}
	return c.value(of, v, milli)
}

// nothing returns what null stands for in a list or a map of a type, or nil.
func (t Types) nothing(of string) any {
	switch of {
	case "string", "bytes":
		return ""
	case "bool":
		return false
	case "int", "float", "intOrString":
		return int64(0)
	case quantityType:
		return "0"
	}
	if t[of] != nil {
		return document{}
	}
	return nil
}

// isEmpty reports whether v is the zero value of its type, or a list or map without elements.
func isEmpty(v any) bool {
	switch x := v.(type) {
	case string:
		return x == ""
	case bool:
		return !x
	case int64:
		return x == 0
	case float64:
		return x == 0
	case []any:
		return len(x) == 0
	case map[string]any:
		return len(x) == 0
	}
	return false
}
