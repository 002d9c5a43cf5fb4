package crd

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"reflect"
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
	d := &CustomResourceDefinition{APIVersion: t.apiVersion}
	b.decode(d, v)
	if b.wrong != nil {
		return nil, b.wrong
	}
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	d.setDefaults()
	return d, nil
}

// decode sets what into points to from v, which is not null.
func (b *binder) decode(into, v any) {
	switch p := into.(type) {
	case *string:
		*p = as[string](b, v, "a string")
	case *bool:
		*p = as[bool](b, v, "a boolean")
	case *int32:
		*p = int32(b.integer(v, math.MinInt32, math.MaxInt32))
	case *int64:
		*p = b.integer(v, math.MinInt64, math.MaxInt64)
	case *[]byte:
		*p = b.bytes(v)
	case *time.Time:
		*p = b.time(v)
	case *map[string]any:
		*p = b.metadata(objectmeta.Metadata, b.object(v))
	case **schema.JSONSchemaProps:
		*p = b.schema(v)
	case *ServiceReference:
		p.Port = defaultPort
		b.fields(reflect.ValueOf(p).Elem(), v)
	case *Conversion:
		if b.old {
			b.fields(reflect.ValueOf(p).Elem(), v)
			return
		}
		var c conversionV1
		b.decode(&c, v)
		*p = c.conversion()
	default:
		b.value(reflect.ValueOf(into).Elem(), v)
	}
}

// value sets a struct, a pointer or a list.
func (b *binder) value(into reflect.Value, v any) {
	switch into.Kind() {
	case reflect.Struct:
		b.fields(into, v)
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		b.decode(into.Interface(), v)
	case reflect.Slice:
		l := as[[]any](b, v, "a list")
		into.Set(reflect.MakeSlice(into.Type(), len(l), len(l)))
		b.items(l, func(i int, item any) {
			if item != nil {
				b.decode(into.Index(i).Addr().Interface(), item)
			}
		})
	}
}

// fields sets the fields of a struct.
func (b *binder) fields(into reflect.Value, v any) {
	m := b.object(v)
	for i, key := range layouts[into.Type()].keys(b.old) {
		if v := m[key]; v != nil && key != "" {
			b.below(key, func() { b.decode(into.Field(i).Addr().Interface(), v) })
		}
	}
}

// below calls f to read the value below a path element, unless there was an error.
func (b *binder) below(step string, f func()) {
	if b.wrong != nil {
		return
	}
	if f(); b.wrong != nil {
		b.wrong.Path = joinPath(step, b.wrong.Path)
	}
}

// items calls f to read each item of l, until there is an error.
func (b *binder) items(l []any, f func(i int, item any)) {
	for i, item := range l {
		if b.wrong != nil {
			return
		}
		if f(i, item); b.wrong != nil {
			b.wrong.Path = joinPath("["+strconv.Itoa(i)+"]", b.wrong.Path)
		}
	}
}

// as returns v if it has the type T, which what describes.
func as[T any](b *binder, v any, what string) T {
	t, ok := v.(T)
	if !ok {
		b.fail("", expected(what, v))
	}
	return t
}

// object returns v as an object. A null has no keys.
func (b *binder) object(v any) map[string]any {
	if v == nil {
		return nil
	}
	return as[map[string]any](b, v, "an object")
}

func (b *binder) schema(v any) *schema.JSONSchemaProps {
	p, err := schema.FromValue(v)
	var e *schema.DecodeError
	if errors.As(err, &e) {
		b.fail(e.Path, e.Detail)
	}
	return p
}

// integer returns v as an integer. A number written with a point or an exponent is a float64, which is an error:
// CDC-007.
func (b *binder) integer(v any, lowest, highest int64) int64 {
	i, ok := v.(int64)
	if !ok || i < lowest || i > highest {
		b.fail("", expected(fmt.Sprintf("an integer from %d to %d without point or exponent", lowest, highest), v))
	}
	return i
}

func (b *binder) time(v any) (t time.Time) {
	s := as[string](b, v, "a string")
	if b.wrong != nil {
		return t
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		b.fail("", "must be a time as in RFC 3339, not "+strconv.Quote(s))
	}
	return t.UTC()
}

// bytes decodes a base64 string. Like encoding/json, it also accepts a list of small numbers.
func (b *binder) bytes(v any) (out []byte) {
	if l, ok := v.([]any); ok {
		out = make([]byte, len(l))
		b.items(l, func(i int, item any) {
			if item != nil {
				out[i] = byte(b.integer(item, 0, math.MaxUint8))
			}
		})
		return out
	}
	s := as[string](b, v, "a string")
	if b.wrong != nil {
		return nil
	}
	out, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		b.fail("", "must be base64: "+err.Error())
	}
	return out
}

// fail records an error in the current value, or at a path below it, unless there was one before.
func (b *binder) fail(below, detail string) {
	if b.wrong == nil {
		b.wrong = &ParseError{Path: below, Detail: detail}
	}
}

func expected(what string, v any) string { return "must be " + what + ", not " + jsonval.Describe(v) }
