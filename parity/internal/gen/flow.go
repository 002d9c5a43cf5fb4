package gen

import "fmt"

// A Flow makes up a definition with everything that field management depends on, and what several managers do to one object of it.
type Flow struct{ *Source }

// Definition returns a definition with the versions v1 and v2, whose objects have one schema.
func (f Flow) Definition() (definition, schema map[string]any) {
	schema = map[string]any{"type": "object", "properties": map[string]any{"spec": f.object(3), "status": f.object(1)}}
	if f.OneIn(15) {
		schema["x-kubernetes-preserve-unknown-fields"] = true
	}
	var versions []any
	for i, name := range []string{"v1", "v2"} {
		v := map[string]any{"name": name, "served": true, "storage": i == 0, "schema": map[string]any{"openAPIV3Schema": schema}}
		if !f.OneIn(4) {
			v["subresources"] = map[string]any{"status": map[string]any{}}
		}
		versions = append(versions, v)
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "ks.g.io"},
		"spec": map[string]any{"group": "g.io", "scope": "Namespaced", "names": map[string]any{"plural": "ks", "kind": "K", "singular": "k", "listKind": "KList"}, "versions": versions},
	}, schema
}

// Steps returns what the managers do.
func (f Flow) Steps(schema map[string]any) []any {
	steps := make([]any, 3+f.Intn(6))
	for i := range steps {
		verb := Pick(f.Source, []string{"apply", "apply", "apply", "force", "update", "update", "same"})
		step := map[string]any{
			"verb": verb, "manager": Pick(f.Source, []string{"a", "b", "c", "kubectl"}), "version": Pick(f.Source, []string{"v1", "v1", "v1", "v2"}), "status": f.OneIn(6),
		}
		obj := f.value(schema).(map[string]any)
		meta := map[string]any{"name": "n", "namespace": "ns"}
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
		obj["metadata"] = meta
		if f.OneIn(25) {
			spec, ok := obj["spec"].(map[string]any)
			if !ok {
				spec = map[string]any{}
				obj["spec"] = spec
			}
			spec[Pick(f.Source, []string{"a", "b", "unknown"})] = Pick(f.Source, []any{"text", 1, nil, []any{1, 1}, []any{"x", nil}, map[string]any{"q": nil}, true})
		}
		step["object"] = obj
		steps[i] = step
	}
	return steps
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

// value returns a value that the schema takes.
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
