package schema

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/unstructured"
)

// Decoding has two steps: package unstructured decodes bytes to generic values, and a binder sets the fields of a
// JSONSchemaProps from these. Documents that contain schemas are decoded as a whole, and pass their schemas to
// FromValue.

// Decode returns the openAPIV3Schema in data, which is JSON or YAML. It refuses only what does not fit into the struct:
// a string in place of a number, or additionalProperties that is neither a schema nor a boolean. [Compile] checks
// whether the schema is structural and its patterns compile.
//
// Keys match exactly. Unknown keys are dropped, and the last of repeated keys is used: [DecodeStrict] reports both. A
// null is treated as if the key were absent; in a list or a map it is an empty schema, string and so on. Integers must
// be written as integers (1.0 and 1e3 are refused), but numbers in YAML's other forms are accepted for their value. A
// value of items that is neither an object nor a list is present and empty.
//
// [unstructured.Decode] documents how JSON and YAML are told apart. An error is a [*DecodeError], and is always the
// same for the same data. An error without a Path says that data is not JSON or YAML, or not one object.
func Decode(data []byte) (*JSONSchemaProps, error) {
	obj, err := unstructured.Decode(data)
	if err != nil {
		return nil, &DecodeError{Detail: strings.TrimPrefix(err.Error(), "unstructured: ")}
	}
	return FromValue(obj)
}

// FromValue is [Decode] for a schema that is already decoded: v consists of nil, bool, int64, float64, string, []any
// and map[string]any. Values of other Go types are refused. A nil v is the empty schema.
//
// FromValue does not modify v. The result shares the values of default, example and enum with v, so these must not be
// modified while the result is in use. A v that contains itself, or is nested deeper than 10,000 levels, is refused.
func FromValue(v any) (*JSONSchemaProps, error) {
	p := new(JSONSchemaProps)
	if (&binder{}).schema(p, v) == nil {
		return p, nil
	}
	// Several keywords may be invalid, and a Go map has no order: report the first by name.
	*p = JSONSchemaProps{}
	if m := (&binder{sorted: true}).schema(p, v); m != nil {
		return nil, m.error()
	}
	return p, nil
}

// A DecodeError says which part of a document is invalid as a schema, and why.
type DecodeError struct {
	Path   string // of the offending key: properties.spec.items.type; empty for the document
	Detail string // must be a string, not a list
}

// Error returns `schema: `, the path and the detail.
func (e *DecodeError) Error() string {
	if e.Path == "" {
		return "schema: " + e.Detail
	}
	return "schema: " + e.Path + ": " + e.Detail
}

// A mismatch is an error on its way to the caller. Each level appends its key or index to path, so the path is in
// reverse order, and costs nothing unless there is an error.
type mismatch struct {
	path    []string
	detail  string
	nowhere bool // leave out the path
}

// tooDeep returns the mismatch for nesting beyond jsonval.MaxDepth: CDC-008. It has no path, because that would be very
// long.
func tooDeep() *mismatch { return &mismatch{detail: "exceeded max depth", nowhere: true} }

func (m *mismatch) under(key string) *mismatch {
	m.path = append(m.path, "."+key)
	return m
}

func (m *mismatch) at(index int) *mismatch {
	m.path = append(m.path, "["+strconv.Itoa(index)+"]")
	return m
}

func (m *mismatch) error() *DecodeError {
	if m.nowhere {
		return &DecodeError{Detail: m.detail}
	}
	slices.Reverse(m.path)
	return &DecodeError{Path: strings.TrimPrefix(strings.Join(m.path, ""), "."), Detail: m.detail}
}

// expected returns the mismatch for v where what is required.
func expected(what string, v any) *mismatch {
	return &mismatch{detail: "must be " + what + ", not " + jsonval.Describe(v)}
}

// A binder sets the fields of a JSONSchemaProps from generic values.
type binder struct {
	sorted bool // visit keys in byte order, so that the error is always the same
	depth  int
}

