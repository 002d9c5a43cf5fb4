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
	return t.DeclaredTypeName() + arguments(t.Parameters())
}

// arguments returns the parameters of a type in parentheses, or nothing if there are none.
func arguments(parameters []*Type) string {
	if len(parameters) == 0 {
		return ""
	}
	texts := make([]string, len(parameters))
	for i, p := range parameters {
		texts[i] = p.String()
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
