package crd

import (
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// The tags of the types of a definition are the only list of its keys. Decoding, encoding and strict decoding use this
// table of them.

// A layout has the keys of a struct's fields: empty for a field that documents of a version do not have.
type layout struct {
	v1, v1beta1 []string
	omitEmpty   []bool
}

func (l *layout) keys(old bool) []string {
	if old {
		return l.v1beta1
	}
	return l.v1
}

// layouts has the layout of each struct type in a definition.
var layouts = func() map[reflect.Type]*layout {
	all := map[reflect.Type]*layout{}
	addLayouts(all, reflect.TypeFor[CustomResourceDefinition]())
	addLayouts(all, reflect.TypeFor[conversionV1]())
	return all
}()

// addLayouts adds the layouts of t and of the structs in it.
func addLayouts(all map[reflect.Type]*layout, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		addLayouts(all, t.Elem())
	case reflect.Struct:
		if t == reflect.TypeFor[schema.JSONSchemaProps]() || t == reflect.TypeFor[time.Time]() || all[t] != nil {
			return
		}
		l := new(layout)
		all[t] = l
		for i := range t.NumField() {
			f := t.Field(i)
			key, option, _ := strings.Cut(f.Tag.Get("key"), ",")
			old, other := f.Tag.Lookup("v1beta1")
			if !other {
				old = key
			}
			l.v1, l.v1beta1, l.omitEmpty = append(l.v1, key), append(l.v1beta1, old), append(l.omitEmpty, option == "omitempty")
			addLayouts(all, f.Type)
		}
	}
}

// A conversionV1 is a [Conversion] as v1 has it.
type conversionV1 struct {
	Strategy string     `key:"strategy"`
	Webhook  *webhookV1 `key:"webhook,omitempty"`
}

type webhookV1 struct {
	ClientConfig             *WebhookClientConfig `key:"clientConfig,omitempty"`
	ConversionReviewVersions []string             `key:"conversionReviewVersions"`
}

// conversion flattens c: BET-002.
func (c *conversionV1) conversion() Conversion {
	out := Conversion{Strategy: c.Strategy}
	if c.Webhook != nil {
		out.WebhookClientConfig, out.ConversionReviewVersions = c.Webhook.ClientConfig, c.Webhook.ConversionReviewVersions
	}
	return out
}

// v1 is the reverse of [conversionV1.conversion].
func (c *Conversion) v1() conversionV1 {
	out := conversionV1{Strategy: c.Strategy}
	if c.WebhookClientConfig != nil || c.ConversionReviewVersions != nil {
		out.Webhook = &webhookV1{c.WebhookClientConfig, c.ConversionReviewVersions}
	}
	return out
}

// knownKeys returns a pointer to a new struct with the keys of that version, for the strict decoder of
// sigs.k8s.io/json: it reports keys that the struct does not have, and duplicate keys. The decoded values are not used.
func knownKeys(apiVersion string) any {
	known := knownV1
	if apiVersion == APIVersionV1beta1 {
		known = knownV1beta1
	}
	s := reflect.New(known())
	s.Elem().FieldByName("Metadata").Set(reflect.ValueOf(objectmeta.NewKeys()))
	return s.Interface()
}

var (
	knownV1      = sync.OnceValue(func() reflect.Type { return knownObject(false) })
	knownV1beta1 = sync.OnceValue(func() reflect.Type { return knownObject(true) })
)

func knownObject(old bool) reflect.Type {
	return reflect.StructOf(append(knownFields(reflect.TypeFor[CustomResourceDefinition](), old),
		reflect.StructField{Name: "APIVersion", Type: reflect.TypeFor[keyword.Opaque](), Tag: `json:"apiVersion"`},
		reflect.StructField{Name: "Kind", Type: reflect.TypeFor[keyword.Opaque](), Tag: `json:"kind"`}))
}

// knownFields returns a field with the type of [knownType] for each key of the struct type t.
func knownFields(t reflect.Type, old bool) (fields []reflect.StructField) {
	for i, key := range layouts[t].keys(old) {
		if key != "" {
			f := t.Field(i)
			fields = append(fields, reflect.StructField{Name: f.Name, Type: knownType(f.Type, old), Tag: reflect.StructTag(`json:"` + key + `"`)})
		}
	}
	return fields
}

// knownType returns the type to which the strict decoder decodes values of type t. Scalars, and what it does not examine,
// are opaque.
func knownType(t reflect.Type, old bool) reflect.Type {
	switch {
	case t == reflect.TypeFor[schema.JSONSchemaProps]():
		return reflect.TypeFor[keyword.SchemaKeys]()
	case t == reflect.TypeFor[map[string]any](): // the metadata
		return reflect.TypeFor[any]()
	case t == reflect.TypeFor[Conversion]() && !old:
		return knownType(reflect.TypeFor[conversionV1](), old)
	case t.Kind() == reflect.Pointer:
		return knownType(t.Elem(), old)
	case t.Kind() == reflect.Slice && layouts[t.Elem()] != nil:
		return reflect.SliceOf(knownType(t.Elem(), old))
	case layouts[t] != nil:
		return reflect.StructOf(knownFields(t, old))
	}
	return reflect.TypeFor[keyword.Opaque]()
}
