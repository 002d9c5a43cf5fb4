package gen

import (
	"encoding/json"
	"maps"
	"slices"
)

// ruledSchemer generates schemas that a server accepts, to which rules are added. Nodes that may get rules have no
// defaults, because a server evaluates the rules on them.
type ruledSchemer struct{ *Source }

var (
	ruledNames = []string{
		"a", "b", "s", "i", "l", "m", "o", "name", "spec", "x", "a-b", "a.b", "x/y", "a__b", "namespace", "if", "in", "true", "type", "int", "self", "oldSelf",
		"$x", "0a", "", "ä", "metadata", "kind", "size", "map",
	}
	ruledFormats = []string{
		"", "", "", "", "", "date", "date-time", "duration", "byte", "uri", "ipv4", "cidr", "uuid", "email", "hostname", "datetime", "int-or-string", "unknown",
		"password", "k8s-short-name",
	}
	ruledLimits = []int64{0, 1, 2, 3, 5, 10, 20, 63, 253, 1000, 5000}
)

// RuledSchema returns the schema of a whole object with things of every type in it, and no rules.
func RuledSchema(s *Source) map[string]any {
	g := ruledSchemer{s}
	p := map[string]any{"type": "object"}
	props := map[string]any{}
	for range 2 + g.Intn(4) {
		props[Pick(s, ruledNames)] = g.node(3)
	}
	for _, k := range []string{"metadata", "kind"} {
		delete(props, k)
	}
	if g.OneIn(6) {
		props["apiVersion"], props["kind"] = g.short(), g.short()
	}
	if g.OneIn(6) {
		props["metadata"] = map[string]any{"type": "object", "properties": map[string]any{"name": g.short(), "generateName": g.short()}}
	}
	p["properties"] = props
	if g.OneIn(6) {
		p["x-kubernetes-preserve-unknown-fields"] = true
	}
	g.required(p)
	return p
}

// short is a string that is not too long, or one without a limit.
func (g *ruledSchemer) short() map[string]any {
	p := map[string]any{"type": "string"}
	if g.OneIn(2) {
		p["maxLength"] = Pick(g.Source, ruledLimits)
	}
	return p
}

func (g *ruledSchemer) node(depth int) map[string]any {
	p := g.bare(depth)
	if g.OneIn(8) {
		p["nullable"] = true
	}
	return p
}

func (g *ruledSchemer) bare(depth int) map[string]any {
	if depth <= 0 || g.OneIn(3) {
		return g.scalar()
	}
	switch g.Intn(10) {
	default: // 0 to 2
		return g.object(depth)
	case 3, 4, 5:
		return g.list(depth)
	case 6, 7:
		p := map[string]any{"type": "object", "additionalProperties": g.node(depth - 1)}
		if g.OneIn(8) {
			p["additionalProperties"] = true
		}
		if g.OneIn(8) {
			p["x-kubernetes-map-type"] = Pick(g.Source, []string{"granular", "atomic"})
		}
		g.limit(p, "maxProperties")
		return p
	case 8:
		p := g.object(depth)
		p["x-kubernetes-embedded-resource"] = true
		props := p["properties"].(map[string]any)
		for _, k := range []string{"kind", "metadata"} {
			delete(props, k)
		}
		if g.OneIn(3) {
			props["kind"] = g.short()
		}
		if g.OneIn(4) {
			props["apiVersion"] = g.short()
			props["metadata"] = map[string]any{"type": "object", "properties": map[string]any{"name": g.short(), "generateName": g.short(), "labels": map[string]any{
				"type": "object", "additionalProperties": map[string]any{"type": "string"},
			}}}
		}
		props["spec"] = g.node(depth - 1)
		return p
	case 9:
		p := map[string]any{"x-kubernetes-preserve-unknown-fields": true}
		if g.OneIn(2) {
			p["type"] = "object"
		}
		return p
	}
}

func (g *ruledSchemer) object(depth int) map[string]any {
	props := map[string]any{}
	for range 1 + g.Intn(4) {
		props[Pick(g.Source, ruledNames)] = g.node(depth - 1)
	}
	p := map[string]any{"type": "object", "properties": props}
	if g.OneIn(8) {
		p["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.OneIn(8) {
		p["x-kubernetes-map-type"] = Pick(g.Source, []string{"granular", "atomic"})
	}
	if g.OneIn(8) {
		g.limit(p, "maxProperties")
	}
	g.required(p)
	return p
}

func (g *ruledSchemer) required(p map[string]any) {
	if !g.OneIn(3) {
		return
	}
	var required []any
	for _, k := range slices.Sorted(maps.Keys(p["properties"].(map[string]any))) {
		if g.OneIn(2) {
			required = append(required, k)
		}
	}
	if len(required) > 0 {
		p["required"] = required
	}
}

func (g *ruledSchemer) list(depth int) map[string]any {
	p := map[string]any{"type": "array"}
	g.limit(p, "maxItems")
	switch g.Intn(6) {
	case 0, 1:
		p["items"] = g.node(depth - 1)
	case 2:
		p["items"] = g.node(depth - 1)
		p["x-kubernetes-list-type"] = "atomic"
	case 3:
		p["items"] = g.scalar()
		p["x-kubernetes-list-type"] = "set"
		if g.OneIn(8) {
			p["items"] = map[string]any{"type": "array", "items": g.scalar(), "x-kubernetes-list-type": "atomic"}
		}
	default:
		p["x-kubernetes-list-type"] = "map"
		items := g.object(depth - 1)
		props := items["properties"].(map[string]any)
		var keys, required []any
		for range 1 + g.Intn(2) {
			k := Pick(g.Source, []string{"name", "a-b", "key", "port", "if"})
			if slices.Contains(keys, any(k)) {
				continue
			}
			props[k] = Pick(g.Source, []func() map[string]any{
				g.short, func() map[string]any { return map[string]any{"type": "integer"} }, func() map[string]any { return map[string]any{"type": "boolean"} }, g.short,
				func() map[string]any { return map[string]any{"type": "number"} },
			})()
			keys, required = append(keys, k), append(required, k)
		}
		items["required"] = required
		p["items"] = items
		p["x-kubernetes-list-map-keys"] = keys
	}
	return p
}

func (g *ruledSchemer) limit(p map[string]any, key string) {
	if !g.OneIn(3) {
		p[key] = Pick(g.Source, ruledLimits)
	}
}

func (g *ruledSchemer) scalar() map[string]any {
	switch g.Intn(8) {
	default: // 0 to 2
		p := map[string]any{"type": "string"}
		g.limit(p, "maxLength")
		if f := Pick(g.Source, ruledFormats); f != "" {
			p["format"] = f
		} else if g.OneIn(6) {
			p["enum"] = []any{"a", "abc", RuleText(g.Source)}
		}
		return p
	case 3, 4:
		p := map[string]any{"type": "integer"}
		if g.OneIn(4) {
			p["format"] = Pick(g.Source, []string{"int32", "int64"})
		}
		if g.OneIn(8) {
			p["enum"] = []any{json.Number("1"), json.Number("5")}
		}
		return p
	case 5:
		p := map[string]any{"type": "number"}
		if g.OneIn(4) {
			p["format"] = Pick(g.Source, []string{"float", "double"})
		}
		return p
	case 6:
		return map[string]any{"type": "boolean"}
	case 7:
		p := map[string]any{"x-kubernetes-int-or-string": true}
		if g.OneIn(3) {
			p["maxLength"] = Pick(g.Source, ruledLimits)
		}
		return p
	}
}
