package gen

import (
	"fmt"
	"maps"
	"slices"
)

// A Flow generates a definition with everything that field management depends on, and requests of several managers for
// one object of it.
type Flow struct{ *Source }

// Definition returns a definition with the versions v1 and v2, and the schemas that they have, by name. These are often
// the same.
func (f Flow) Definition() (definition map[string]any, schemas map[string]map[string]any) {
	schema := map[string]any{"type": "object", "properties": map[string]any{"spec": f.object(3), "status": f.object(1)}}
	if f.OneIn(15) {
		schema["x-kubernetes-preserve-unknown-fields"] = true
	}
	scale := f.OneIn(3)
	if scale {
		replicas := map[string]any{"type": "integer"}
		if f.OneIn(3) {
			replicas["default"] = 1
		}
		schema["properties"].(map[string]any)["spec"].(map[string]any)["properties"].(map[string]any)["r"] = replicas
	}
	schemas = map[string]map[string]any{"v1": schema, "v2": schema}
	if f.OneIn(3) {
		schemas["v2"] = f.altered(schema, 4)
	}
	var versions []any
	for i, name := range []string{"v1", "v2"} {
		v := map[string]any{"name": name, "served": true, "storage": i == 0, "schema": map[string]any{"openAPIV3Schema": schemas[name]}}
		subresources := map[string]any{}
		if !f.OneIn(4) {
			subresources["status"] = map[string]any{}
		}
		if scale && !f.OneIn(8) {
			subresources["scale"] = map[string]any{"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r"}
		}
		v["subresources"] = subresources
		versions = append(versions, v)
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "ks.g.io"},
		"spec": map[string]any{"group": "g.io", "scope": "Namespaced", "names": map[string]any{"plural": "ks", "kind": "K", "singular": "k", "listKind": "KList"}, "versions": versions},
	}, schemas
}

// altered returns a copy of a schema with a few changes of fields, defaults, and atomic lists, maps and structs.
func (f Flow) altered(doc map[string]any, depth int) map[string]any {
	doc = maps.Clone(doc)
	if props, ok := doc["properties"].(map[string]any); ok {
		renewed := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(props)) {
			p := props[name].(map[string]any)
			switch inner := depth < 4 && name != "key" && name != "port" && name != "r"; {
			case inner && f.OneIn(12): // gone
			case inner && f.OneIn(12):
				renewed[name] = f.schema(depth - 1)
			default:
				renewed[name] = f.altered(p, depth-1)
			}
		}
		doc["properties"] = renewed
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below, ok := doc[name].(map[string]any); ok {
			doc[name] = f.altered(below, depth-1)
		}
	}
	switch {
	case depth == 4:
	case doc["type"] == "object" && f.OneIn(5):
		doc["x-kubernetes-map-type"] = Pick(f.Source, []string{"atomic", "granular"})
	case doc["x-kubernetes-list-type"] != nil && f.OneIn(5):
		doc["x-kubernetes-list-type"] = "atomic"
		delete(doc, "x-kubernetes-list-map-keys")
	case doc["default"] != nil && f.OneIn(3):
		delete(doc, "default")
	case doc["type"] == "string" && doc["format"] == nil && f.OneIn(5):
		doc["default"] = "e"
	}
	return doc
}

// Steps returns what the managers do.
func (f Flow) Steps(schemas map[string]map[string]any) []any {
	n := 3 + f.Intn(6)
	if f.OneIn(12) {
		n += 12
	}
	steps := make([]any, n)
	for i := range steps {
		verb := Pick(f.Source, []string{"apply", "apply", "apply", "apply", "force", "update", "update", "patch", "patch", "same", "scale", "applyScale"})
		version := Pick(f.Source, []string{"v1", "v1", "v1", "v2"})
		step := map[string]any{"verb": verb, "manager": f.manager(), "version": version, "status": f.OneIn(6)}
		if verb == "scale" || verb == "applyScale" {
			step["replicas"] = f.Intn(3)
			step["force"] = f.OneIn(3)
		}
		step["object"] = f.sent(schemas[version], verb)
		steps[i] = step
	}
	return steps
}

func (f Flow) manager() string {
	if f.OneIn(10) {
		return Pick(f.Source, []string{"d", "e", "f", "g", "h", "ancient-changes", "before-first-apply"})
	}
	return Pick(f.Source, []string{"a", "b", "c", "kubectl"})
}

