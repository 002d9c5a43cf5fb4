package ruleset

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// maxWritten is the length at which the text of a part is cut off.
const maxWritten = 200

// write appends e to b.
func write(b *strings.Builder, e ast.Expr) {
	if b.Len() > maxWritten {
		if !strings.HasSuffix(b.String(), "...") {
			b.WriteString("...")
		}
		return
	}
	list := func(parts []ast.Expr) {
		for i, part := range parts {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, part)
		}
	}
	switch e.Kind() {
	case ast.LiteralKind:
		if s, ok := e.AsLiteral().(types.String); ok {
			fmt.Fprintf(b, "'%s'", string(s))
			return
		}
		fmt.Fprintf(b, "%v", e.AsLiteral().Value())
	case ast.IdentKind:
		b.WriteString(e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			b.WriteString("has(")
			defer b.WriteString(")")
		}
		write(b, s.Operand())
		b.WriteString("." + s.FieldName())
	case ast.ListKind:
		b.WriteString("[")
		list(e.AsList().Elements())
		b.WriteString("]")
	case ast.MapKind, ast.StructKind:
		b.WriteString("{...}")
	case ast.ComprehensionKind:
		b.WriteString("loop over ")
		write(b, e.AsComprehension().IterRange())
	case ast.CallKind:
		c := e.AsCall()
		args := c.Args()
		name := c.FunctionName()
		infix, ok := operators.FindReverseBinaryOperator(name)
		switch {
		case c.IsMemberFunction():
			write(b, c.Target())
			b.WriteString("." + name + "(")
			list(args)
			b.WriteString(")")
		case ok && len(args) == 2:
			write(b, args[0])
			b.WriteString(" " + infix + " ")
			write(b, args[1])
		case name == "_[_]" && len(args) == 2:
			write(b, args[0])
			b.WriteString("[")
			write(b, args[1])
			b.WriteString("]")
		case name == "_?_:_" && len(args) == 3:
			write(b, args[0])
			b.WriteString(" ? ")
			write(b, args[1])
			b.WriteString(" : ")
			write(b, args[2])
		case (name == "!_" || name == "-_") && len(args) == 1:
			b.WriteString(name[:1])
			write(b, args[0])
		default:
			b.WriteString(name + "(")
			list(args)
			b.WriteString(")")
		}
	}
}
