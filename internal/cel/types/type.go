package types

import (
	"slices"
	"strings"
)

// A Type is a type of the language. A nil *Type is no type.
type Type struct {
	kind       Kind
	nullable   bool // its values include null, although the kind has no null
	name       string
	parameters []*Type
}

// The types without parameters.
var (
	AnyType       = &Type{kind: AnyKind, name: "google.protobuf.Any"}
	BoolType      = &Type{kind: BoolKind, name: "bool"}
	BytesType     = &Type{kind: BytesKind, name: "bytes"}
	DoubleType    = &Type{kind: DoubleKind, name: "double"}
	DurationType  = &Type{kind: DurationKind, name: "google.protobuf.Duration"}
	DynType       = &Type{kind: DynKind, name: "dyn"}
	ErrorType     = &Type{kind: ErrorKind, name: "error"}
	IntType       = &Type{kind: IntKind, name: "int"}
	NullType      = &Type{kind: NullTypeKind, name: "null_type"}
	StringType    = &Type{kind: StringKind, name: "string"}
	TimestampType = &Type{kind: TimestampKind, name: "google.protobuf.Timestamp"}
	TypeType      = &Type{kind: TypeKind, name: "type"} // of all types as values
	UintType      = &Type{kind: UintKind, name: "uint"}
)

// NewListType returns the type of lists.
func NewListType(elem *Type) *Type {
	return &Type{kind: ListKind, name: "list", parameters: []*Type{elem}}
}

// NewMapType returns the type of maps.
func NewMapType(key, value *Type) *Type {
	return &Type{kind: MapKind, name: "map", parameters: []*Type{key, value}}
}

// NewNullableType returns the type whose values are null and those of t, a type without parameters.
func NewNullableType(t *Type) *Type {
	return &Type{kind: t.kind, nullable: true, name: t.name}
}

// NewOptionalType returns the type of optional values.
func NewOptionalType(value *Type) *Type { return NewOpaqueType("optional_type", value) }

// NewOpaqueType returns the type of that name without fields.
func NewOpaqueType(name string, parameters ...*Type) *Type {
	return &Type{kind: OpaqueKind, name: name, parameters: parameters}
}

// NewObjectType returns the type of that name with fields. For some messages of google.protobuf, it is the type that
// the message stands for.
func NewObjectType(name string) *Type {
	if strings.HasPrefix(name, protobuf) {
		if t := represented[name]; t != nil {
			return t
		}
	}
	return &Type{kind: StructKind, name: name}
}

// protobuf precedes the names of the messages that protobuf calls well-known.
const protobuf = "google.protobuf."

// represented has the messages that stand for types of the language.
var represented = map[string]*Type{
	protobuf + "Any": AnyType, protobuf + "Duration": DurationType, protobuf + "Timestamp": TimestampType,

	protobuf + "BoolValue": NewNullableType(BoolType), protobuf + "BytesValue": NewNullableType(BytesType),
	protobuf + "DoubleValue": NewNullableType(DoubleType), protobuf + "FloatValue": NewNullableType(DoubleType),
	protobuf + "Int32Value": NewNullableType(IntType), protobuf + "Int64Value": NewNullableType(IntType),
	protobuf + "StringValue": NewNullableType(StringType),
	protobuf + "UInt32Value": NewNullableType(UintType), protobuf + "UInt64Value": NewNullableType(UintType),

	protobuf + "ListValue": NewListType(DynType), protobuf + "NullValue": NullType,
	protobuf + "Struct": NewMapType(StringType, DynType), protobuf + "Value": DynType,
}

// NewTypeParamType returns a type parameter.
func NewTypeParamType(name string) *Type { return &Type{kind: TypeParamKind, name: name} }

// NewTypeTypeWithParam returns the type of t as a value.
func NewTypeTypeWithParam(t *Type) *Type {
	return &Type{kind: TypeKind, name: "type", parameters: []*Type{t}}
}

// Kind returns the kind of t.
func (t *Type) Kind() Kind {
	if t == nil {
		return UnspecifiedKind
	}
	return t.kind
}

// TypeName returns the name of t without its parameters.
func (t *Type) TypeName() string {
	if t == nil {
		return ""
	}
	return t.name
}

// IsWrapper reports whether the values of t are null and those of its kind, which has no null.
func (t *Type) IsWrapper() bool { return t != nil && t.nullable }

// Parameters returns the types that t is built from. They are not modified.
func (t *Type) Parameters() []*Type {
	if t == nil {
		return nil
	}
	return t.parameters
}

// Larger reports whether t has more than n parts: itself, its parameters, and theirs. A type that is used twice in
// another one counts twice, so the text of a small program may have a type that cannot be printed.
func (t *Type) Larger(n int) bool {
	left := n
	var count func(t *Type) bool
	count = func(t *Type) bool {
		if left--; left < 0 {
			return true
		}
		return slices.ContainsFunc(t.Parameters(), count)
	}
	return count(t)
}

// IsEquivalentType reports whether t and other are the same type except for the names of type parameters.
func (t *Type) IsEquivalentType(other *Type) bool {
	switch {
	case t == nil || other == nil:
		return false
	case t == other:
		return true
	case t.kind != other.kind, t.name != other.name && t.kind != TypeParamKind, len(t.parameters) != len(other.parameters):
		return false
	}
	for i, p := range t.parameters {
		if !p.IsEquivalentType(other.parameters[i]) {
			return false
		}
	}
	return true
}
