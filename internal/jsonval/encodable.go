package jsonval

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// Encodable reports whether package json can encode v, a value of any Go type, without running out of stack or of
// memory: v is not deeper than [MaxDepth], not larger than [MaxSize], and does not contain itself. It examines foreign
// values as that package does, except for those that marshal themselves.
func Encodable(v any) bool {
	b := NewBudget()
	return b.encodes(v, goLevels*MaxDepth)
}

// goLevels is the maximum number of nested Go values for one level of JSON: for example, an interface that holds a
// pointer to a struct.
const goLevels = 4

// encodes subtracts the size of v, and reports whether v fits and has at most depth nested Go values.
func (b *Budget) encodes(v any, depth int) bool {
	return b.Each(v, depth, goLevels, func(v any, depth int) bool { return b.reflected(reflect.ValueOf(v), depth) })
}

// reflected is encodes for a value of a foreign type.
func (b *Budget) reflected(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.String:
		return b.Text(v.String())
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer, reflect.Interface:
	default:
		return true
	}
	if v.CanInterface() {
		switch v.Interface().(type) {
		case json.Marshaler, encoding.TextMarshaler:
			return true
		}
	}
	if depth <= 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || b.element(v.Elem(), depth)
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if b.Size -= mapSize; !b.element(entries.Key(), depth) || !b.element(entries.Value(), depth) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && !b.element(v.Field(i), depth) {
				return false
			}
		}
	default:
		if kind := v.Type().Elem().Kind(); kind == reflect.Uint8 {
			b.Size -= byteSize * v.Len()
			return b.Size >= 0
		}
		for i := range v.Len() {
			if !b.element(v.Index(i), depth) {
				return false
			}
		}
	}
	return true
}

// element subtracts the size of an element of a foreign value.
func (b *Budget) element(v reflect.Value, depth int) bool {
	if b.Size -= valueSize; b.Size < 0 {
		return false
	}
	if v.Kind() == reflect.Interface && !v.IsNil() && v.CanInterface() {
		return b.encodes(v.Interface(), depth-1)
	}
	return b.reflected(v, depth-1)
}
