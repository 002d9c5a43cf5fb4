package gen

import (
	"maps"
	"slices"
	"strings"
)

// AddRules adds rules to nodes of the schema p: at least one, and at most limit.
func AddRules(s *Source, p map[string]any, limit int) {
	places := rulePlaces(p, true)
	for range 1 + s.Intn(limit) {
		at := places[0]
		if s.OneIn(2) {
			at = Pick(s, places)
		}
		w := &writer{Source: s}
		typ := w.typeOf(at.schema, at.resource)
		if typ == "" {
			typ = "dyn" // no rule can be about such values
		}
		rules, _ := at.schema["x-kubernetes-validations"].([]any)
		at.schema["x-kubernetes-validations"] = append(rules, w.rule(typ, at.schema))
	}
}

type rulePlace struct {
	schema   map[string]any
	resource bool
}

func rulePlaces(p map[string]any, root bool) []rulePlace {
	places := []rulePlace{{p, root || p["x-kubernetes-embedded-resource"] == true}}
	props, _ := p["properties"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		if child, ok := props[k].(map[string]any); ok && !(root && k == "metadata") {
			places = append(places, rulePlaces(child, false)...)
		}
	}
	for _, k := range []string{"items", "additionalProperties"} {
		if child, ok := p[k].(map[string]any); ok {
			places = append(places, rulePlaces(child, false)...)
		}
	}
	return places
}

var printable = []string{
	"int", "string", "bool", "double", "uint", "bytes", "duration", "timestamp", "list(int)", "list(string)", "list(double)", "list(timestamp)", "list(duration)", "list(bool)", "list(dyn)", "dyn",
	"map(string,int)", "map(string,string)", "type", "list(list(int))", "map(string,list(string))", "list(bytes)", "list(uint)", "map(int,string)", "int", "string", "string", "double",
}

// rule returns a rule about values of a type, which the schema p has.
func (w *writer) rule(typ string, p map[string]any) map[string]any {
	r := map[string]any{}
	w.vars = []variable{{"self", typ}}
	if w.OneIn(4) {
		old := typ
		if w.OneIn(3) {
			r["optionalOldSelf"] = true
			old = "optional(" + typ + ")"
		}
		w.vars = append(w.vars, variable{"oldSelf", old})
	}
	w.left = Pick(w.Source, []int{3, 6, 10, 16, 30})
	depth := 1 + w.Intn(5)
	switch w.Intn(4) {
	default: // 0 and 1
		r["rule"] = w.write("bool", depth)
	case 2: // a rule that fails, with the value of an expression in the message
		value := w.write(Pick(w.Source, printable), depth)
		if t := w.anyType(); w.OneIn(3) && t[0] != '#' {
			value = w.write(t, depth)
		}
		r["rule"] = "size([" + value + "]) == 0"
		r["messageExpression"] = "'%s'.format([" + value + "])"
	case 3: // a rule that compares
		t := w.with(binding{}, "A")
		r["rule"] = w.write(t, depth) + Pick(w.Source, []string{" == ", " != "}) + w.write(t, depth)
	}
	if _, has := r["messageExpression"]; !has && w.OneIn(4) {
		w.left = 10
		r["messageExpression"] = w.write("string", depth)
	}
	for _, k := range []string{"rule", "messageExpression"} {
		if text, ok := r[k].(string); ok && w.OneIn(100) {
			r[k] = edited(w.Source, text, "()[]{}.,?:'\"&|! +-*/%<>=_0aä\t\n\\`@$")
		}
	}
	if w.OneIn(6) || strings.Contains(r["rule"].(string), "\n") {
		r["message"] = Pick(w.Source, []string{"no", " too long ", "<bad>"})
	}
	if w.OneIn(8) {
		r["reason"] = Pick(w.Source, []string{"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"})
	}
	if typ[0] == '#' && w.OneIn(8) {
		r["fieldPath"] = w.fieldPath(p)
	}
	return r
}

// fieldPath returns the path of something in an object of the schema p, or a path to nothing.
func (w *writer) fieldPath(p map[string]any) string {
	props, _ := p["properties"].(map[string]any)
	if len(props) == 0 || w.OneIn(12) {
		return Pick(w.Source, []string{".spec", ".a", "['a-b']", "['it\\'s']", ".a.b", "a", ".m['k']", ".."})
	}
	k := Pick(w.Source, slices.Sorted(maps.Keys(props)))
	path := "['" + k + "']"
	if e, ok := escaped(k); ok && e == k && w.OneIn(2) {
		path = "." + k
	}
	child, _ := props[k].(map[string]any)
	if _, deeper := child["properties"]; deeper && w.OneIn(2) {
		path += w.fieldPath(child)
	}
	return path
}

// RulePlaces returns how many nodes of the schema p have rules.
func RulePlaces(p map[string]any) int {
	n := 0
	for _, at := range rulePlaces(p, true) {
		if _, has := at.schema["x-kubernetes-validations"]; has {
			n++
		}
	}
	return n
}

// RulePlace returns the steps to a node of p that is not the root and not of a resource's own fields, and its schema:
// properties by name, [items] and [additionalProperties]. It returns nil if there is none.
func RulePlace(s *Source, p map[string]any) (steps []string, schema map[string]any) {
	for range 1 + s.Intn(3) {
		var next []string
		props, _ := p["properties"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(props)) {
			if k != "metadata" && k != "kind" && k != "apiVersion" {
				next = append(next, k)
			}
		}
		for _, k := range []string{"items", "additionalProperties"} {
			if _, ok := p[k].(map[string]any); ok {
				next = append(next, "["+k+"]")
			}
		}
		if len(next) == 0 {
			break
		}
		step := Pick(s, next)
		child, ok := props[step].(map[string]any)
		if !ok {
			child = p[strings.Trim(step, "[]")].(map[string]any)
		}
		steps, p = append(steps, step), child
	}
	if len(steps) == 0 {
		return nil, nil
	}
	return steps, p
}

// Request is a whole object with what an evaluation of rules is asked for, as JSON data: the object before an update,
// whether to ratchet, and with small a small budget.
func (o Ruled) Request(p map[string]any, small bool) map[string]any {
	return o.request(p, o.Whole(p), small)
}

// RequestForValue is Request for a value of any kind.
func (o Ruled) RequestForValue(p map[string]any, small bool) map[string]any {
	return o.request(p, o.Value(p), small)
}

func (o Ruled) request(p map[string]any, v any, small bool) map[string]any {
	m := map[string]any{"object": v}
	if o.OneIn(2) {
		m["old"] = o.Changed(p, v)
		if !o.OneIn(3) {
			m["ratchet"] = true
		}
	}
	if small && o.OneIn(6) {
		m["budget"] = Pick(o.Source, []int64{1, 5, 10, 20, 50, 100, 1000})
	}
	return m
}
