package crd

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// The binder decodes generic values into the types of this package. It reads each key that a type has, in the order of
// the struct's fields, so that the first error is always the same. It never sees unknown keys. A null is equivalent to
// an absent key or an empty list element (CDC-002).

// A binder records the first value that does not fit, and continues: its results are not used after that.
type binder struct {
	wrong *ParseError // its path grows on the way back to the root
	old   bool        // v1beta1
}

// bind returns the definition v of type t, with its defaults.
func bind(v any, t objectType) (*CustomResourceDefinition, *ParseError) {
	if wrong := t.check(); wrong != nil {
		return nil, wrong
	}
	b := &binder{old: t.apiVersion == APIVersionV1beta1}
	m := b.object(v)
	d := &CustomResourceDefinition{APIVersion: t.apiVersion}
	b.value(m, "metadata", func(v any) { d.Metadata = b.metadata(objectmeta.Metadata, b.object(v)) })
	b.value(m, "spec", func(v any) { d.Spec = b.spec(b.object(v)) })
	b.value(m, "status", func(v any) { d.Status = b.status(b.object(v)) })
	if b.wrong != nil {
		return nil, b.wrong
	}
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	d.setDefaults()
	return d, nil
}

func (b *binder) spec(m map[string]any) Spec {
	s := Spec{
		Group:                 b.text(m, "group"),
		Names:                 b.names(m, "names"),
		Scope:                 b.text(m, "scope"),
		Versions:              list(b, m, "versions", b.version),
		Conversion:            optional(b, m, "conversion", b.conversion),
		PreserveUnknownFields: b.flagPointer(m, "preserveUnknownFields"),
	}
	if b.old {
		s.Version = b.text(m, "version")
		s.Validation = optional(b, m, "validation", b.validation)
		s.Subresources = optional(b, m, "subresources", b.subresources)
		s.AdditionalPrinterColumns = list(b, m, "additionalPrinterColumns", b.column)
		s.SelectableFields = list(b, m, "selectableFields", b.selectableField)
	}
	return s
}

func (b *binder) names(m map[string]any, key string) (n Names) {
	b.value(m, key, func(v any) {
		m := b.object(v)
		n = Names{
			Plural:     b.text(m, "plural"),
			Singular:   b.text(m, "singular"),
			ShortNames: b.texts(m, "shortNames"),
			Kind:       b.text(m, "kind"),
			ListKind:   b.text(m, "listKind"),
			Categories: b.texts(m, "categories"),
		}
	})
	return n
}

func (b *binder) version(m map[string]any) Version {
	return Version{
		Name:                     b.text(m, "name"),
		Served:                   b.flag(m, "served"),
		Storage:                  b.flag(m, "storage"),
		Deprecated:               b.flag(m, "deprecated"),
		DeprecationWarning:       b.textPointer(m, "deprecationWarning"),
		Schema:                   optional(b, m, "schema", b.validation),
		Subresources:             optional(b, m, "subresources", b.subresources),
		AdditionalPrinterColumns: list(b, m, "additionalPrinterColumns", b.column),
		SelectableFields:         list(b, m, "selectableFields", b.selectableField),
	}
}

func (b *binder) validation(m map[string]any) (s Validation) {
	b.value(m, "openAPIV3Schema", func(v any) {
		if p, ok := v.(plainSchema); ok {
			s.OpenAPIV3Schema = p.JSONSchemaProps
			return
		}
		p, err := schema.FromValue(v)
		var e *schema.DecodeError
		if errors.As(err, &e) {
			b.fail(e.Path, e.Detail)
		}
		s.OpenAPIV3Schema = p
	})
	return s
}

func (b *binder) subresources(m map[string]any) Subresources {
	return Subresources{
		Status: optional(b, m, "status", func(map[string]any) SubresourceStatus { return SubresourceStatus{} }),
		Scale: optional(b, m, "scale", func(m map[string]any) SubresourceScale {
			return SubresourceScale{
				SpecReplicasPath:   b.text(m, "specReplicasPath"),
				StatusReplicasPath: b.text(m, "statusReplicasPath"),
				LabelSelectorPath:  b.textPointer(m, "labelSelectorPath"),
			}
		}),
	}
}

