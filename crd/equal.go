package crd

import (
	"bytes"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// Equality as a server has it when it compares definitions: nil and empty lists and maps are equal, a pointer and none are not,
// and JSON values are equal only if they have the same types (BET-002).

// Equal reports whether s and t say the same, in the same places: compare what [CustomResourceDefinition.Unversioned] returns. Nil
// and empty lists and maps are equal; a nil pointer equals only another; numbers in defaults are equal only if both are int64 or
// both are float64.
func (s *Spec) Equal(t *Spec) bool {
	return s.Group == t.Group && s.Names.Equal(t.Names) && s.Scope == t.Scope &&
		slices.EqualFunc(s.Versions, t.Versions, equalVersions) &&
		equalPointers(s.Conversion, t.Conversion, equalConversions) &&
		equalPointers(s.PreserveUnknownFields, t.PreserveUnknownFields, equal) &&
		s.Version == t.Version &&
		equalPointers(s.Validation, t.Validation, equalValidations) &&
		equalPointers(s.Subresources, t.Subresources, equalSubresources) &&
		slices.Equal(s.AdditionalPrinterColumns, t.AdditionalPrinterColumns) &&
		slices.Equal(s.SelectableFields, t.SelectableFields)
}

// Equal reports whether n and o are the same names, in the same order. Nil and empty lists are equal.
func (n Names) Equal(o Names) bool {
	return n.Plural == o.Plural && n.Singular == o.Singular && slices.Equal(n.ShortNames, o.ShortNames) &&
		n.Kind == o.Kind && n.ListKind == o.ListKind && slices.Equal(n.Categories, o.Categories)
}

func equalVersions(v, w Version) bool {
	return v.Name == w.Name && v.Served == w.Served && v.Storage == w.Storage && v.Deprecated == w.Deprecated &&
		equalPointers(v.DeprecationWarning, w.DeprecationWarning, equal) &&
		equalPointers(v.Schema, w.Schema, equalValidations) &&
		equalPointers(v.Subresources, w.Subresources, equalSubresources) &&
		slices.Equal(v.AdditionalPrinterColumns, w.AdditionalPrinterColumns) &&
		slices.Equal(v.SelectableFields, w.SelectableFields)
}

func equalSubresources(s, t *Subresources) bool {
	return (s.Status == nil) == (t.Status == nil) && equalPointers(s.Scale, t.Scale, func(s, t *SubresourceScale) bool {
		return s.SpecReplicasPath == t.SpecReplicasPath && s.StatusReplicasPath == t.StatusReplicasPath &&
			equalPointers(s.LabelSelectorPath, t.LabelSelectorPath, equal)
	})
}

func equalConversions(c, d *Conversion) bool {
	return c.Strategy == d.Strategy && slices.Equal(c.ConversionReviewVersions, d.ConversionReviewVersions) &&
		equalPointers(c.WebhookClientConfig, d.WebhookClientConfig, func(c, d *WebhookClientConfig) bool {
			return equalPointers(c.URL, d.URL, equal) && bytes.Equal(c.CABundle, d.CABundle) &&
				equalPointers(c.Service, d.Service, func(s, t *ServiceReference) bool {
					return s.Namespace == t.Namespace && s.Name == t.Name && s.Port == t.Port && equalPointers(s.Path, t.Path, equal)
				})
		})
}

func equalValidations(v, w *Validation) bool {
	return equalSchemas(v.OpenAPIV3Schema, w.OpenAPIV3Schema)
}

func equalSchemas(p, q *schema.JSONSchemaProps) bool { return equalPointers(p, q, equalProps) }

// equalProps compares the cheap and the telling fields first.
func equalProps(p, q *schema.JSONSchemaProps) bool {
	return p.Type == q.Type && p.Format == q.Format && len(p.Properties) == len(q.Properties) &&
		p.Description == q.Description &&
		p.ID == q.ID && p.Schema == q.Schema && equalPointers(p.Ref, q.Ref, equal) &&
		p.Nullable == q.Nullable && p.Title == q.Title && p.Pattern == q.Pattern &&
		equalPointers(p.Maximum, q.Maximum, equal) && p.ExclusiveMaximum == q.ExclusiveMaximum &&
		equalPointers(p.Minimum, q.Minimum, equal) && p.ExclusiveMinimum == q.ExclusiveMinimum &&
		equalPointers(p.MaxLength, q.MaxLength, equal) && equalPointers(p.MinLength, q.MinLength, equal) &&
		equalPointers(p.MaxItems, q.MaxItems, equal) && equalPointers(p.MinItems, q.MinItems, equal) &&
		p.UniqueItems == q.UniqueItems && equalPointers(p.MultipleOf, q.MultipleOf, equal) &&
		equalPointers(p.MaxProperties, q.MaxProperties, equal) && equalPointers(p.MinProperties, q.MinProperties, equal) &&
		slices.Equal(p.Required, q.Required) &&
		equalPointers(p.XPreserveUnknownFields, q.XPreserveUnknownFields, equal) &&
		p.XEmbeddedResource == q.XEmbeddedResource && p.XIntOrString == q.XIntOrString &&
		slices.Equal(p.XListMapKeys, q.XListMapKeys) &&
		equalPointers(p.XListType, q.XListType, equal) && equalPointers(p.XMapType, q.XMapType, equal) &&
		slices.EqualFunc(p.XValidations, q.XValidations, equalRules) &&
		equalPointers(p.ExternalDocs, q.ExternalDocs, equal) &&
		jsonval.Equal(p.Default, q.Default) && jsonval.Equal(p.Example, q.Example) &&
		slices.EqualFunc(p.Enum, q.Enum, jsonval.Equal) &&
		equalPointers(p.Items, q.Items, func(s, t *schema.SchemaOrArray) bool {
			return equalSchemas(s.Schema, t.Schema) && slices.EqualFunc(s.Schemas, t.Schemas, equalSchemas)
		}) &&
		equalPointers(p.AdditionalProperties, q.AdditionalProperties, equalSchemasOrBools) &&
		equalPointers(p.AdditionalItems, q.AdditionalItems, equalSchemasOrBools) &&
		equalSchemas(p.Not, q.Not) &&
		slices.EqualFunc(p.AllOf, q.AllOf, equalSchemas) &&
		slices.EqualFunc(p.OneOf, q.OneOf, equalSchemas) &&
		slices.EqualFunc(p.AnyOf, q.AnyOf, equalSchemas) &&
		maps.EqualFunc(p.Properties, q.Properties, equalSchemas) &&
		maps.EqualFunc(p.PatternProperties, q.PatternProperties, equalSchemas) &&
		maps.EqualFunc(p.Definitions, q.Definitions, equalSchemas) &&
		maps.EqualFunc(p.Dependencies, q.Dependencies, func(s, t schema.SchemaOrStrings) bool {
			return equalSchemas(s.Schema, t.Schema) && slices.Equal(s.Property, t.Property)
		})
}

func equalSchemasOrBools(s, t *schema.SchemaOrBool) bool {
	return s.Allows == t.Allows && equalSchemas(s.Schema, t.Schema)
}

func equalRules(r, s schema.ValidationRule) bool {
	return r.Rule == s.Rule && r.Message == s.Message && r.MessageExpression == s.MessageExpression &&
		equalPointers(r.Reason, s.Reason, equal) && r.FieldPath == s.FieldPath &&
		equalPointers(r.OptionalOldSelf, s.OptionalOldSelf, equal)
}

// equal compares what two pointers point to.
func equal[T comparable](p, q *T) bool { return *p == *q }

// equalPointers reports whether p and q are both nil, or neither is and what they point to is the same.
func equalPointers[T any](p, q *T, same func(p, q *T) bool) bool {
	if p == nil || q == nil {
		return p == q
	}
	return p == q || same(p, q)
}
