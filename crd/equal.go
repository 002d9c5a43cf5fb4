package crd

import (
	"reflect"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Equal reports whether s and t are equal field by field. To compare definitions as a server does, compare the results
// of [CustomResourceDefinition.Unversioned]. Nil and empty lists and maps are equal. A nil pointer equals only another
// nil pointer. Numbers in defaults are equal only if both are int64 or both are float64 (BET-002).
func (s *Spec) Equal(t *Spec) bool { return equal(s, t) }

// Equal reports whether n and o are the same names, in the same order. Nil and empty lists are equal.
func (n Names) Equal(o Names) bool { return equal(&n, &o) }

// equal compares parts of definitions as the methods Equal do.
func equal[T any](p, q *T) bool { return equalValues(reflect.ValueOf(p), reflect.ValueOf(q)) }

func equalValues(v, w reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.Pointer() == w.Pointer() || !v.IsNil() && !w.IsNil() && equalValues(v.Elem(), w.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			a, b := v.Field(i), w.Field(i)
			if a.IsZero() && b.IsZero() { // true for most keywords of a schema
				continue
			}
			if !equalValues(a, b) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if v.Len() != w.Len() {
			return false
		}
		for i := range v.Len() {
			if !equalValues(v.Index(i), w.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if v.Len() != w.Len() || v.Len() == 0 {
			return v.Len() == w.Len()
		}
		key := reflect.New(v.Type().Key()).Elem()
		for it := v.MapRange(); it.Next(); {
			key.SetIterKey(it)
			if other := w.MapIndex(key); !other.IsValid() || !equalValues(it.Value(), other) {
				return false
			}
		}
		return true
	case reflect.Interface: // a default, an example or an item of an enum
		return jsonval.Equal(v.Interface(), w.Interface())
	}
	return v.Equal(w)
}
