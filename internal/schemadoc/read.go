package schemadoc

import (
	"reflect"
	"slices"
	"sync"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/schema"
)

// A Reader reads the schemas of one text.
type Reader struct {
	s       *jsonscan.Scanner
	unknown int
	buf     []schema.JSONSchemaProps // for the next schemas
	found   []string                 // of the list that is being read
	named   []named                  // of the maps that are being read, the innermost last
}

// A named is a schema with its key in a map.
type named struct {
	name   string
	schema *schema.JSONSchemaProps
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

// NewReader returns a Reader of schemas in the text of s.
func NewReader(s *jsonscan.Scanner) *Reader {
	r := readers.Get().(*Reader)
	r.s = s
	return r
}

// Unknown returns the number of unknown keys in the schemas, which strict decoding would report.
func (r *Reader) Unknown() int { return r.unknown }

// Release returns r for reuse. The schemas that it returned stay valid.
func (r *Reader) Release() {
	*r = Reader{found: empty(r.found), named: empty(r.named)}
	readers.Put(r)
}

// empty returns l without elements, for reuse, or nil if it is large.
func empty[T any](l []T) []T {
	if cap(l) > 256 {
		return nil
	}
	clear(l[:cap(l)])
	return l[:0]
}

// Schema reads the next value as a schema, with the same result as [schema.FromValue]. It declines the text if a value
// has the wrong kind or a known key is repeated.
//
// Descriptions, titles and URLs share blocks of memory of several kilobytes. Strings that a compiled schema keeps have
// memory of their own.
func (r *Reader) Schema() *schema.JSONSchemaProps {
	p := r.next()
	r.schema(p)
	return p
}

// batch is how many schemas are allocated together.
const batch = 8

// next returns an empty schema.
func (r *Reader) next() *schema.JSONSchemaProps {
	if len(r.buf) == 0 {
		r.buf = make([]schema.JSONSchemaProps, batch)
	}
	p := &r.buf[0]
	r.buf = r.buf[1:]
	return p
}

// null skips a null, if that comes next, and reports whether it did.
func (r *Reader) null() bool {
	if r.s.Kind() != jsonscan.Null {
		return false
	}
	r.s.Null()
	return true
}

// The tables of keywords.
var (
	keywords     = keyword.Of[schema.JSONSchemaProps]()
	ruleKeywords = keyword.Of[schema.ValidationRule]()
	docsKeywords = keyword.Of[schema.ExternalDocumentation]()
)

// schema fills p, which is empty.
func (r *Reader) schema(p *schema.JSONSchemaProps) { r.object(reflect.ValueOf(p).Elem(), keywords) }

// object fills the struct s, which is empty. A null is an empty object (CDC-002).
func (r *Reader) object(s reflect.Value, t *keyword.Table) {
	if r.null() {
		return
	}
	var seen uint64 // a bit for each keyword
	for key, ok := r.s.FirstKey(); ok; key, ok = r.s.NextKey() {
		i, known := t.Find(key)
		if !known { // CDC-003
			r.unknown++
			r.s.Value() // declines duplicate keys
			continue
		}
		if seen&(1<<i) != 0 {
			r.s.Decline()
		}
		seen |= 1 << i
		r.field(keyword.Field(s, i), key)
	}
}

// field reads the value of a key into its field, given by a pointer.
func (r *Reader) field(field any, key string) {
	switch f := field.(type) {
	case *string:
		switch key {
		case "description", "title", "url":
			*f = r.text()
		default:
			*f = r.own()
		}
	case **string:
		*f = optional(r, r.own)
	case *bool:
		*f = !r.null() && r.s.Bool()
	case **bool:
		*f = optional(r, r.s.Bool)
	case **int64:
		*f = optional(r, r.integer)
	case **float64:
		*f = optional(r, r.number)
	case *[]string:
		*f = r.texts()
	case *any:
		*f = r.s.Value()
	case *[]any:
		*f = r.values()
	case **schema.JSONSchemaProps:
		if !r.null() {
			*f = r.Schema()
		}
	case *[]*schema.JSONSchemaProps:
		*f = r.list()
	case *map[string]*schema.JSONSchemaProps:
		*f = r.schemas()
	case **schema.SchemaOrBool:
		*f = r.schemaOrBool()
	case **schema.SchemaOrArray:
		*f = r.schemaOrArray()
	case **schema.ExternalDocumentation:
		if !r.null() {
			*f = new(schema.ExternalDocumentation)
			r.object(reflect.ValueOf(*f).Elem(), docsKeywords)
		}
	case *[]schema.ValidationRule:
		*f = r.rules()
	default: // No server takes a definition that has dependencies.
		r.s.Decline()
	}
}

func (r *Reader) schemas() map[string]*schema.JSONSchemaProps {
	if r.null() {
		return nil
	}
	begin := len(r.named)
	for key, ok := r.s.FirstKey(); ok; key, ok = r.s.NextKey() {
		p := r.next()
		r.named = append(r.named, named{key, p})
		r.schema(p)
	}
	// Allocate the map with its final size.
	out := make(map[string]*schema.JSONSchemaProps, len(r.named)-begin)
	for _, n := range r.named[begin:] {
		out[n.name] = n.schema
	}
	if len(out) < len(r.named)-begin {
		r.s.Decline()
	}
	r.named = r.named[:begin]
	return out
}

func (r *Reader) list() []*schema.JSONSchemaProps {
	if r.null() {
		return nil
	}
	out := []*schema.JSONSchemaProps{}
	for ok := r.s.FirstItem(); ok; ok = r.s.NextItem() {
		out = append(out, r.Schema())
	}
	return out
}

// schemaOrBool returns the value of additionalProperties or additionalItems: CDC-011.
func (r *Reader) schemaOrBool() *schema.SchemaOrBool {
	switch r.s.Kind() {
	case jsonscan.Null:
		r.s.Null()
		return nil
	case jsonscan.Object:
		return &schema.SchemaOrBool{Allows: true, Schema: r.Schema()}
	}
	return &schema.SchemaOrBool{Allows: r.s.Bool()}
}

// schemaOrArray returns the value of items: CDC-010.
func (r *Reader) schemaOrArray() *schema.SchemaOrArray {
	switch r.s.Kind() {
	case jsonscan.Null:
		r.s.Null()
		return nil
	case jsonscan.Array:
		return &schema.SchemaOrArray{Schemas: r.list()}
	}
	return &schema.SchemaOrArray{Schema: r.Schema()}
}

func (r *Reader) rules() []schema.ValidationRule {
	if r.null() {
		return nil
	}
	out := []schema.ValidationRule{}
	for ok := r.s.FirstItem(); ok; ok = r.s.NextItem() {
		out = append(out, schema.ValidationRule{})
		r.object(reflect.ValueOf(&out[len(out)-1]).Elem(), ruleKeywords)
	}
	return slices.Clip(out)
}

// text returns a string that a compiled schema does not keep.
func (r *Reader) text() string {
	if r.null() {
		return ""
	}
	return r.s.Text()
}

// own returns a string that a compiled schema keeps.
func (r *Reader) own() string {
	if r.null() {
		return ""
	}
	return r.s.Own()
}

func (r *Reader) texts() []string {
	if r.null() {
		return nil
	}
	r.found = r.found[:0]
	for ok := r.s.FirstItem(); ok; ok = r.s.NextItem() {
		r.found = append(r.found, r.own())
	}
	return append(make([]string, 0, len(r.found)), r.found...)
}

func (r *Reader) values() []any {
	if r.null() {
		return nil
	}
	l, ok := r.s.Value().([]any)
	if !ok {
		r.s.Decline()
	}
	return slices.Clip(l)
}

func (r *Reader) number() float64 {
	i, f, whole := r.s.Number()
	if whole {
		return float64(i)
	}
	return f
}

// integer returns the value of an integer keyword, which has no point and no exponent (CDC-007).
func (r *Reader) integer() int64 {
	i, _, whole := r.s.Number()
	if !whole {
		r.s.Decline()
	}
	return i
}

// optional returns a pointer to what read returns, nil for a null.
func optional[T any](r *Reader, read func() T) *T {
	if r.null() {
		return nil
	}
	v := read()
	return &v
}
