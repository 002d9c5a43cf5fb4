package crdcheck

import (
	"encoding/json"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
)

// A server prints a schema that is a bad value as its own Go type, with all fields, which have the names and the order of [schema.JSONSchemaProps]
// (EMD-003). The types of this file print so; our own prints as a document.

// A propsValue is a schema as a bad value. It gives its reader the schema.
type propsValue struct{ *schema.JSONSchemaProps }

// An itemsValue is the value of items.
type itemsValue struct{ *schema.SchemaOrArray }

// A versionValue is a version as a bad value: as [crd.Version], but for the schema.
type versionValue struct {
	Name                     string
	Served                   bool
	Storage                  bool
	Deprecated               bool
	DeprecationWarning       *string
	Schema                   *validationValue
	Subresources             *crd.Subresources
	AdditionalPrinterColumns []crd.Column
	SelectableFields         []crd.SelectableField
}

type validationValue struct{ OpenAPIV3Schema *propsValue }

// versionsValue returns versions as a bad value.
func versionsValue(versions []crd.Version) any {
	if versions == nil {
		return []versionValue(nil)
	}
	out := make([]versionValue, len(versions))
	for i, v := range versions {
		out[i] = versionValue{
			v.Name, v.Served, v.Storage, v.Deprecated, v.DeprecationWarning, nil, v.Subresources, v.AdditionalPrinterColumns, v.SelectableFields,
		}
		if v.Schema != nil {
			out[i].Schema = &validationValue{OpenAPIV3Schema: valueOf(v.Schema.OpenAPIV3Schema)}
		}
	}
	return out
}

func valueOf(p *schema.JSONSchemaProps) *propsValue {
	if p == nil {
		return nil
	}
	return &propsValue{p}
}

func valuesOf(list []*schema.JSONSchemaProps) []propsValue {
	if list == nil {
		return nil
	}
	out := make([]propsValue, len(list))
	for i, p := range list {
		out[i] = propsValue{p}
	}
	return out
}

func mapOf(m map[string]*schema.JSONSchemaProps) map[string]propsValue {
	if m == nil {
		return nil
	}
	out := make(map[string]propsValue, len(m))
	for k, p := range m {
		out[k] = propsValue{p}
	}
	return out
}

type orBoolValue struct {
	Allows bool
	Schema *propsValue
}

func orBool(a *schema.SchemaOrBool) *orBoolValue {
	if a == nil {
		return nil
	}
	return &orBoolValue{a.Allows, valueOf(a.Schema)}
}

type orStringsValue struct {
	Schema   *propsValue
	Property []string
}

// MarshalJSON writes the value of items as a server prints it.
func (v itemsValue) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Schema      *propsValue
		JSONSchemas []propsValue
	}{valueOf(v.Schema), valuesOf(v.Schemas)})
}

// MarshalJSON writes a schema as a server prints it.
func (v propsValue) MarshalJSON() ([]byte, error) {
	p := v.JSONSchemaProps
	var items *itemsValue
	if p.Items != nil {
		items = &itemsValue{p.Items}
	}
	var dependencies map[string]orStringsValue
	if p.Dependencies != nil {
		dependencies = make(map[string]orStringsValue, len(p.Dependencies))
		for k, d := range p.Dependencies {
			dependencies[k] = orStringsValue{valueOf(d.Schema), d.Property}
		}
	}
	return json.Marshal(struct {
		ID                     string
		Schema                 string
		Ref                    *string
		Description            string
		Type                   string
		Nullable               bool
		Format                 string
		Title                  string
		Default                any
		Maximum                *float64
		ExclusiveMaximum       bool
		Minimum                *float64
		ExclusiveMinimum       bool
		MaxLength              *int64
		MinLength              *int64
		Pattern                string
		MaxItems               *int64
		MinItems               *int64
		UniqueItems            bool
		MultipleOf             *float64
		Enum                   []any
		MaxProperties          *int64
		MinProperties          *int64
		Required               []string
		Items                  *itemsValue
		AllOf                  []propsValue
		OneOf                  []propsValue
		AnyOf                  []propsValue
		Not                    *propsValue
		Properties             map[string]propsValue
		AdditionalProperties   *orBoolValue
		PatternProperties      map[string]propsValue
		Dependencies           map[string]orStringsValue
		AdditionalItems        *orBoolValue
		Definitions            map[string]propsValue
		ExternalDocs           *schema.ExternalDocumentation
		Example                any
		XPreserveUnknownFields *bool
		XEmbeddedResource      bool
		XIntOrString           bool
		XListMapKeys           []string
		XListType              *string
		XMapType               *string
		XValidations           []schema.ValidationRule
	}{
		p.ID, p.Schema, p.Ref, p.Description, p.Type, p.Nullable, p.Format, p.Title, p.Default,
		p.Maximum, p.ExclusiveMaximum, p.Minimum, p.ExclusiveMinimum, p.MaxLength, p.MinLength, p.Pattern,
		p.MaxItems, p.MinItems, p.UniqueItems, p.MultipleOf, p.Enum, p.MaxProperties, p.MinProperties, p.Required,
		items, valuesOf(p.AllOf), valuesOf(p.OneOf), valuesOf(p.AnyOf), valueOf(p.Not),
		mapOf(p.Properties), orBool(p.AdditionalProperties), mapOf(p.PatternProperties), dependencies, orBool(p.AdditionalItems),
		mapOf(p.Definitions), p.ExternalDocs, p.Example,
		p.XPreserveUnknownFields, p.XEmbeddedResource, p.XIntOrString, p.XListMapKeys, p.XListType, p.XMapType, p.XValidations,
	})
}
