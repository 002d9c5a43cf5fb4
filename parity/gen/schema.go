package gen

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Schemas says which schemas are wanted.
type Schemas struct {
	// Wild schemas may violate the rules of structural schemas. Others are structural, but a server may still refuse
	// them.
	Wild bool
	// Unsupported schemas may also have keywords that structural schemas do not support.
	Unsupported bool
}

// The values that schemas are made of.
var (
	types   = []string{"string", "integer", "object", "array", "boolean", "number"}
	formats = []string{
		"date-time", "int32", "int64", "date", "byte", "uri", "ipv4", "double", "float", "duration", "uuid", "email", "hostname", "ipv6", "cidr",
		"k8s-short-name", "k8s-long-name", "datetime", "d-a-t-e", "DATE", "unknown", "password", "mac", "hexcolor",
	}
	patterns   = []string{"^a", "^[a-z]+$", "b", "^.{1,3}$", "^$", "[0-9]+", "(?i)A", "^(a|b)*$", `\d`, "ä", "^[^ ]*$", `^v[0-9]+$`}
	badPattern = []string{"(", "a(?=b)", "[z-a]", `\8`, "a**", "x{1001}"}
	lengths    = []int64{0, 1, 2, 3, 5, 63, -1, -2}
	bounds     = []string{"0", "1", "5", "-1", "1.5", "2.5", "10", "100", "0.1", "1e3", "1e300", "-1e300", "2147483648", "9223372036854775807", "5.0"}
	factors    = []string{"1", "2", "5", "0.1", "0.5", "2.5", "0", "-1", "1e300", "0.01", "3.0"}
	propNames  = []string{"a", "b", "c", "spec", "name", "status", "kind", "items", "a.b", "metadata", "apiVersion", "x/y", ""}
)

// A schemer makes a schema.
type schemer struct {
	*Source
	Schemas
}

// Schema returns a schema of a whole object, as JSON data.
func Schema(s *Source, o Schemas) map[string]any {
	g := schemer{s, o}
	p := map[string]any{"type": "object"}
	switch {
	case g.OneIn(8):
		p["x-kubernetes-preserve-unknown-fields"] = true
		if g.OneIn(2) {
			delete(p, "type")
		}
	case g.OneIn(16):
		p["x-kubernetes-embedded-resource"] = true
		p["x-kubernetes-preserve-unknown-fields"] = true
	}
	props := map[string]any{}
	for range 1 + g.Intn(4) {
		props[Pick(s, []string{"spec", "status", "a", "b", "c", "a.b", "x/y", ""})] = g.node(3)
	}
	if g.OneIn(4) {
		props["apiVersion"] = map[string]any{"type": "string"}
		props["kind"] = map[string]any{"type": "string"}
	}
	if g.OneIn(4) {
		props["metadata"] = g.rootMetadata()
	}
	p["properties"] = props
	g.checks(p, "object")
	if g.OneIn(3) {
		g.combinators(p, p, 2)
	}
	g.spoil(p)
	return p
}

// Node returns a schema of a value of any kind, as JSON data.
func Node(s *Source, o Schemas) map[string]any {
	g := schemer{s, o}
	return g.node(3)
}

// List returns a schema of a list, often one whose items must differ, as JSON data.
func List(s *Source) map[string]any {
	g := schemer{s, Schemas{}}
	p := map[string]any{"type": "array", "items": g.node(1)}
	g.listType(p, 2)
	return p
}

// rootMetadata returns a schema that is allowed for the metadata of the whole object (SVL-009).
func (g *schemer) rootMetadata() map[string]any {
	props := map[string]any{}
	for _, k := range []string{"name", "generateName"} {
		if g.OneIn(2) {
			p := map[string]any{"type": "string"}
			g.checks(p, "string")
			props[k] = p
		}
	}
	p := map[string]any{"type": "object"}
	if len(props) > 0 {
		p["properties"] = props
	}
	return p
}

