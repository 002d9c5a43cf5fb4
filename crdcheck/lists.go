package crdcheck

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
)

// lists checks the keys of lists: SCH-030 to SCH-033.
func (w *schemaWalk) lists(p *schema.JSONSchemaProps, at *frame) {
	if len(p.XListMapKeys) > 0 {
		const detail = "must be map if x-kubernetes-list-map-keys is non-empty"
		if p.XListType == nil {
			w.add(field.Required(w.under(at, "x-kubernetes-list-type"), detail))
		} else if *p.XListType != "map" {
			w.add(field.Invalid(w.under(at, "x-kubernetes-list-type"), *p.XListType, detail))
		}
	}
	if hasListType(p, "map") {
		w.mapList(p, at)
	}
	if w.on.requireMapKeys {
		w.mapKeys(p, at)
	}
}

func hasListType(p *schema.JSONSchemaProps, typ string) bool {
	return p.XListType != nil && *p.XListType == typ
}

// mapList checks a list of type map: SCH-031, SCH-032.
func (w *schemaWalk) mapList(p *schema.JSONSchemaProps, at *frame) {
	if len(p.XListMapKeys) == 0 {
		w.add(field.Required(w.under(at, "x-kubernetes-list-map-keys"), "must not be empty if x-kubernetes-list-type is map"))
	}
	if p.Items == nil {
		w.add(field.Required(w.under(at, "items"), "must have a schema if x-kubernetes-list-type is map"))
		return
	}
	item := p.Items.Schema
	switch {
	case item == nil:
		w.add(field.Invalid(w.under(at, "items"), itemsValue{p.Items}, "must only have a single schema if x-kubernetes-list-type is map"))
		return
	case item.Type != "object":
		w.add(field.Invalid(w.under(at, "items").Child("type"), item.Type, "must be object if parent array's x-kubernetes-list-type is map"))
		return
	}
	seen := make(map[string]bool, len(p.XListMapKeys))
	for _, key := range p.XListMapKeys {
		keys := func(detail string) {
			w.add(field.Invalid(w.under(at, "x-kubernetes-list-map-keys"), p.XListMapKeys, detail))
		}
		property, ok := item.Properties[key]
		switch {
		case !ok:
			keys("entries must all be names of item properties")
		case property.Type == "array" || property.Type == "object":
			// The bad value is the type of the item, not that of the property.
			w.add(field.Invalid(w.under(at, "items").Child("properties").Key(key).Child("type"), item.Type,
				"must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if seen[key] {
			keys("must not contain duplicate entries")
		}
		seen[key] = true
	}
}

// mapKeys checks that items are not null and always have their keys: SCH-033.
func (w *schemaWalk) mapKeys(p *schema.JSONSchemaProps, at *frame) {
	if p.Items == nil || p.Items.Schema == nil || !hasListType(p, "set") && !hasListType(p, "map") {
		return
	}
	item := p.Items.Schema
	if item.Nullable {
		w.add(field.Forbidden(w.under(at, "items").Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+*p.XListType))
	}
	if !hasListType(p, "map") {
		return
	}
	required := make(map[string]bool, len(item.Required))
	for _, name := range item.Required {
		required[name] = true
	}
	for _, key := range p.XListMapKeys {
		property, ok := item.Properties[key]
		if !ok {
			continue
		}
		under := func(keyword string) *field.Path {
			return w.under(at, "items").Child("properties").Key(key).Child(keyword)
		}
		if property.Default == nil && !required[key] {
			w.add(field.Required(under("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if property.Nullable {
			w.add(field.Forbidden(under("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
}

// setItemsFault returns the keyword that keeps the items of p, a set, from being atomic. It returns "" if they are
// atomic, and for other lists: SCH-023.
func setItemsFault(p *schema.JSONSchemaProps) string {
	if !hasListType(p, "set") || p.Items == nil || p.Items.Schema == nil {
		return ""
	}
	item := p.Items.Schema
	switch {
	case item.Type == "array" && item.XListType != nil && *item.XListType != "atomic":
		return "x-kubernetes-list-type"
	case item.Type == "object" && (item.XMapType == nil || *item.XMapType != "atomic"):
		return "x-kubernetes-map-type"
	}
	return ""
}
