package crd

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// Value returns the definition as generic values: a v1 document with the keys that a server writes. A v1beta1
// definition is converted as by [CustomResourceDefinition.V1]. Empty fields are omitted as in a server; `conditions`,
// `acceptedNames`, `storedVersions`, `versions` and `conversionReviewVersions` are always present, null if necessary.
//
// The maps and lists are new, except Metadata and the values of default, example and enum in schemas: these belong to
// d, and must not be modified while d is in use.
func (d *CustomResourceDefinition) Value() map[string]any {
	d = d.V1()
	metadata := d.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	return map[string]any{
		"apiVersion": APIVersionV1,
		"kind":       Kind,
		"metadata":   metadata,
		"spec":       d.Spec.value(),
		"status":     d.Status.value(),
	}
}

// MarshalJSON writes the [CustomResourceDefinition.Value] of d, with sorted keys.
func (d CustomResourceDefinition) MarshalJSON() ([]byte, error) { return json.Marshal(d.Value()) }

// UnmarshalJSON is [Parse] for encoding/json. An error leaves d unchanged, and so does a JSON null.
func (d *CustomResourceDefinition) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*d = *parsed
	return nil
}

func (s *Spec) value() map[string]any {
	m := map[string]any{
		"group":    s.Group,
		"names":    s.Names.value(),
		"scope":    s.Scope,
		"versions": orNull(s.Versions, (*Version).value),
	}
	if s.Conversion != nil {
		m["conversion"] = s.Conversion.value()
	}
	putSet(m, "preserveUnknownFields", s.PreserveUnknownFields != nil && *s.PreserveUnknownFields)
	return m
}

func (n *Names) value() map[string]any {
	m := map[string]any{"plural": n.Plural, "kind": n.Kind}
	putSet(m, "singular", n.Singular)
	putSet(m, "listKind", n.ListKind)
	putList(m, "shortNames", values(n.ShortNames, text))
	putList(m, "categories", values(n.Categories, text))
	return m
}

func (v *Version) value() any {
	m := map[string]any{"name": v.Name, "served": v.Served, "storage": v.Storage}
	putSet(m, "deprecated", v.Deprecated)
	put(m, "deprecationWarning", v.DeprecationWarning)
	if v.Schema != nil {
		holder := map[string]any{}
		if p := v.Schema.OpenAPIV3Schema; p != nil {
			holder["openAPIV3Schema"] = p.Value()
		}
		m["schema"] = holder
	}
	if v.Subresources != nil {
		m["subresources"] = v.Subresources.value()
	}
	putList(m, "additionalPrinterColumns", values(v.AdditionalPrinterColumns, (*Column).value))
	putList(m, "selectableFields", values(v.SelectableFields, func(f *SelectableField) any {
		return map[string]any{"jsonPath": f.JSONPath}
	}))
	return m
}

func (s *Subresources) value() map[string]any {
	m := map[string]any{}
	if s.Status != nil {
		m["status"] = map[string]any{}
	}
	if s.Scale != nil {
		scale := map[string]any{"specReplicasPath": s.Scale.SpecReplicasPath, "statusReplicasPath": s.Scale.StatusReplicasPath}
		put(scale, "labelSelectorPath", s.Scale.LabelSelectorPath)
		m["scale"] = scale
	}
	return m
}

func (c *Column) value() any {
	m := map[string]any{"name": c.Name, "type": c.Type, "jsonPath": c.JSONPath}
	putSet(m, "format", c.Format)
	putSet(m, "description", c.Description)
	putSet(m, "priority", int64(c.Priority))
	return m
}

func (c *Conversion) value() map[string]any {
	m := map[string]any{"strategy": c.Strategy}
	if c.WebhookClientConfig == nil && c.ConversionReviewVersions == nil {
		return m
	}
	webhook := map[string]any{"conversionReviewVersions": orNull(c.ConversionReviewVersions, text)}
	if client := c.WebhookClientConfig; client != nil {
		config := map[string]any{}
		put(config, "url", client.URL)
		if client.Service != nil {
			service := map[string]any{
				"namespace": client.Service.Namespace, "name": client.Service.Name, "port": int64(client.Service.Port),
			}
			put(service, "path", client.Service.Path)
			config["service"] = service
		}
		putSet(config, "caBundle", base64.StdEncoding.EncodeToString(client.CABundle))
		webhook["clientConfig"] = config
	}
	m["webhook"] = webhook
	return m
}

func (s *Status) value() map[string]any {
	m := map[string]any{
		"conditions":     orNull(s.Conditions, (*Condition).value),
		"acceptedNames":  s.AcceptedNames.value(),
		"storedVersions": orNull(s.StoredVersions, text),
	}
	putSet(m, "observedGeneration", s.ObservedGeneration)
	return m
}

func (c *Condition) value() any {
	m := map[string]any{"type": c.Type, "status": c.Status, "lastTransitionTime": nil}
	if !c.LastTransitionTime.IsZero() {
		m["lastTransitionTime"] = c.LastTransitionTime.UTC().Format(time.RFC3339)
	}
	putSet(m, "reason", c.Reason)
	putSet(m, "message", c.Message)
	putSet(m, "observedGeneration", c.ObservedGeneration)
	return m
}

func values[T any](l []T, value func(*T) any) []any {
	out := make([]any, len(l))
	for i := range l {
		out[i] = value(&l[i])
	}
	return out
}

// orNull returns the values of a list, or null if the document has none.
func orNull[T any](l []T, value func(*T) any) any {
	if l == nil {
		return nil
	}
	return values(l, value)
}

func text(s *string) any { return *s }

func put[T any](m map[string]any, key string, v *T) {
	if v != nil {
		m[key] = *v
	}
}

// putList sets a key unless l is empty.
func putList(m map[string]any, key string, l []any) {
	if len(l) > 0 {
		m[key] = l
	}
}

// putSet sets a key unless v is the zero value.
func putSet[T comparable](m map[string]any, key string, v T) {
	if v != *new(T) {
		m[key] = v
	}
}
