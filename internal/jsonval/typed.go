package jsonval

import "reflect"

// EqualTyped reports whether x and y, parts of a definition, are equal field by field. Nil and empty lists and maps are
// equal. A nil pointer equals only another nil pointer. Numbers in defaults are equal only if both are int64 or both are
// float64 (BET-002).
func EqualTyped[T any](x, y T) bool { return equalValues(reflect.ValueOf(x), reflect.ValueOf(y)) }

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
		return Equal(v.Interface(), w.Interface())
	}
	return v.Equal(w)
}
