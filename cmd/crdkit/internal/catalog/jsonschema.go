package catalog

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// A converter makes the schema of a definition of a JSON Schema. A keyword that definitions do not have is left out, so
// that more is accepted, and its name is noted.
type converter struct {
	unchecked map[string]bool
	err       error
}

func (c *converter) names() []string { return slices.Sorted(maps.Keys(c.unchecked)) }

var errDeep = errors.New("the schema is nested too deep")

// Keywords that both have, for all values and for those of one type. Those of the first list may also be in branches of
// combinators.
var (
	checked = []string{
		"enum", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minimum", "maximum", "multipleOf", "required",
	}
	described = []string{"title", "description", "format", "default", "nullable"}
	ignored   = []string{
		"$schema", "$id", "id", "$comment", "examples", "example", "deprecated", "readOnly", "writeOnly", "externalDocs",
		"definitions", "$defs",
	}
)

const preserve = "x-kubernetes-preserve-unknown-fields"

// schema returns s as a schema of a definition.
func (c *converter) schema(s map[string]any, depth int) map[string]any {
	out := map[string]any{}
	if depth > constraint.MaxDepth {
		c.err = errDeep
		return out
	}
	for _, key := range slices.Concat(checked, described) {
		if v, ok := s[key]; ok {
			out[key] = v
		}
	}
	if values, _ := s["enum"].([]any); slices.Contains(values, nil) {
		delete(out, "enum") // a server never accepts null where there is an enum
		c.unchecked["enum with null"] = true
	}
	c.exclusive(s, out)
	for key, v := range s {
		switch {
		case strings.HasPrefix(key, "x-kubernetes-"):
			out[key] = v
		case key == "const":
			out["enum"] = []any{v}
		case !known(key):
			c.unchecked[key] = true
		}
	}
	c.types(s, out)
	c.children(s, out, depth)
	if out["type"] == "object" && out["properties"] == nil && out["additionalProperties"] == nil {
		out[preserve] = true // a JSON Schema allows all fields
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, ok := s[key].([]any)
		if !ok || key != "allOf" && out["x-kubernetes-int-or-string"] == true && ofScalars(list) {
			continue
		}
		var branches []any
		for _, b := range list {
			branch, ok := c.branch(b, out, depth+1)
			if !ok {
				c.unchecked[key] = true
				branches = nil
				break
			}
			branches = append(branches, branch)
		}
		if len(branches) > 0 {
			out[key] = branches
		}
	}
	if not, ok := s["not"]; ok {
		if branch, ok := c.branch(not, out, depth+1); ok {
			out["not"] = branch
		} else {
			c.unchecked["not"] = true
		}
	}
	return out
}

// known reports whether a keyword is read, or says nothing about values.
func known(key string) bool {
	switch key {
	case "type", "properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "const",
		"exclusiveMinimum", "exclusiveMaximum":
		return true
	}
	return slices.Contains(checked, key) || slices.Contains(described, key) || slices.Contains(ignored, key)
}

// exclusive reads the exclusive bounds, which are numbers since draft 6.
func (c *converter) exclusive(s, out map[string]any) {
	for key, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		switch v := s[key].(type) {
		case nil:
		case bool:
			out[key] = v
		default:
			if out[bound] != nil {
				c.unchecked[key] = true // both bounds
				continue
			}
			out[bound], out[key] = v, true
		}
	}
}

// types reads the type, which may be a list of types.
func (c *converter) types(s, out map[string]any) {
	var types []string
	switch t := s["type"].(type) {
	case string:
		types = []string{t}
	case []any:
		for _, name := range t {
			if name, ok := name.(string); ok {
				types = append(types, name)
			}
		}
	}
	if slices.Contains(types, "null") && len(types) > 1 {
		out["nullable"] = true
		types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
	}
	slices.Sort(types)
	anyOf, _ := s["anyOf"].([]any)
	oneOf, _ := s["oneOf"].([]any)
	choice := len(types) == 0 && (ofScalars(anyOf) || ofScalars(oneOf))
	switch {
	case choice, slices.Equal(types, []string{"integer", "string"}), out["x-kubernetes-int-or-string"] == true:
		out["x-kubernetes-int-or-string"] = true
		if out["format"] == "int-or-string" {
			delete(out, "format")
		}
	case len(types) == 1 && types[0] != "null":
		out["type"] = types[0]
	case len(types) == 0 && s["properties"] != nil:
		out["type"] = "object"
	case len(types) == 0 && s["items"] != nil:
		out["type"] = "array"
	default:
		out[preserve] = true
		if len(types) > 0 {
			c.unchecked["type"] = true
		}
	}
}

