package jsonval

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// Encodable reports whether package json can encode v, a value of any Go type, without running out of stack or of
// memory: v is not deeper than [MaxDepth], not larger than [MaxSize], and does not contain itself. It examines foreign
// values as that package does, except for those that encode themselves.
func Encodable(v any) bool {
	room := NewRoom()
	return room.encodes(v, goLevels*MaxDepth)
}

// goLevels is the maximum number of nested Go values for one level of JSON: for example, an interface that holds a
// pointer to a struct.
const goLevels = 4

// encodes subtracts the size of v, and reports whether v fits and has at most depth nested Go values.
func (r *Room) encodes(v any, depth int) bool {
	return r.Each(v, depth, goLevels, func(v any, depth int) bool { return r.reflected(reflect.ValueOf(v), depth) })
}

// reflected is encodes for a value of a foreign type.
func (r *Room) reflected(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.String:
		return r.Text(v.String())
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
		return v.IsNil() || r.element(v.Elem(), depth)
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if r.Size -= mapSize; !r.element(entries.Key(), depth) || !r.element(entries.Value(), depth) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && !r.element(v.Field(i), depth) {
				return false
			}
		}
	default:
		if kind := v.Type().Elem().Kind(); kind == reflect.Uint8 {
			r.Size -= byteSize * v.Len()
			return r.Size >= 0
		}
		for i := range v.Len() {
			if !r.element(v.Index(i), depth) {
				return false
			}
		}
	}
	return true
}

// element subtracts the size of an element of a foreign value.
func (r *Room) element(v reflect.Value, depth int) bool {
	if r.Size -= valueSize; r.Size < 0 {
		return false
	}
	if v.Kind() == reflect.Interface && !v.IsNil() && v.CanInterface() {
		return r.encodes(v.Interface(), depth-1)
	}
	return r.reflected(v, depth-1)
}
