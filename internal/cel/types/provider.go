package types

// A Provider knows the types and constants that an expression can name.
type Provider interface {
	// FindIdent returns what a name stands for: a type, or the [Int] of a constant.
	FindIdent(name string) (Value, bool)
	// FindStructType returns the type of an object as a value: type(name).
	FindStructType(name string) (*Type, bool)
	// FindStructFieldType returns the type of a field of an object.
	FindStructFieldType(object, field string) (*Type, bool)
}