func (b *binder) column(m map[string]any) Column {
	path := "jsonPath"
	if b.old {
		path = "JSONPath"
	}
	return Column{
		Name:        b.text(m, "name"),
		Type:        b.text(m, "type"),
		Format:      b.text(m, "format"),
		Description: b.text(m, "description"),
		Priority:    b.int32(m, "priority", 0),
		JSONPath:    b.text(m, path),
	}
}

func (b *binder) selectableField(m map[string]any) SelectableField {
	return SelectableField{JSONPath: b.text(m, "jsonPath")}
}

// conversion flattens v1's layout: BET-002.
func (b *binder) conversion(m map[string]any) Conversion {
	c := Conversion{Strategy: b.text(m, "strategy")}
	if b.old {
		c.WebhookClientConfig = optional(b, m, "webhookClientConfig", b.clientConfig)
		c.ConversionReviewVersions = b.texts(m, "conversionReviewVersions")
		return c
	}
	b.value(m, "webhook", func(v any) {
		m := b.object(v)
		c.WebhookClientConfig = optional(b, m, "clientConfig", b.clientConfig)
		c.ConversionReviewVersions = b.texts(m, "conversionReviewVersions")
	})
	return c
}

func (b *binder) clientConfig(m map[string]any) WebhookClientConfig {
	return WebhookClientConfig{
		URL: b.textPointer(m, "url"),
		Service: optional(b, m, "service", func(m map[string]any) ServiceReference {
			return ServiceReference{
				Namespace: b.text(m, "namespace"),
				Name:      b.text(m, "name"),
				Path:      b.textPointer(m, "path"),
				Port:      b.int32(m, "port", defaultPort),
			}
		}),
		CABundle: b.bytes(m, "caBundle"),
	}
}

func (b *binder) status(m map[string]any) Status {
	return Status{
		Conditions: list(b, m, "conditions", func(m map[string]any) Condition {
			return Condition{
				Type:               b.text(m, "type"),
				Status:             b.text(m, "status"),
				LastTransitionTime: b.time(m, "lastTransitionTime"),
				Reason:             b.text(m, "reason"),
				Message:            b.text(m, "message"),
				ObservedGeneration: b.int64(m, "observedGeneration"),
			}
		}),
		AcceptedNames:      b.names(m, "acceptedNames"),
		StoredVersions:     b.texts(m, "storedVersions"),
		ObservedGeneration: b.int64(m, "observedGeneration"),
	}
}

// value calls f with the value of a key, if present.
func (b *binder) value(m map[string]any, key string, f func(v any)) {
	v := m[key]
	if v == nil || b.wrong != nil {
		return
	}
	f(v)
	b.beneath(key)
}

// elements calls f with each element of the list of a key, including nil ones. It reports whether there is a list.
func (b *binder) elements(m map[string]any, key string, f func(v any)) (present bool) {
	b.value(m, key, func(v any) {
		var l []any
		if l, present = v.([]any); !present {
			b.expected("a list", v)
			return
		}
		for i, item := range l {
			if f(item); b.wrong != nil {
				b.beneath("[" + strconv.Itoa(i) + "]")
				return
			}
		}
	})
	return present
}

// beneath prepends a step to the path of the error, if there is one.
func (b *binder) beneath(step string) {
	if b.wrong != nil {
		b.wrong.Path = joinPath(step, b.wrong.Path)
	}
}

// list returns the list of objects of a key, with f applied to each, or nil if there is none.
func list[T any](b *binder, m map[string]any, key string, f func(map[string]any) T) []T {
	return listOf(b, m, key, func(v any) T { return f(b.object(v)) })
}

// listOf is list for elements of any type.
func listOf[T any](b *binder, m map[string]any, key string, f func(v any) T) []T {
	var out []T
	if b.elements(m, key, func(v any) { out = append(out, f(v)) }) && out == nil {
		out = []T{}
	}
	return out
}