// sent returns the object of a request.
func (f Flow) sent(schema map[string]any, verb string) map[string]any {
	obj := f.value(schema).(map[string]any)
	meta := map[string]any{"name": "n", "namespace": "ns"}
	obj["metadata"] = meta
	if f.OneIn(3) {
		meta["labels"] = map[string]any{Pick(f.Source, []string{"x", "y"}): Pick(f.Source, []string{"1", "2"})}
	}
	if f.OneIn(5) {
		meta["finalizers"] = []any{Pick(f.Source, []string{"x.io/a", "x.io/b"})}
	}
	if f.OneIn(8) {
		meta["annotations"] = map[string]any{"kubectl.kubernetes.io/last-applied-configuration": Pick(f.Source, []string{
			`{"apiVersion":"g.io/v1","kind":"K","metadata":{"name":"n"},"spec":{"a":"x","b":1}}`, "{", `{"apiVersion":"g.io/v2","kind":"K"}`,
		})}
	}
	if f.OneIn(12) {
		meta["ownerReferences"] = []any{map[string]any{"apiVersion": "v1", "kind": "P", "name": "p", "uid": Pick(f.Source, []string{"1", "2"})}}
	}
	if f.OneIn(12) {
		f.below(obj, "spec")[Pick(f.Source, []string{"a", "b", "unknown"})] = Pick(f.Source, []any{
			"text", 1, nil, []any{1, 1}, []any{"x", nil}, map[string]any{"q": nil}, true, []any{"x", "x"}, map[string]any{"key": "k"},
		})
	}
	if verb == "patch" && f.OneIn(2) {
		f.below(obj, Pick(f.Source, []string{"spec", "status"}))[Pick(f.Source, []string{"a", "b", "c"})] = nil
	}
	switch verb {
	case "update", "patch", "same":
		if f.OneIn(8) {
			meta["managedFields"] = f.managedFields()
		}
	case "apply", "force":
		if f.OneIn(100) {
			meta["managedFields"] = Pick(f.Source, []any{nil, []any{}, []any{map[string]any{}}})
		}
	}
	return obj
}

// below returns the object at a key, which it makes if there is none.
func (f Flow) below(obj map[string]any, key string) map[string]any {
	m, ok := obj[key].(map[string]any)
	if !ok {
		m = map[string]any{}
		obj[key] = m
	}
	return m
}

// managedFields returns entries that a client sends: some reset them, some cannot be decoded, some have versions that
// do not exist.
func (f Flow) managedFields() []any {
	switch f.Intn(5) {
	case 0:
		return []any{}
	case 1:
		return []any{map[string]any{}}
	}
	list := make([]any, 1+f.Intn(3))
	if f.OneIn(4) {
		list = make([]any, 9+f.Intn(6))
	}
	odd := f.OneIn(4)
	for i := range list {
		entry := map[string]any{
			"manager": f.manager() + Pick(f.Source, []string{"", "", "1", "2", "3"}), "operation": Pick(f.Source, []string{"Update", "Update", "Update", "Apply"}),
			"apiVersion": Pick(f.Source, []string{"g.io/v1", "g.io/v1", "g.io/v2"}), "fieldsType": "FieldsV1", "fieldsV1": f.fieldsV1(3),
			"time": fmt.Sprintf("2025-01-%02dT00:00:00Z", 1+f.Intn(9)),
		}
		if f.OneIn(8) {
			entry["subresource"] = Pick(f.Source, []string{"status", "scale"})
		}
		if f.OneIn(10) && entry["operation"] == "Update" {
			delete(entry, "time")
		}
		if odd && f.OneIn(3) {
			key := Pick(f.Source, []string{"operation", "apiVersion", "fieldsType", "fieldsV1", "manager"})
			if f.OneIn(2) {
				delete(entry, key)
			} else if key == "fieldsV1" {
				entry[key] = Pick(f.Source, []any{
					map[string]any{"k:{": map[string]any{}}, map[string]any{"v:": map[string]any{}}, map[string]any{"f:spec": 1}, map[string]any{"i:x": map[string]any{}},
					map[string]any{"x:spec": map[string]any{}}, map[string]any{"f:spec": map[string]any{".": map[string]any{"f:a": map[string]any{}}}}, map[string]any{},
				})
			} else {
				entry[key] = Pick(f.Source, []string{"", "x", "g.io/v3", "v1", "h.io/v1"})
			}
		}
		list[i] = entry
	}
	return list
}

// fieldsV1 returns fields as a manager may have them, of the object or of anything in it.
func (f Flow) fieldsV1(depth int) map[string]any {
	keys := []string{"f:spec", "f:spec", "f:status", "f:metadata"}
	if depth < 3 {
		keys = []string{"f:a", "f:b", "f:c", "f:r", "f:labels", "f:p", `k:{"key":"k"}`, `k:{"port":80,"key":"k"}`, `v:"x"`, "v:1", "i:0", "."}
	}
	out := map[string]any{}
	for range 1 + f.Intn(3) {
		below := map[string]any{}
		key := Pick(f.Source, keys)
		if depth > 0 && key != "." && !f.OneIn(3) {
			below = f.fieldsV1(depth - 1)
		}
		out[key] = below
	}
	return out
}