// node returns a schema outside of combinators, with up to depth levels.
func (g *schemer) node(depth int) map[string]any {
	p := map[string]any{}
	typ := g.shape(p, depth)
	g.checks(p, typ)
	if g.OneIn(6) {
		p["nullable"] = true
	}
	if g.OneIn(8) {
		g.combinators(p, p, 2)
	}
	if g.OneIn(4) {
		p["default"] = g.defaultFor(p)
	}
	g.spoil(p)
	return p
}

// shape sets the keywords for the structure of values, and returns the type.
func (g *schemer) shape(p map[string]any, depth int) string {
	choices := 16
	if depth <= 0 {
		choices = 8
	}
	set := func(keyed map[string]any) { maps.Copy(p, keyed) }
	switch g.Intn(choices) {
	default: // 0 to 4
		typ := Pick(g.Source, []string{"string", "integer", "boolean", "number"})
		p["type"] = typ
		return typ
	case 5:
		p["x-kubernetes-int-or-string"] = true
		pattern := []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
		switch g.Intn(4) {
		case 1:
			p["anyOf"] = pattern
		case 2:
			p["allOf"] = []any{map[string]any{"anyOf": pattern}, map[string]any{"maximum": json.Number("5")}}
		}
		return ""
	case 6:
		p["x-kubernetes-preserve-unknown-fields"] = true
		if g.OneIn(2) {
			p["type"] = Pick(g.Source, types[:4])
			if p["type"] == "array" {
				p["items"] = g.node(depth - 1)
			}
		}
		return ""
	case 7:
		p["type"] = "object"
		if g.OneIn(2) {
			p["x-kubernetes-preserve-unknown-fields"] = true
		}
		return "object"
	case 8, 9, 10:
		set(map[string]any{"type": "object", "properties": g.properties(depth)})
		if g.OneIn(5) {
			p["x-kubernetes-preserve-unknown-fields"] = true
		}
		if g.OneIn(10) { // refused by a server, but structural
			p["additionalProperties"] = g.additional(depth)
		}
		return "object"
	case 11:
		set(map[string]any{"type": "object", "additionalProperties": g.additional(depth)})
		return "object"
	case 12, 13, 14:
		set(map[string]any{"type": "array", "items": g.node(depth - 1)})
		g.listType(p, depth)
		return "array"
	case 15:
		set(map[string]any{"type": "object", "x-kubernetes-embedded-resource": true, "properties": g.embeddedProperties(depth)})
		if g.OneIn(2) {
			p["x-kubernetes-preserve-unknown-fields"] = true
		}
		return "object"
	}
}

func (g *schemer) properties(depth int) map[string]any {
	props := map[string]any{}
	for range g.Intn(4) {
		props[Pick(g.Source, propNames)] = g.node(depth - 1)
	}
	return props
}

// embeddedProperties returns the properties of an embedded resource, which has at least one, and may declare what every
// resource has (SVL-007, SVL-008).
func (g *schemer) embeddedProperties(depth int) map[string]any {
	props := g.properties(depth)
	props["spec"] = g.node(depth - 1)
	for _, k := range []string{"apiVersion", "kind"} {
		delete(props, k)
		if g.OneIn(3) {
			props[k] = map[string]any{"type": "string"}
		}
	}
	delete(props, "metadata")
	if g.OneIn(3) {
		props["metadata"] = map[string]any{"type": "object", "properties": g.properties(depth - 1)}
	}
	return props
}

func (g *schemer) additional(depth int) any {
	switch g.Intn(6) {
	case 4:
		return true
	case 5:
		return false
	}
	return g.node(depth - 1)
}

func (g *schemer) listType(p map[string]any, depth int) {
	switch g.Intn(6) {
	case 3:
		p["x-kubernetes-list-type"] = "atomic"
	case 4:
		p["x-kubernetes-list-type"] = "set"
	case 5:
		p["x-kubernetes-list-type"] = "map"
		names := []any{"name"}
		props := map[string]any{"name": g.node(0)}
		if g.OneIn(2) {
			names = append(names, "port")
			props["port"] = g.node(0)
		}
		if g.OneIn(2) {
			props["a"] = g.node(depth - 2)
		}
		p["items"] = map[string]any{"type": "object", "properties": props}
		p["x-kubernetes-list-map-keys"] = names
		if g.OneIn(10) {
			delete(p, "x-kubernetes-list-map-keys")
		}
	}
}

