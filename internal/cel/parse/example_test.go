package parse_test

import (
	"fmt"

	"github.com/google/cel-go/common/debug"
	"github.com/google/cel-go/parser"

	"github.com/crdkit/crdkit/internal/cel/parse"
)

func ExampleExpression() {
	macros := parse.NewMacros(parser.HasMacro)
	e, ok := parse.Expression("has(self.a) && self.b[0] > -1", macros)
	fmt.Println(debug.ToDebugString(e), ok)
	_, ok = parse.Expression("self.a +", macros)
	fmt.Println(ok)
	// Output:
	// _&&_(
	//   self.a~test-only~,
	//   _>_(
	//     _[_](
	//       self.b,
	//       0
	//     ),
	//     -1
	//   )
	// ) true
	// false
}