func (f Flow) schema(depth int) map[string]any {
	kinds := 11
	if depth <= 0 {
		kinds = 6
	}
	switch kind := f.Intn(kinds); kind {
	case 0:
		doc := map[string]any{"type": "string"}
		if f.OneIn(5) {
			doc["default"] = "d"
		}
		if f.OneIn(8) {
			doc["format"] = Pick(f.Source, []string{"date-time", "byte", "password", "custom"})
		}
		return doc
	case 1:
		doc := map[string]any{"type": Pick(f.Source, []string{"integer", "number"})}
		if f.OneIn(5) {
			doc["default"] = 7
		}
		return doc
	case 2:
		return map[string]any{"x-kubernetes-int-or-string": true}
	case 3:
		return map[string]any{"type": "boolean", "nullable": f.OneIn(3)}
	case 4:
		return map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": Pick(f.Source, []string{"string", "integer"})}}
	case 5:
		return map[string]any{"x-kubernetes-preserve-unknown-fields": true}
	case 6, 7:
		doc := f.object(depth - 1)
		f.mapType(doc)
		if f.OneIn(10) {
			doc["x-kubernetes-preserve-unknown-fields"] = true
		}
		if f.OneIn(15) {
			doc["nullable"] = true
		}
		return doc
	case 8:
		doc := map[string]any{"type": "object", "additionalProperties": f.schema(depth - 1)}
		f.mapType(doc)
		return doc
	case 9:
		doc := map[string]any{"type": "array", "items": f.schema(depth - 1)}
		if f.OneIn(4) {
			doc["x-kubernetes-list-type"] = "atomic"
		}
		return doc
	default:
		items := f.object(depth - 1)
		props := items["properties"].(map[string]any)
		keys, required := []any{"key"}, []any{"key"}
		props["key"] = map[string]any{"type": "string"}
		if f.OneIn(3) {
			keys = append(keys, "port")
			props["port"] = map[string]any{"type": "integer"}
			if f.OneIn(2) {
				props["port"] = map[string]any{"type": "integer", "default": 80}
			} else {
				required = append(required, "port")
			}
		}
		items["required"] = required
		return map[string]any{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items}
	}
}

func (f Flow) mapType(doc map[string]any) {
	if f.OneIn(4) {
		doc["x-kubernetes-map-type"] = Pick(f.Source, []string{"atomic", "granular"})
	}
}

func (f Flow) object(depth int) map[string]any {
	props := map[string]any{}
	for i := range 1 + f.Intn(4) {
		props[string(rune('a'+i))] = f.schema(depth)
	}
	return map[string]any{"type": "object", "properties": props}
}

// value returns a value that is valid for the schema.
func (f Flow) value(doc map[string]any) any {
	switch doc["type"] {
	case "string":
		switch doc["format"] {
		case "date-time":
			return Pick(f.Source, []string{"2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"})
		case "byte":
			return Pick(f.Source, []string{"eA==", "eQ=="})
		}
		return Pick(f.Source, []string{"x", "y", "z"})
	case "integer":
		return f.Intn(3)
	case "number":
		return Pick(f.Source, []any{1, 1.5, 2})
	case "boolean":
		return f.OneIn(2)
	case "array":
		return f.list(doc)
	case "object":
		return f.fields(doc)
	}
	if doc["x-kubernetes-preserve-unknown-fields"] == true {
		return f.fields(doc)
	}
	return Pick(f.Source, []any{1, 2, "50%"})
}

func (f Flow) fields(doc map[string]any) map[string]any {
	obj := map[string]any{}
	props, _ := doc["properties"].(map[string]any)
	for i := range 26 {
		name := string(rune('a' + i))
		if p, ok := props[name].(map[string]any); ok && !f.OneIn(3) {
			obj[name] = f.value(p)
		}
	}
	for _, name := range []string{"spec", "status"} {
		if p, ok := props[name].(map[string]any); ok && !f.OneIn(4) {
			obj[name] = f.value(p)
		}
	}
	if more, ok := doc["additionalProperties"].(map[string]any); ok {
		for range f.Intn(3) {
			obj[Pick(f.Source, []string{"p", "q", "r.s/t"})] = f.value(more)
		}
	}
	if doc["x-kubernetes-preserve-unknown-fields"] == true && f.OneIn(2) {
		obj[Pick(f.Source, []string{"free", "loose"})] = Pick(f.Source, []any{
			"x", 1, map[string]any{"u": map[string]any{"v": "w"}, "n": f.Intn(2)}, []any{"x", f.Intn(2)}, []any{map[string]any{"name": "x"}}, map[string]any{},
		})
	}
	return obj
}

func (f Flow) list(doc map[string]any) []any {
	items := doc["items"].(map[string]any)
	keys, _ := doc["x-kubernetes-list-map-keys"].([]any)
	list, seen := []any{}, map[string]bool{}
	for range f.Intn(4) {
		item := f.value(items)
		id := fmt.Sprint(item)
		if keys != nil {
			o := item.(map[string]any)
			o["key"] = Pick(f.Source, []string{"k", "l", "m"})
			if port := items["properties"].(map[string]any)["port"]; len(keys) == 2 && (f.OneIn(2) || port.(map[string]any)["default"] == nil) {
				o["port"] = 80 + f.Intn(2)
			}
			if id = fmt.Sprint(o["key"], o["port"]); o["port"] == nil {
				id = fmt.Sprint(o["key"], 80)
			}
		}
		if doc["x-kubernetes-list-type"] == nil || doc["x-kubernetes-list-type"] == "atomic" || !seen[id] {
			list = append(list, item)
		}
		seen[id] = true
	}
	return list
}
