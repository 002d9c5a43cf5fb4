package parse_test

import (
	"fmt"

	"github.com/google/cel-go/common/debug"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// twice is a macro: twice(x) is [x, x].
var twice = parse.Macro{Name: "twice", Args: 1, Expand: expandTwice}

func expandTwice(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.MacroError) {
	return m.NewList(args[0], m.Copy(args[0])), nil
}

func ExampleExpression() {
	macros := parse.NewMacros(twice)
	e, ok := parse.Expression("twice(self.a)[0] > -1", macros)
	fmt.Println(debug.ToDebugString(celgo.Expr(e)), ok)
	_, ok = parse.Expression("self.a +", macros)
	fmt.Println(ok)
	// Output:
	// _>_(
	//   _[_](
	//     [
	//       self.a,
	//       self.a
	//     ],
	//     0
	//   ),
	//   -1
	// ) true
	// false
}

func ExampleFull() {
	tree, _ := parse.Full("self.a ==\n1", parse.Options{})
	fmt.Println(tree.Position(tree.Root.ID()))
	_, problems := parse.Full("self.a = 1", parse.Options{})
	for _, p := range problems.List {
		fmt.Println(p.Line, p.Column, p.Text)
	}
	// Output:
	// {1 7}
	// 1 7 Syntax error: token recognition error at: '= '
	// 1 9 Syntax error: extraneous input '1' expecting <EOF>
}
