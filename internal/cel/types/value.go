package types

// A Value is the value of a literal, or what a name stands for: a constant or a type. It is one of the types below, or
// a [*Type].
type Value interface {
	// Type returns the type of the value.
	Type() *Type
	// Value returns the value as a bool, int64, uint64, float64, string or []byte. Null is nil, and a type its name.
	Value() any
}

// The values of literals.
type (
	Bool   bool
	Bytes  []byte
	Double float64
	Int    int64
	Null   struct{}
	String string
	Uint   uint64
)

// The values of types that have few.
const (
	False = Bool(false)
	True  = Bool(true)
)

// NullValue is null.
var NullValue Null

func (Bool) Type() *Type   { return BoolType }
func (Bytes) Type() *Type  { return BytesType }
func (Double) Type() *Type { return DoubleType }
func (Int) Type() *Type    { return IntType }
func (Null) Type() *Type   { return NullType }
func (String) Type() *Type { return StringType }
func (Uint) Type() *Type   { return UintType }
func (*Type) Type() *Type  { return TypeType }

func (v Bool) Value() any   { return bool(v) }
func (v Bytes) Value() any  { return []byte(v) }
func (v Double) Value() any { return float64(v) }
func (v Int) Value() any    { return int64(v) }
func (Null) Value() any     { return nil }
func (v String) Value() any { return string(v) }
func (v Uint) Value() any   { return uint64(v) }
func (t *Type) Value() any  { return t.TypeName() }