// optional returns the object of a key, converted by f, or nil if there is none.
func optional[T any](b *binder, m map[string]any, key string, f func(map[string]any) T) *T {
	return optionalOf(b, m, key, func(v any) T { return f(b.object(v)) })
}

// optionalOf is optional for a value of any type.
func optionalOf[T any](b *binder, m map[string]any, key string, f func(v any) T) (out *T) {
	b.value(m, key, func(v any) {
		t := f(v)
		out = &t
	})
	return out
}

// object returns v as an object. A null has no keys.
func (b *binder) object(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		b.expected("an object", v)
	}
	return m
}

func (b *binder) text(m map[string]any, key string) (s string) {
	b.value(m, key, func(v any) { s = b.textOf(v) })
	return s
}

// textOf returns v as a string. A null is the empty string.
func (b *binder) textOf(v any) string {
	s, ok := v.(string)
	if !ok && v != nil {
		b.expected("a string", v)
	}
	return s
}

func (b *binder) textPointer(m map[string]any, key string) *string {
	return optionalOf(b, m, key, b.textOf)
}

func (b *binder) texts(m map[string]any, key string) []string { return listOf(b, m, key, b.textOf) }

func (b *binder) flag(m map[string]any, key string) bool {
	p := b.flagPointer(m, key)
	return p != nil && *p
}

func (b *binder) flagPointer(m map[string]any, key string) *bool {
	return optionalOf(b, m, key, func(v any) bool {
		f, ok := v.(bool)
		if !ok {
			b.expected("a boolean", v)
		}
		return f
	})
}

// int64 returns an integer. A number with a point or an exponent has become a float64 before: CDC-007.
func (b *binder) int64(m map[string]any, key string) (i int64) {
	b.value(m, key, func(v any) { i = b.integer(v, math.MinInt64, math.MaxInt64) })
	return i
}

func (b *binder) int32(m map[string]any, key string, absent int32) int32 {
	i := int64(absent)
	b.value(m, key, func(v any) { i = b.integer(v, math.MinInt32, math.MaxInt32) })
	return int32(i)
}

func (b *binder) integer(v any, lowest, highest int64) int64 {
	i, ok := v.(int64)
	if !ok || i < lowest || i > highest {
		b.expected(fmt.Sprintf("an integer from %d to %d without point or exponent", lowest, highest), v)
	}
	return i
}

func (b *binder) time(m map[string]any, key string) (t time.Time) {
	b.value(m, key, func(v any) {
		s := b.textOf(v)
		if b.wrong != nil {
			return
		}
		var err error
		if t, err = time.Parse(time.RFC3339, s); err != nil {
			b.fail("", "must be a time as in RFC 3339, not "+strconv.Quote(s))
		}
		t = t.UTC()
	})
	return t
}

// bytes decodes a base64 string. Like encoding/json, it also accepts a list of small numbers.
func (b *binder) bytes(m map[string]any, key string) (out []byte) {
	if _, ok := m[key].([]any); ok {
		return listOf(b, m, key, func(v any) (octet byte) {
			if v != nil {
				octet = byte(b.integer(v, 0, math.MaxUint8))
			}
			return octet
		})
	}
	b.value(m, key, func(v any) {
		s := b.textOf(v)
		if b.wrong != nil {
			return
		}
		var err error
		if out, err = base64.StdEncoding.DecodeString(s); err != nil {
			b.fail("", "must be base64: "+err.Error())
		}
	})
	return out
}

// expected reports that a value has the wrong type.
func (b *binder) expected(what string, v any) { b.fail("", expected(what, v)) }

// fail reports an error of the current value, or below it.
func (b *binder) fail(below, detail string) {
	if b.wrong == nil {
		b.wrong = &ParseError{Path: below, Detail: detail}
	}
}

func expected(what string, v any) string { return "must be " + what + ", not " + jsonval.Describe(v) }