// schema fills p, which is zero, with the schema v.
func (b *binder) schema(p *JSONSchemaProps, v any) *mismatch {
	if v == nil { // CDC-002
		return nil
	}
	if _, ok := v.(map[string]any); ok && b.depth >= jsonval.MaxDepth {
		return tooDeep()
	}
	b.depth++
	if err := b.object(reflect.ValueOf(p).Elem(), keywords, v); err != nil {
		return err
	}
	b.depth--
	return nil
}

// object sets the fields of the struct s from the keys of v. Unknown keys are dropped (CDC-003), and a null is treated
// as an absent key (CDC-002; CDC-009 for default and example).
func (b *binder) object(s reflect.Value, t *keyword.Table, v any) *mismatch {
	m, ok := v.(map[string]any)
	if !ok {
		return expected("an object", v)
	}
	return b.each(m, func(k string, v any) *mismatch {
		if i, ok := t.Find(k); ok && v != nil {
			return b.field(keyword.Field(s, i), v)
		}
		return nil
	})
}

// field sets a field, given by a pointer, to the value v of its keyword, which is not nil.
func (b *binder) field(field, v any) (err *mismatch) {
	switch f := field.(type) {
	case *string:
		*f, err = text(v)
	case **string:
		*f, err = pointer(text(v))
	case *bool:
		*f, err = flag(v)
	case **bool:
		*f, err = pointer(flag(v))
	case **int64:
		*f, err = pointer(integer(v))
	case **float64:
		*f, err = pointer(number(v))
	case *[]string:
		*f, err = texts(v)
	case *any:
		*f, err = v, b.json(v)
	case *[]any:
		l, ok := v.([]any)
		if !ok {
			return expected("a list", v)
		}
		*f, err = slices.Clip(l), b.json(l)
	case **JSONSchemaProps:
		*f = new(JSONSchemaProps)
		err = b.schema(*f, v)
	case *[]*JSONSchemaProps:
		*f, err = b.list(v)
	case *map[string]*JSONSchemaProps:
		*f, err = b.schemas(v)
	case **SchemaOrBool:
		*f, err = b.schemaOrBool(v)
	case **SchemaOrArray:
		*f, err = b.schemaOrArray(v)
	case *map[string]SchemaOrStrings:
		*f, err = b.dependencies(v)
	case **ExternalDocumentation:
		*f = new(ExternalDocumentation)
		err = b.object(reflect.ValueOf(*f).Elem(), docsKeywords, v)
	case *[]ValidationRule:
		*f, err = b.rules(v)
	}
	return err
}

// schemas returns the map of schemas v. The schemas are allocated together: a large CRD has thousands.
func (b *binder) schemas(v any) (map[string]*JSONSchemaProps, *mismatch) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, expected("an object", v)
	}
	out := make(map[string]*JSONSchemaProps, len(m))
	all := make([]JSONSchemaProps, len(m))
	next := 0
	err := b.each(m, func(k string, v any) *mismatch {
		p := &all[next]
		next++
		out[k] = p
		return b.schema(p, v)
	})
	return out, err
}