// checks sets keywords that constrain values, mostly ones for the type.
func (g *schemer) checks(p map[string]any, typ string) {
	if g.OneIn(12) {
		typ = Pick(g.Source, types) // keywords for another type
	}
	switch typ {
	case "string", "":
		g.one(p, 5, "minLength", lengths)
		g.one(p, 5, "maxLength", lengths)
		if g.OneIn(5) {
			p["pattern"] = Pick(g.Source, patterns)
		}
		if g.OneIn(4) {
			p["format"] = Pick(g.Source, formats)
		}
	case "object":
		g.one(p, 8, "minProperties", lengths[:5])
		g.one(p, 8, "maxProperties", lengths[:5])
		g.required(p)
	case "array":
		g.one(p, 6, "minItems", lengths)
		g.one(p, 6, "maxItems", lengths)
		if g.OneIn(12) {
			p["uniqueItems"] = true // refused by a server, but structural
		}
	}
	if typ == "integer" || typ == "number" || typ == "" {
		g.bound(p, "minimum", "exclusiveMinimum")
		g.bound(p, "maximum", "exclusiveMaximum")
		if g.OneIn(6) {
			p["multipleOf"] = g.number(factors)
		}
		if g.OneIn(3) {
			p["format"] = Pick(g.Source, []string{"int32", "int64", "float", "double", "date"})
		}
	}
	if g.OneIn(8) {
		p["enum"] = g.enum(p)
	}
	if g.OneIn(20) {
		p["description"] = "text"
	}
}

func (g *schemer) one(p map[string]any, n int, key string, values []int64) {
	if g.OneIn(n) {
		p[key] = Pick(g.Source, values)
	}
}

func (g *schemer) bound(p map[string]any, key, exclusive string) {
	if g.OneIn(4) {
		p[key] = g.number(bounds)
	}
	if g.OneIn(12) {
		p[exclusive] = true
	}
}

func (g *schemer) number(pool []string) json.Number {
	if g.OneIn(6) {
		return InJSON(Float(g.Source)).(json.Number)
	}
	return json.Number(Pick(g.Source, pool))
}

func (g *schemer) required(p map[string]any) {
	if !g.OneIn(3) {
		return
	}
	props, _ := p["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(props))
	names = append(names, Key(g.Source))
	required := []any{}
	for range 1 + g.Intn(2) {
		required = append(required, Pick(g.Source, names))
	}
	p["required"] = required
}

func (g *schemer) enum(p map[string]any) []any {
	values := make([]any, 1+g.Intn(3))
	for i := range values {
		if g.OneIn(5) {
			values[i] = InJSON(Any(g.Source, 1))
			continue
		}
		values[i] = InJSON(fitting(g.Source, p["type"]))
	}
	if g.OneIn(8) { // more than a linear search is for
		for i := range 10 {
			values = append(values, "e"+strconv.Itoa(i))
		}
	}
	return values
}

// defaultFor returns a default that is partly valid for p.
func (g *schemer) defaultFor(p map[string]any) any {
	if g.OneIn(8) {
		return InJSON(Any(g.Source, 2))
	}
	return InJSON(Object{Source: g.Source, Odd: 8}.Value(p, 2))
}

// combinators adds allOf, anyOf, oneOf or not to p, whose values spine describes.
func (g *schemer) combinators(p, spine map[string]any, depth int) {
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if _, has := p[k]; has || !g.OneIn(3) {
			continue
		}
		branches := make([]any, g.Intn(4))
		for i := range branches {
			branches[i] = g.branch(spine, depth-1)
		}
		p[k] = branches
	}
	if g.OneIn(4) {
		p["not"] = g.branch(spine, depth-1)
	}
}

