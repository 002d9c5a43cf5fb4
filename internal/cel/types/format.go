package types

import "strings"

// DeclaredTypeName returns the name of t, which shows whether t is nullable.
func (t *Type) DeclaredTypeName() string {
	if t != nil && t.nullable {
		return "wrapper(" + t.name + ")"
	}
	return t.TypeName()
}

// String returns t as the documentation of CEL writes it: list(google.protobuf.Duration), <T>.
func (t *Type) String() string {
	if t.Kind() == TypeParamKind {
		return "<" + t.name + ">"
	}
	return t.DeclaredTypeName() + arguments(t.Parameters(), (*Type).String)
}

// Format returns t as error messages have it: list(duration), T.
func Format(t *Type) string {
	switch t.Kind() {
	case AnyKind:
		return "any"
	case DurationKind:
		return "duration"
	case ErrorKind:
		return "!error!"
	case NullTypeKind:
		return "null"
	case TimestampKind:
		return "timestamp"
	}
	return t.DeclaredTypeName() + arguments(t.Parameters(), Format)
}

// arguments returns the parameters of a type in parentheses, or nothing if there are none.
func arguments(parameters []*Type, format func(*Type) string) string {
	if len(parameters) == 0 {
		return ""
	}
	texts := make([]string, len(parameters))
	for i, p := range parameters {
		texts[i] = format(p)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
