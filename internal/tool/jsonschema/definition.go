package jsonschema

import (
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
)

// Definition returns the schema of definitions themselves, of apiextensions.k8s.io/v1. Its fields are those of packages
// crd and schema.
func Definition(o Options) *Schema {
	w := &typeWriter{Options: o, all: map[string]any{}}
	spec := w.object(reflect.TypeFor[crd.Spec]())
	root := w.closed(map[string]any{
		"$schema": o.Draft.URI(), "$id": "https://" + crd.Group + "/customresourcedefinition_v1.json", "title": crd.Kind,
		"required": []any{"apiVersion", "kind", "spec"},
		"properties": map[string]any{
			"apiVersion": map[string]any{"const": crd.APIVersionV1}, "kind": map[string]any{"const": crd.Kind},
			"metadata": metadata(nil), "spec": spec, "status": map[string]any{},
		},
		"$comment": "Not expressed here:\nstructural schemas\nrules and their costs\nnames that must be equal",
		w.at():     w.all,
	})
	return &Schema{Group: crd.Group, Version: "v1", Kind: crd.Kind, ListKind: crd.Kind + "List", Document: root}
}

// A typeWriter makes schemas of types of Go, with named ones for those that contain themselves.
type typeWriter struct {
	Options
	all map[string]any // by name
}

// at returns the keyword of named schemas.
func (o Options) at() string {
	if o.Draft == Draft2020_12 {
		return "$defs"
	}
	return "definitions"
}

// fieldValues are the values of fields that have a few, by the name of their type and their key.
var fieldValues = map[string][]any{
	"Spec.scope": {crd.NamespaceScoped, crd.ClusterScoped}, "Conversion.strategy": {crd.ConversionNone, crd.ConversionWebhook},
	"Column.type":                                          {"boolean", "date", "integer", "number", "string"},
	"JSONSchemaProps.type":                                 {"", "array", "boolean", "integer", "number", "object", "string"},
	"JSONSchemaProps.x-kubernetes-list-type":               {"atomic", "map", "set"},
	"JSONSchemaProps.x-kubernetes-map-type":                {"atomic", "granular"},
	"JSONSchemaProps.x-kubernetes-preserve-unknown-fields": {true},
	"ValidationRule.reason":                                {"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"},
}

// requiredFields are the fields that a server requires.
var requiredFields = map[string][]any{
	"Spec": {"group", "names", "scope", "versions"}, "Names": {"plural", "kind"}, "Version": {"name", "schema"}, "Column": {"name", "type", "jsonPath"},
	"SubresourceScale": {"specReplicasPath", "statusReplicasPath"}, "SelectableField": {"jsonPath"}, "Conversion": {"strategy"},
	"ServiceReference": {"namespace", "name"}, "ValidationRule": {"rule"},
}

// object returns the schema of a struct.
func (w *typeWriter) object(of reflect.Type) map[string]any {
	properties := map[string]any{}
	needed := requiredFields[of.Name()]
	for i := range of.NumField() {
		f := of.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("key")+f.Tag.Get("keyword"), ",")
		if key == "" {
			continue // of v1beta1
		}
		value := w.value(f.Type)
		if names := fieldValues[of.Name()+"."+key]; names != nil {
			value["enum"] = names
		}
		if !slices.Contains(needed, any(key)) { // a null is like an absent field
			value = map[string]any{"anyOf": []any{value, map[string]any{"type": "null"}}}
		}
		properties[key] = value
	}
	if of == reflect.TypeFor[crd.Conversion]() { // v1 has the fields of webhooks at another place
		properties["webhook"] = w.closed(map[string]any{"properties": map[string]any{
			"clientConfig":             w.object(reflect.TypeFor[crd.WebhookClientConfig]()),
			"conversionReviewVersions": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		}, "required": []any{"conversionReviewVersions"}})
	}
	out := map[string]any{"properties": properties}
	if needed != nil {
		out["required"] = needed
	}
	return w.closed(out)
}

// closed returns the schema of an object without other fields.
//
//go:noinline
func (w *typeWriter) closed(out map[string]any) map[string]any {
	out["type"] = "object"
	if !w.Open {
		out["additionalProperties"] = false
	}
	return out
}

// value returns the schema of a value of a type.
func (w *typeWriter) value(of reflect.Type) map[string]any {
	switch of {
	case reflect.TypeFor[*schema.SchemaOrArray](): // a server refuses a list of schemas
		return w.value(reflect.TypeFor[*schema.JSONSchemaProps]())
	case reflect.TypeFor[*schema.SchemaOrBool]():
		return map[string]any{"anyOf": []any{map[string]any{"type": "boolean"}, w.value(reflect.TypeFor[*schema.JSONSchemaProps]())}}
	case reflect.TypeFor[schema.SchemaOrStrings]():
		return map[string]any{}
	case reflect.TypeFor[[]byte]():
		return map[string]any{"type": "string"}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return w.value(of.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": w.value(of.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": w.value(of.Elem())}
	case reflect.Struct:
		if w.all[of.Name()] == nil {
			w.all[of.Name()] = map[string]any{} // it may contain itself
			w.all[of.Name()] = w.object(of)
		}
		return map[string]any{"$ref": "#/" + w.at() + "/" + of.Name()}
	}
	return map[string]any{} // any
}
