package gen

import (
	"maps"
	"slices"
)

// Ruled generates values for a schema with rules. Most of them are valid.
type Ruled struct {
	*Source
	// About one in Odd values does not follow the schema.
	Odd int
}

// Whole returns a whole object.
func (o Ruled) Whole(p map[string]any) map[string]any {
	m := o.object(p)
	o.resource(m)
	return m
}

func (o Ruled) resource(m map[string]any) {
	if _, has := m["apiVersion"]; !has && !o.OneIn(12) {
		m["apiVersion"] = "g.io/v1"
	}
	if _, has := m["kind"]; !has && !o.OneIn(12) {
		m["kind"] = Pick(o.Source, []string{"K", "Kind"})
	}
	if _, has := m["metadata"]; !has && !o.OneIn(6) {
		meta := map[string]any{"name": textOf(o.Source, "dns"), "generateName": "a-"}
		if o.OneIn(4) {
			meta["labels"] = map[string]any{"a": "b"}
		}
		m["metadata"] = meta
	}
}

// Value returns a value for the schema p.
func (o Ruled) Value(p map[string]any) any {
	if o.OneIn(o.Odd) || p["nullable"] == true && o.OneIn(4) {
		return nil
	}
	if o.OneIn(o.Odd) {
		return o.any(2)
	}
	if enum, ok := p["enum"].([]any); ok && !o.OneIn(4) {
		return decoded(Pick(o.Source, enum))
	}
	switch p["type"] {
	case "object":
		m := o.object(p)
		if p["x-kubernetes-embedded-resource"] == true {
			o.resource(m)
		}
		return m
	case "array":
		return o.list(p)
	case "string":
		format, _ := p["format"].(string)
		if kind, ok := ruleFormats[format]; ok && !o.OneIn(o.Odd) {
			return textOf(o.Source, kind)
		}
		return RuleText(o.Source)
	case "integer":
		if o.OneIn(o.Odd) {
			return Pick(o.Source, ruleFloats)
		}
		return Pick(o.Source, ruleIntegers)
	case "number":
		if o.OneIn(3) {
			return Pick(o.Source, ruleIntegers)
		}
		return Pick(o.Source, ruleFloats)
	case "boolean":
		return o.OneIn(2)
	}
	if p["x-kubernetes-int-or-string"] == true {
		if o.OneIn(2) {
			return RuleText(o.Source)
		}
		return Pick(o.Source, ruleIntegers)
	}
	return o.any(2)
}

func (o Ruled) object(p map[string]any) map[string]any {
	m := map[string]any{}
	props, _ := p["properties"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		if !o.OneIn(10) {
			child, _ := props[k].(map[string]any)
			m[k] = o.Value(child)
		}
	}
	if a, ok := p["additionalProperties"].(map[string]any); ok {
		for range Pick(o.Source, []int{0, 1, 1, 2, 2, 3}) {
			m[Pick(o.Source, ruleKeys)] = o.Value(a)
		}
	}
	if p["additionalProperties"] == true || p["x-kubernetes-preserve-unknown-fields"] == true {
		for range o.Intn(3) {
			m[Pick(o.Source, ruleKeys)] = o.any(2)
		}
	}
	for o.OneIn(o.Odd) {
		m[Pick(o.Source, ruleKeys)] = o.any(1)
	}
	return m
}

func (o Ruled) list(p map[string]any) []any {
	items, _ := p["items"].(map[string]any)
	l := make([]any, 0, 4)
	for range Pick(o.Source, []int{0, 1, 2, 2, 3, 3, 4}) {
		if len(l) > 0 && o.OneIn(6) {
			l = append(l, copied(Pick(o.Source, l)))
			continue
		}
		l = append(l, o.Value(items))
	}
	return l
}

func (o Ruled) any(depth int) any {
	n := 8
	if depth <= 0 {
		n = 6
	}
	switch o.Intn(n) {
	default: // 0 and 1
		return RuleText(o.Source)
	case 2, 3:
		return Pick(o.Source, ruleIntegers)
	case 4:
		return Pick(o.Source, ruleFloats)
	case 5:
		return Pick(o.Source, []any{true, false, nil})
	case 6:
		l := make([]any, o.Intn(4))
		for i := range l {
			l[i] = o.any(depth - 1)
		}
		return l
	case 7:
		m := map[string]any{}
		for range o.Intn(3) {
			m[Pick(o.Source, ruleKeys)] = o.any(depth - 1)
		}
		return m
	}
}

// Changed returns a copy of v, a value for the schema p, as it may have been before an update: often the same, or
// nearly the same.
func (o Ruled) Changed(p map[string]any, v any) any {
	switch {
	case o.OneIn(12):
		return o.Value(p)
	case o.OneIn(3):
		return copied(v)
	}
	switch x := v.(type) {
	case map[string]any:
		m := map[string]any{}
		props, _ := p["properties"].(map[string]any)
		values, _ := p["additionalProperties"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(x)) {
			child, ok := props[k].(map[string]any)
			if !ok {
				child = values
			}
			if !o.OneIn(12) {
				m[k] = o.Changed(child, x[k])
			}
		}
		return m
	case []any:
		items, _ := p["items"].(map[string]any)
		l := make([]any, 0, len(x))
		for _, c := range x {
			if !o.OneIn(8) {
				l = append(l, o.Changed(items, c))
			}
		}
		if len(l) > 1 && o.OneIn(4) {
			l[0], l[1] = l[1], l[0]
		}
		if o.OneIn(6) {
			l = append(l, o.Value(items))
		}
		return l
	}
	if o.OneIn(4) {
		return o.Value(p)
	}
	return v
}
