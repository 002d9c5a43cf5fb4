package ruleset

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// maxWritten is the length at which the text of a part is cut off.
const maxWritten = 200

// infix has the operators between two operands.
var infix = map[string]string{
	"_&&_": "&&", "_||_": "||", "_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">=", "@in": "in",
	"_+_": "+", "_-_": "-", "_*_": "*", "_/_": "/", "_%_": "%",
}

// write appends e to b.
func write(b *strings.Builder, e *ast.Expr) {
	if b.Len() > maxWritten {
		if !strings.HasSuffix(b.String(), "...") {
			b.WriteString("...")
		}
		return
	}
	join := func(parts ...any) {
		for _, part := range parts {
			switch x := part.(type) {
			case string:
				b.WriteString(x)
			case *ast.Expr:
				write(b, x)
			case []*ast.Expr:
				for i, e := range x {
					if i > 0 {
						b.WriteString(", ")
					}
					write(b, e)
				}
			}
		}
	}
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			join("'", string(v), "'")
		case types.Null:
			b.WriteString("null")
		default:
			fmt.Fprint(b, v.Value())
		}
	case ast.IdentKind:
		b.WriteString(e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			join("has(", s.Operand(), ".", s.FieldName(), ")")
			return
		}
		join(s.Operand(), ".", s.FieldName())
	case ast.ListKind:
		join("[", e.AsList().Elements(), "]")
	case ast.MapKind, ast.StructKind:
		b.WriteString("{...}")
	case ast.ComprehensionKind:
		join("loop over ", e.AsComprehension().IterRange())
	case ast.CallKind:
		c := e.AsCall()
		args := c.Args()
		name := c.FunctionName()
		operator, ok := infix[name]
		switch {
		case c.IsMemberFunction():
			join(c.Target(), ".", name, "(", args, ")")
		case ok && len(args) == 2:
			join(args[0], " ", operator, " ", args[1])
		case name == "_[_]" && len(args) == 2:
			join(args[0], "[", args[1], "]")
		case name == "_?_:_" && len(args) == 3:
			join(args[0], " ? ", args[1], " : ", args[2])
		case (name == "!_" || name == "-_") && len(args) == 1:
			join(name[:1], args[0])
		default:
			join(name, "(", args, ")")
		}
	}
}
