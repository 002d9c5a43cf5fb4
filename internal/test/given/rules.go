package given

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// RuledSchema returns the document of a schema like those of [Maker.Schema], with some rules, and sometimes
// with a status. Most rules hold for most objects, and nearly all of them compile.
func (m *Maker) RuledSchema() map[string]any {
	doc := m.Schema()
	if props, ok := doc["properties"].(map[string]any); ok && m.chance(0.4) {
		props["status"] = m.object(1)
		if m.chance(0.1) {
			props["status"].(map[string]any)["default"] = m.Value(props["status"].(map[string]any))
		}
	}
	m.addRules(doc, true)
	if m.chance(0.2) && doc["type"] != nil {
		rules, _ := doc["x-kubernetes-validations"].([]any)
		about := pick(m, "!has(self.metadata.name) || self.metadata.name != 'no'", "self.metadata.?name.orValue('x').size() < 40", "self.kind == 'Thing'")
		doc["x-kubernetes-validations"] = append(rules, map[string]any{"rule": about})
	}
	return doc
}

// addRules adds rules to a schema and to those below it. hasOld means that its values have old values.
func (m *Maker) addRules(doc map[string]any, hasOld bool) {
	if doc["type"] != nil && m.chance(0.2) {
		doc["x-kubernetes-validations"] = m.several(func() any { return m.rule(doc, hasOld) })
	}
	props, _ := doc["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		m.addRules(props[name].(map[string]any), hasOld)
	}
	if others, ok := doc["additionalProperties"].(map[string]any); ok {
		m.addRules(others, hasOld)
	}
	if items, ok := doc["items"].(map[string]any); ok {
		m.addRules(items, hasOld && doc["x-kubernetes-list-type"] == "map")
	}
}

func (m *Maker) rule(doc map[string]any, hasOld bool) map[string]any {
	rule := map[string]any{}
	about := m.condition("self", doc, 3)
	if hasOld && m.chance(0.2) {
		if m.chance(0.3) {
			rule["optionalOldSelf"] = true
			about = pick(m, "!oldSelf.hasValue() || self == oldSelf.value()", "oldSelf.hasValue() || "+about)
		} else {
			about = pick(m, "self == oldSelf", "self != oldSelf", "self == oldSelf || "+about)
		}
	}
	rule["rule"] = about
	if m.chance(0.1) {
		rule["messageExpression"] = "'not ' + string(" + about + ")"
	}
	return rule
}

// condition returns an expression about a value that doc describes, and depth levels below it.
func (m *Maker) condition(value string, doc map[string]any, depth int) string {
	if depth > 0 && m.chance(0.15) {
		return "(" + m.condition(value, doc, depth-1) + pick(m, " && ", " || ") + m.condition(value, doc, depth-1) + ")"
	}
	if m.chance(0.1) {
		about := pick(m, "value == value", "[value].exists(y, y == value)", "{'k': value}.k == value", "dyn(value) != null")
		return strings.ReplaceAll(about, "value", value)
	}
	var about string
	kind := doc["type"]
	if kind == "integer" && (doc["format"] == "float" || doc["format"] == "double") {
		kind = "number"
	}
	switch kind {
	case "object":
		return m.aboutObject(value, doc, depth)
	case "array":
		return m.aboutList(value, doc, depth)
	case "string":
		about = m.aboutText(doc)
	case "integer":
		about = pick(m, "value < 9000", "value >= -1", "value != 3", "value in [0, 1, 2, 5, 10]", "value % 2 == 0 || value % 2 == 1", "string(value) != '65'", "double(value) < 1e18")
	case "number":
		about = pick(m, "value < 1e16", "value > -2.0", "value != 1.5", "value == double(int(value))", "type(value) == double")
	case "boolean":
		about = pick(m, "value", "!value", "value || !value")
	default:
		about = "true"
		if doc["x-kubernetes-int-or-string"] == true {
			about = pick(m, "type(value) == int || value != 'ab'", "(type(value) == string ? size(value) < 4 : value < 100)", "value != 5")
		}
	}
	return strings.ReplaceAll(about, "value", value)
}

func (m *Maker) aboutText(doc map[string]any) string {
	switch doc["format"] {
	case "date", "date-time":
		return pick(m, "value > timestamp('1990-01-01T00:00:00Z')", "value.getFullYear() == 2020")
	case "byte":
		return "size(value) < 9"
	}
	return pick(m, "size(value) < 5", "value != 'A'", "value.startsWith('a') || value.size() != 1", "value.matches('^[a-zA-Z0-9:. -]*$')", "!value.contains('ä')",
		"value.lowerAscii() == value", "value.split('-').size() < 4", "value in ['', 'a', 'b', 'v1', 'ab', 'Pod', '5']", "value.charAt(0) != 'x'", "isIP(value) || true")
}

// aboutObject is about the declared fields of an object, or about all of a map.
func (m *Maker) aboutObject(value string, doc map[string]any, depth int) string {
	if others, ok := doc["additionalProperties"].(map[string]any); ok && doc["properties"] == nil {
		key := fmt.Sprintf("k%d", depth)
		if depth == 0 || m.chance(0.3) {
			return value + pick(m, ".size() < 3", ".all(k, size(k) < 7)", ".exists_one(k, k == 'a2') || true", " == "+value) + pick(m, "", " || 'b2' in "+value)
		}
		return value + ".all(" + key + ", " + m.condition(value+"["+key+"]", others, depth-1) + ")"
	}
	props, _ := doc["properties"].(map[string]any)
	var named []string
	for _, name := range slices.Sorted(maps.Keys(props)) {
		field := props[name].(map[string]any)
		isTyped := field["type"] != nil || field["x-kubernetes-int-or-string"] == true // A rule does not see others.
		if isTyped && name != "" && name[0] < 0x80 && name != "metadata" && name != "kind" && name != "apiVersion" {
			named = append(named, name)
		}
	}
	if doc["x-kubernetes-embedded-resource"] == true && m.chance(0.3) {
		return value + pick(m, ".kind == 'Pod'", ".apiVersion != 'v2'", ".metadata.name != 'm'")
	}
	if len(named) == 0 || depth == 0 {
		return value + " == " + value
	}
	name := pick(m, named...)
	field := value + "." + strings.ReplaceAll(name, ".", "__dot__")
	about := m.condition(field, props[name].(map[string]any), depth-1)
	switch m.IntN(8) {
	case 0:
		return about // It may be missing.
	case 1:
		return "!has(" + field + ")"
	case 2:
		return "(" + value + ".?" + field[len(value)+1:] + ".hasValue() ? (" + about + ") : true)"
	}
	return "!has(" + field + ") || " + about
}

func (m *Maker) aboutList(value string, doc map[string]any, depth int) string {
	items, _ := doc["items"].(map[string]any)
	if items == nil || depth == 0 || m.chance(0.3) {
		return "size(" + value + ") < " + strconv.Itoa(1+m.IntN(9))
	}
	item := fmt.Sprintf("x%d", depth)
	about := m.condition(item, items, depth-1)
	switch m.IntN(5) {
	case 0:
		return value + ".filter(" + item + ", " + about + ").size() <= " + value + ".size()"
	case 1:
		return value + ".size() == 0 || " + value + ".exists(" + item + ", " + about + ")"
	case 2:
		return value + ".all(" + item + ", " + value + ".exists(y, y == " + item + ") && (" + about + "))"
	}
	return value + ".all(" + item + ", " + about + ")"
}
