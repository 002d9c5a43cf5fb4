package schemascan

import (
	"slices"
	"sync"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// A Reader reads the schemas of one text.
type Reader struct {
	s      *jsonscan.Scanner
	strict bool
	room   []schema.JSONSchemaProps // for the schemas to come
	made   int
	begin  int      // how much of the text was left before the first was made
	found  []string // of the list that is read
	named  []named  // of the maps that are read, the innermost last
}

// A named is a schema with the name that it has in its map.
type named struct {
	name   string
	schema *schema.JSONSchemaProps
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

// New returns a Reader of what s comes to. If it is strict, it declines what strict decoding may have a word to say about: any key
// that is not known.
func New(s *jsonscan.Scanner, strict bool) *Reader {
	r := readers.Get().(*Reader)
	r.s, r.strict = s, strict
	return r
}

// Release says that r is not used any more. What it returned stays good.
func (r *Reader) Release() {
	*r = Reader{found: empty(r.found), named: empty(r.named)}
	readers.Put(r)
}

// empty returns l without elements, for other ones, unless it is large.
func empty[T any](l []T) []T {
	if cap(l) > 256 {
		return nil
	}
	clear(l[:cap(l)])
	return l[:0]
}

// Schema returns the schema that comes next: what [schema.FromValue] returns for its value, unless the text is declined. The text is
// declined where a value has not the kind that it has to have, and where one of the keys that are known comes twice.
//
// Descriptions, titles and what else is for people are parts of blocks of several kilobytes. What a compiled schema keeps is not.
func (r *Reader) Schema() *schema.JSONSchemaProps {
	p := r.next()
	r.schema(p)
	return p
}

// next returns an empty schema. They are made some at a time, at most mostMade: as many as the rest of the text may have,
// going by what those before them took.
func (r *Reader) next() *schema.JSONSchemaProps {
	if len(r.room) == 0 {
		left := r.s.Left()
		if r.made == 0 {
			r.begin = left
		}
		read := max(r.begin-left, 0) + usualSize // of a text with other things between its schemas, which makes the guess worse
		r.room = make([]schema.JSONSchemaProps, min(1+left*(1+r.made)/read, mostMade))
		r.made += len(r.room)
	}
	p := &r.room[0]
	r.room = r.room[1:]
	return p
}

// mostMade is how many schemas fit into 32 KiB, beyond which an allocation is rounded up to whole pages.
const mostMade = 66

// usualSize is how many bytes the text of one schema takes, as long as nothing is known of it.
const usualSize = 128

// null takes a null, if that comes next, and reports whether it did.
func (r *Reader) null() bool {
	if r.s.Kind() != jsonscan.Null {
		return false
	}
	r.s.Null()
	return true
}

// schema fills p, which is empty. A null has nothing in it, here and everywhere below (CDC-002).
func (r *Reader) schema(p *schema.JSONSchemaProps) {
	if r.null() {
		return
	}
	var seen uint64 // a bit for each keyword
	for key, ok := r.s.FirstKey(); ok; key, ok = r.s.NextKey() {
		bit := r.keyword(p, key)
		if seen&bit != 0 {
			r.s.Decline()
		}
		seen |= bit
	}
}

// keyword sets the field of p that belongs to a key, and returns the key's bit, which is 0 if it is unknown. Those that are in
// nearly every schema come first.
func (r *Reader) keyword(p *schema.JSONSchemaProps, key string) (bit uint64) {
	s := r.s
	switch key {
	case "description":
		bit, p.Description = 1, r.text()
	case "type":
		bit, p.Type = 1<<1, r.own()
	case "properties":
		bit, p.Properties = 1<<2, r.schemas()
	case "items":
		bit, p.Items = 1<<3, r.schemaOrArray()
	case "required":
		bit, p.Required = 1<<4, r.texts()
	case "format":
		bit, p.Format = 1<<5, r.own()
	case "default":
		bit, p.Default = 1<<6, s.Value()
	case "enum":
		bit, p.Enum = 1<<7, r.values()
	case "additionalProperties":
		bit, p.AdditionalProperties = 1<<8, r.schemaOrBool()
	case "pattern":
		bit, p.Pattern = 1<<9, r.own()
	case "x-kubernetes-validations":
		bit, p.XValidations = 1<<10, r.rules()
	case "nullable":
		bit, p.Nullable = 1<<11, r.flag()

	case "id":
		bit, p.ID = 1<<12, r.own()
	case "$schema":
		bit, p.Schema = 1<<13, r.own()
	case "$ref":
		bit, p.Ref = 1<<14, optional(r, r.own)
	case "title":
		bit, p.Title = 1<<15, r.text()
	case "example":
		bit, p.Example = 1<<16, s.Value()
	case "externalDocs":
		bit, p.ExternalDocs = 1<<17, optional(r, r.externalDocs)

	case "maximum":
		bit, p.Maximum = 1<<18, optional(r, r.number)
	case "exclusiveMaximum":
		bit, p.ExclusiveMaximum = 1<<19, r.flag()
	case "minimum":
		bit, p.Minimum = 1<<20, optional(r, r.number)
	case "exclusiveMinimum":
		bit, p.ExclusiveMinimum = 1<<21, r.flag()
	case "multipleOf":
		bit, p.MultipleOf = 1<<22, optional(r, r.number)
	case "maxLength":
		bit, p.MaxLength = 1<<23, optional(r, r.integer)
	case "minLength":
		bit, p.MinLength = 1<<24, optional(r, r.integer)
	case "maxItems":
		bit, p.MaxItems = 1<<25, optional(r, r.integer)
	case "minItems":
		bit, p.MinItems = 1<<26, optional(r, r.integer)
	case "uniqueItems":
		bit, p.UniqueItems = 1<<27, r.flag()
	case "maxProperties":
		bit, p.MaxProperties = 1<<28, optional(r, r.integer)
	case "minProperties":
		bit, p.MinProperties = 1<<29, optional(r, r.integer)

	case "patternProperties":
		bit, p.PatternProperties = 1<<30, r.schemas()
	case "definitions":
		bit, p.Definitions = 1<<31, r.schemas()
	case "additionalItems":
		bit, p.AdditionalItems = 1<<32, r.schemaOrBool()
	case "allOf":
		bit, p.AllOf = 1<<33, r.list()
	case "oneOf":
		bit, p.OneOf = 1<<34, r.list()
	case "anyOf":
		bit, p.AnyOf = 1<<35, r.list()
	case "not":
		bit, p.Not = 1<<36, r.schemaPointer()

	case "x-kubernetes-preserve-unknown-fields":
		bit, p.XPreserveUnknownFields = 1<<37, optional(r, s.Bool)
	case "x-kubernetes-embedded-resource":
		bit, p.XEmbeddedResource = 1<<38, r.flag()
	case "x-kubernetes-int-or-string":
		bit, p.XIntOrString = 1<<39, r.flag()
	case "x-kubernetes-list-map-keys":
		bit, p.XListMapKeys = 1<<40, r.texts()
	case "x-kubernetes-list-type":
		bit, p.XListType = 1<<41, optional(r, r.own)
	case "x-kubernetes-map-type":
		bit, p.XMapType = 1<<42, optional(r, r.own)

	case "dependencies": // No server takes a definition that has them.
		s.Decline()
	default: // CDC-003
		r.unknown()
	}
	return bit
}

// unknown takes the value of a key that is not known.
func (r *Reader) unknown() {
	if r.strict {
		r.s.Decline()
	}
	r.s.Skip()
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
	// Made with the size that it needs, the map need not grow.
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

func (r *Reader) schemaPointer() *schema.JSONSchemaProps {
	if r.null() {
		return nil
	}
	return r.Schema()
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

func (r *Reader) externalDocs() (docs schema.ExternalDocumentation) {
	var seen uint64
	for key, ok := r.s.FirstKey(); ok; key, ok = r.s.NextKey() {
		bit := uint64(0)
		switch key {
		case "description":
			bit, docs.Description = 1, r.text()
		case "url":
			bit, docs.URL = 2, r.text()
		default:
			r.unknown()
		}
		if seen&bit != 0 {
			r.s.Decline()
		}
		seen |= bit
	}
	return docs
}

func (r *Reader) rules() []schema.ValidationRule {
	if r.null() {
		return nil
	}
	out := []schema.ValidationRule{}
	for ok := r.s.FirstItem(); ok; ok = r.s.NextItem() {
		out = append(out, r.rule())
	}
	return slices.Clip(out)
}

func (r *Reader) rule() (rule schema.ValidationRule) {
	if r.null() {
		return rule
	}
	var seen uint64
	for key, ok := r.s.FirstKey(); ok; key, ok = r.s.NextKey() {
		bit := uint64(0)
		switch key {
		case "rule":
			bit, rule.Rule = 1, r.own()
		case "message":
			bit, rule.Message = 2, r.own()
		case "messageExpression":
			bit, rule.MessageExpression = 4, r.own()
		case "reason":
			bit, rule.Reason = 8, optional(r, r.own)
		case "fieldPath":
			bit, rule.FieldPath = 16, r.own()
		case "optionalOldSelf":
			bit, rule.OptionalOldSelf = 32, optional(r, r.s.Bool)
		default:
			r.unknown()
		}
		if seen&bit != 0 {
			r.s.Decline()
		}
		seen |= bit
	}
	return rule
}

// text returns a text for people.
func (r *Reader) text() string {
	if r.null() {
		return ""
	}
	return r.s.Text()
}

// own returns a text that a compiled schema keeps.
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

func (r *Reader) flag() bool { return !r.null() && r.s.Bool() }

func (r *Reader) number() float64 {
	i, f, whole := r.s.Number()
	if whole {
		return float64(i)
	}
	return f
}

// integer returns an integer keyword's value: without point and exponent (CDC-007).
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
