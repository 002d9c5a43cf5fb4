package types

// A Kind is the general form of a type.
type Kind uint8

// The kinds.
const (
	UnspecifiedKind Kind = iota // of a nil *Type
	AnyKind                     // of google.protobuf.Any
	BoolKind
	BytesKind
	DoubleKind
	DurationKind
	DynKind   // a value of any type
	ErrorKind // an expression whose check has failed
	IntKind
	ListKind // one parameter: of the elements
	MapKind  // two parameters: of the keys and of the values
	NullTypeKind
	OpaqueKind // with any number of parameters and no fields
	StringKind
	StructKind // an object with fields
	TimestampKind
	TypeKind      // a type as a value; one parameter: that type
	TypeParamKind // stands for a type that is not known yet
	UintKind
)