// branch returns a schema inside of a combinator. It uses the properties of spine, because those of branches at the
// root must be declared (SVL-020).
func (g *schemer) branch(spine map[string]any, depth int) map[string]any {
	p := map[string]any{}
	typ, _ := spine["type"].(string)
	if g.OneIn(4) {
		typ = ""
	}
	g.checks(p, typ)
	delete(p, "description")
	if depth <= 0 {
		return p
	}
	props, _ := spine["properties"].(map[string]any)
	if names := slices.Sorted(maps.Keys(props)); len(names) > 0 && g.OneIn(2) {
		below := map[string]any{}
		for range 1 + g.Intn(2) {
			name := Pick(g.Source, names)
			if name == "metadata" && !g.Wild {
				continue // SVL-010
			}
			below[name] = g.branch(props[name].(map[string]any), depth-1)
		}
		p["properties"] = below
	}
	if items, ok := spine["items"].(map[string]any); ok && g.OneIn(2) {
		p["items"] = g.branch(items, depth-1)
	}
	if g.OneIn(4) {
		g.combinators(p, spine, depth)
	}
	if g.Wild && g.OneIn(6) {
		maps.Copy(p, g.node(depth-1))
	}
	g.spoil(p)
	return p
}

// spoil makes p violate a rule of structural schemas, if the options allow it.
func (g *schemer) spoil(p map[string]any) {
	if g.Unsupported && g.OneIn(60) {
		k := Pick(g.Source, []string{"$ref", "id", "$schema", "patternProperties", "definitions", "dependencies", "additionalItems", "x-kubernetes-preserve-unknown-fields", "items"})
		p[k] = map[string]any{
			"$ref": "#/definitions/a", "id": "x", "$schema": "x", "patternProperties": map[string]any{"a": map[string]any{}},
			"definitions": map[string]any{"a": map[string]any{}}, "dependencies": map[string]any{"a": []any{"b"}}, "additionalItems": false,
			"x-kubernetes-preserve-unknown-fields": false, "items": []any{map[string]any{}},
		}[k]
		return
	}
	if !g.Wild || !g.OneIn(10) {
		return
	}
	switch g.Intn(18) {
	case 0:
		delete(p, "type")
	case 1:
		p["type"] = Pick(g.Source, append([]string{"null", "float"}, types...))
	case 2:
		delete(p, "items")
	case 3:
		p["x-kubernetes-int-or-string"] = true
	case 4:
		p["x-kubernetes-preserve-unknown-fields"] = true
	case 5:
		p["x-kubernetes-embedded-resource"] = true
	case 6:
		p["additionalProperties"] = Pick(g.Source, []any{true, false, map[string]any{"type": "string"}, map[string]any{}})
	case 7:
		p["pattern"] = Pick(g.Source, badPattern)
	case 8:
		p["nullable"] = true
	case 9:
		p["default"] = InJSON(Any(g.Source, 1))
	case 10:
		p["x-kubernetes-list-type"] = Pick(g.Source, []string{"set", "map", "atomic", "other"})
	case 11:
		p["x-kubernetes-map-type"] = Pick(g.Source, []string{"granular", "atomic"})
	case 12:
		p["x-kubernetes-list-map-keys"] = []any{"a"}
	case 13:
		p["x-kubernetes-validations"] = []any{map[string]any{"rule": "true"}}
	case 14:
		p["title"] = "text"
	case 15:
		p["description"] = "text"
	case 16:
		k := Pick(g.Source, []string{"metadata", "kind", "apiVersion", "a", "b"})
		props, _ := p["properties"].(map[string]any)
		if props = maps.Clone(props); props == nil {
			props = map[string]any{}
		}
		props[k] = Pick(g.Source, []any{
			map[string]any{}, map[string]any{"type": "string"}, map[string]any{"type": "object", "description": "text"},
			map[string]any{"type": "object", "required": []any{}}, map[string]any{"type": "object", "properties": map[string]any{"labels": map[string]any{}}},
		})
		p["properties"] = props
	case 17:
		k := Pick(g.Source, []string{"required", "allOf", "anyOf", "oneOf", "enum", "x-kubernetes-list-map-keys", "x-kubernetes-validations"})
		p[k] = []any{}
	}
}

// InJSON returns v as the data of a document, in which a float with an integer value has a decimal point or an
// exponent.
func InJSON(v any) any {
	return leaves(v, func(v any) any {
		x, ok := v.(float64)
		if !ok {
			return v
		}
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			text += ".0"
		}
		return json.Number(text)
	})
}
