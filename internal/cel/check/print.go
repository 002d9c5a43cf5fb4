package check

import (
	"strings"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// This file prints types as a server does in errors (CER-031).

// An application is what a function or method was called with.
type application struct {
	args   []*types.Type
	method bool // the first argument is the receiver
}

// print returns the text of strings, types and applications. Each byte counts as steps, because a type that is used
// twice in another one is printed twice.
func (m *matcher) print(parts []any) string {
	var out strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			out.WriteString(part)
		case *types.Type:
			m.printType(&out, part)
		case application:
			args := part.args
			if part.method {
				m.printType(&out, m.resolved(args[0], true))
				out.WriteByte('.')
				args = args[1:]
			}
			out.WriteByte('(')
			for i, t := range args {
				if i > 0 {
					out.WriteString(", ")
				}
				m.printType(&out, m.resolved(t, true))
			}
			out.WriteByte(')')
		}
	}
	return out.String()
}

func (m *matcher) printType(out *strings.Builder, t *types.Type) {
	if m.exhausted() {
		return
	}
	name := typeName(t)
	m.steps += stepsOfByte * len(name)
	out.WriteString(name)
	for i, p := range t.Parameters() {
		if i == 0 {
			out.WriteByte('(')
		} else {
			out.WriteString(", ")
		}
		m.printType(out, p)
	}
	if len(t.Parameters()) > 0 {
		out.WriteByte(')')
	}
}

// typeName returns the name of a type without its parameters. Variables have the names that cel-go gives them.
func typeName(t *types.Type) string {
	switch t.Kind() {
	case types.AnyKind:
		return "any"
	case types.DurationKind:
		return "duration"
	case types.ErrorKind:
		return "!error!"
	case types.NullTypeKind:
		return "null"
	case types.TimestampKind:
		return "timestamp"
	case types.TypeParamKind:
		return "_var" + t.TypeName()
	}
	return t.DeclaredTypeName()
}