// ofScalars reports whether branches are {type: integer} and {type: string}: the form of an int-or-string.
func ofScalars(branches []any) bool {
	var types []string
	for _, b := range branches {
		b, _ := b.(map[string]any)
		t, _ := b["type"].(string)
		if t == "" || len(b) > 1 {
			return false
		}
		types = append(types, t)
	}
	slices.Sort(types)
	return slices.Equal(types, []string{"integer", "string"})
}

// children reads the schemas of fields and items.
func (c *converter) children(s, out map[string]any, depth int) {
	if properties, ok := s["properties"].(map[string]any); ok {
		fields := map[string]any{}
		for name, p := range properties {
			fields[name] = c.child(p, depth)
		}
		out["properties"] = fields
	}
	switch a := s["additionalProperties"].(type) {
	case map[string]any:
		if out["properties"] == nil {
			out["additionalProperties"] = c.schema(a, depth+1)
			break
		}
		c.unchecked["additionalProperties"] = true
		out[preserve] = true
	case bool:
		if a && out["properties"] != nil {
			out[preserve] = true
		}
		if !a && out["properties"] == nil {
			out["properties"] = map[string]any{}
		}
	case nil:
		if out["properties"] != nil && out["type"] == "object" {
			out[preserve] = true // other fields are allowed
		}
	}
	switch items := s["items"].(type) {
	case map[string]any:
		out["items"] = c.schema(items, depth+1)
	case nil:
		if out["type"] == "array" {
			out["items"] = map[string]any{preserve: true}
		}
	default:
		c.unchecked["items"] = true
		out["items"] = map[string]any{preserve: true}
	}
}

// child reads the schema of a field, which may also be true.
func (c *converter) child(s any, depth int) map[string]any {
	if m, ok := s.(map[string]any); ok {
		return c.schema(m, depth+1)
	}
	if s != true {
		c.unchecked["false"] = true
	}
	return map[string]any{preserve: true}
}

// branch returns a branch of a combinator. It reports false if the branch has a keyword that branches of definitions do
// not have, or is about a field or items that around does not describe.
func (c *converter) branch(s any, around map[string]any, depth int) (map[string]any, bool) {
	m, ok := s.(map[string]any)
	if !ok || depth > constraint.MaxDepth {
		return nil, false
	}
	out := map[string]any{}
	for key, v := range m {
		switch {
		case slices.Contains(checked, key):
			out[key] = v
		case key == "properties":
			fields := map[string]any{}
			outer, _ := around["properties"].(map[string]any)
			properties, _ := v.(map[string]any)
			for name, p := range properties {
				there, _ := outer[name].(map[string]any)
				branch, ok := c.branch(p, there, depth+1)
				if there == nil || !ok {
					return nil, false
				}
				fields[name] = branch
			}
			out[key] = fields
		case key == "items":
			there, _ := around["items"].(map[string]any)
			branch, ok := c.branch(v, there, depth+1)
			if there == nil || !ok {
				return nil, false
			}
			out[key] = branch
		case key == "allOf", key == "anyOf", key == "oneOf":
			list, _ := v.([]any)
			var branches []any
			for _, b := range list {
				branch, ok := c.branch(b, around, depth+1)
				if !ok {
					return nil, false
				}
				branches = append(branches, branch)
			}
			out[key] = branches
		case key == "not":
			branch, ok := c.branch(v, around, depth+1)
			if !ok {
				return nil, false
			}
			out[key] = branch
		case key == "const":
			out["enum"] = []any{v}
		case key == "type" && v == around["type"], key == "title", key == "description", slices.Contains(ignored, key):
		default:
			return nil, false
		}
	}
	return out, true
}
