package types

import "strings"

// The steps in a type's name that are not fields.
const (
	itemsStep  = "@idx"
	valuesStep = "@elem"
)

// A Provider knows the types and constants that an expression can name.
type Provider interface {
	// FindIdent returns what a name stands for: a type, or the [Int] of a constant.
	FindIdent(name string) (Value, bool)
	// FindStructType returns the type of an object as a value: type(name).
	FindStructType(name string) (*Type, bool)
	// FindStructFieldType returns the type of a field of an object.
	FindStructFieldType(object, field string) (*Type, bool)
}

// A provider finds the objects at and below root, and what every expression knows.
type provider struct{ root *SchemaType }

// NewProvider returns the types for the check of expressions: the objects at and below root, which it finds by walking
// along their names, the types of google.protobuf, and the names of types that an expression may use as values. Like
// root, it must be used by one goroutine at a time. If root is nil, there are no objects.
//
// A field whose name is a keyword is also found by the keyword itself (CTY-011).
//
// Clauses: CTY-011, CTY-012, CTY-013, CEN-021.
func NewProvider(root *SchemaType) Provider { return &provider{root} }

// Object returns the type of the object with that name at or below t, or nil.
//
// Clauses: CTY-013.
func (t *SchemaType) Object(name string) *SchemaType {
	if t == nil {
		return nil
	}
	rest, ok := strings.CutPrefix(name, t.name)
	if !ok || rest != "" && rest[0] != '.' {
		return nil
	}
	if found := t.objects[name]; found != nil {
		return found
	}
	at := t
	for rest != "" {
		var step string
		step, rest, _ = strings.Cut(rest[1:], ".")
		if rest != "" {
			rest = "." + rest
		}
		switch {
		case step == itemsStep && at.kind == kindList, step == valuesStep && at.kind == kindMap:
			at = at.Elem()
		default:
			at = at.Field(step)
		}
		if at == nil {
			return nil
		}
	}
	if at.kind != kindObject {
		return nil
	}
	if t.objects == nil {
		t.objects = map[string]*SchemaType{}
	}
	t.objects[name] = at
	return at
}

// Select returns the type of the field that an expression selects from t by that name, which may be a keyword, or nil.
//
// Clauses: CTY-011.
func (t *SchemaType) Select(name string) *SchemaType {
	f := t.Field(name)
	if f == nil && IsKeyword(name) {
		f = t.Field("__" + name + "__")
	}
	return f
}

// named are the types that a server knows by their names besides the messages. Of these, only timestamp and duration
// are not in idents already (CEN-021), but the check looks up the fields of the others if they are used as messages.
var named = map[string]*Type{
	"bool": BoolType, "bytes": BytesType, "double": DoubleType, "duration": DurationType,
	"int": IntType, "list": NewListType(AnyType), "map": NewMapType(AnyType, AnyType),
	"null_type": NullType, "string": StringType, "timestamp": TimestampType, "uint": UintType,
}

// TypeWords returns the words with which the names of types and constants begin.
func TypeWords() []string {
	words := []string{strings.TrimSuffix(protobuf, ".protobuf.")}
	for name := range named {
		words = append(words, name)
	}
	for name := range idents {
		word, _, _ := strings.Cut(name, ".")
		words = append(words, word)
	}
	return words
}

func (p *provider) named(name string) *Type {
	if name == "map" && p.root != nil && p.root.kind == kindMap {
		return p.root.CEL() // a server also knows the type of self by this name
	}
	return named[name]
}

// FindIdent implements [Provider].
func (p *provider) FindIdent(name string) (Value, bool) {
	v, ok := idents[name]
	return v, ok
}

// FindStructType implements [Provider].
func (p *provider) FindStructType(name string) (*Type, bool) {
	t := p.named(name)
	if object := p.root.Object(name); object != nil {
		t = object.CEL()
	}
	if t == nil && wellKnown[name] != nil {
		t = NewObjectType(name)
	}
	if t == nil {
		return nil, false
	}
	return NewTypeTypeWithParam(t), true
}

// FindStructFieldType implements [Provider].
func (p *provider) FindStructFieldType(name, field string) (*Type, bool) {
	if object := p.root.Object(name); object != nil {
		f := object.Select(field)
		return f.CEL(), f != nil
	}
	if t := p.named(name); t != nil {
		if t.Kind() != MapKind {
			return nil, false
		}
		return t.Parameters()[1], true
	}
	t := wellKnown[name][field]
	return t, t != nil
}