func (b *binder) list(v any) ([]*JSONSchemaProps, *mismatch) {
	all, err := items(v, b.schema)
	out := make([]*JSONSchemaProps, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	return out, err
}

// schemaOrBool returns the value of additionalProperties or additionalItems: CDC-011.
func (b *binder) schemaOrBool(v any) (*SchemaOrBool, *mismatch) {
	switch x := v.(type) {
	case bool:
		return &SchemaOrBool{Allows: x}, nil
	case map[string]any:
		p := new(JSONSchemaProps)
		return &SchemaOrBool{Allows: true, Schema: p}, b.schema(p, x)
	}
	return nil, expected("a schema or a boolean", v)
}

// schemaOrArray returns the value of items: CDC-010.
func (b *binder) schemaOrArray(v any) (out *SchemaOrArray, err *mismatch) {
	out = new(SchemaOrArray)
	switch x := v.(type) {
	case map[string]any:
		out.Schema = new(JSONSchemaProps)
		err = b.schema(out.Schema, x)
	case []any:
		out.Schemas, err = b.list(x)
	}
	return out, err
}

// dependencies returns the value of the keyword dependencies: CDC-012.
func (b *binder) dependencies(v any) (map[string]SchemaOrStrings, *mismatch) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, expected("an object", v)
	}
	out := make(map[string]SchemaOrStrings, len(m))
	err := b.each(m, func(k string, v any) (err *mismatch) {
		var d SchemaOrStrings
		switch x := v.(type) {
		case map[string]any:
			d.Schema = new(JSONSchemaProps)
			err = b.schema(d.Schema, x)
		case []any:
			d.Property, err = texts(x)
		}
		out[k] = d
		return err
	})
	return out, err
}

// rules returns the value of x-kubernetes-validations.
func (b *binder) rules(v any) ([]ValidationRule, *mismatch) {
	return items(v, func(r *ValidationRule, v any) *mismatch {
		return b.object(reflect.ValueOf(r).Elem(), ruleKeywords, v)
	})
}

// json checks that v is a JSON value that does not contain itself, as other functions require.
func (b *binder) json(v any) *mismatch {
	switch x := v.(type) {
	case nil, bool, int64, float64, string:
		return nil
	case []any, map[string]any:
		if b.depth++; b.depth > jsonval.MaxDepth {
			return tooDeep()
		}
		if l, ok := x.([]any); ok {
			for i, item := range l {
				if err := b.json(item); err != nil {
					return err.at(i)
				}
			}
		} else if err := b.each(x.(map[string]any), func(_ string, v any) *mismatch { return b.json(v) }); err != nil {
			return err
		}
		b.depth--
		return nil
	}
	return expected("a JSON value", v)
}

// each calls f for each key of m until there is an error.
func (b *binder) each(m map[string]any, f func(k string, v any) *mismatch) *mismatch {
	if b.sorted {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if err := f(k, m[k]); err != nil {
				return err.under(k)
			}
		}
		return nil
	}
	for k, v := range m {
		if err := f(k, v); err != nil {
			return err.under(k)
		}
	}
	return nil
}

// as returns v if it has the type T, which what describes.
func as[T any](v any, what string) (T, *mismatch) {
	t, ok := v.(T)
	if !ok {
		return t, expected(what, v)
	}
	return t, nil
}

func text(v any) (string, *mismatch) { return as[string](v, "a string") }

func flag(v any) (bool, *mismatch) { return as[bool](v, "a boolean") }

func number(v any) (float64, *mismatch) {
	switch x := v.(type) {
	case int64:
		return float64(x), nil
	case float64:
		return x, nil
	}
	return 0, expected("a number", v)
}

// integer returns the value of an integer keyword. A number that was written with a point or an exponent is a float64,
// which is an error: CDC-007.
func integer(v any) (int64, *mismatch) {
	return as[int64](v, "an integer of 64 bits without point or exponent")
}

func texts(v any) ([]string, *mismatch) {
	return items(v, func(s *string, v any) (err *mismatch) {
		*s, err = text(v)
		return err
	})
}

// items returns the list v, of which read reads each item into an empty one. A null stays empty (CDC-002).
func items[T any](v any, read func(item *T, v any) *mismatch) ([]T, *mismatch) {
	l, ok := v.([]any)
	if !ok {
		return nil, expected("a list", v)
	}
	out := make([]T, len(l))
	for i, item := range l {
		if item == nil {
			continue
		}
		if err := read(&out[i], item); err != nil {
			return nil, err.at(i)
		}
	}
	return out, nil
}

// pointer returns a pointer to v, or nil if there is an error.
func pointer[T any](v T, err *mismatch) (*T, *mismatch) {
	if err != nil {
		return nil, err
	}
	return &v, nil
}
