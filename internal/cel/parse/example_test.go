package parse_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/parse"
)

func ExampleExpression() {
	e, ok := parse.Expression("self.a && self.b[0] > -1", nil)
	fmt.Println(e.AsCall().FunctionName(), len(e.AsCall().Args()), ok)
	_, ok = parse.Expression("self.a +", macros)
	fmt.Println(ok)
	// Output:
	// _&&_ 2 true
	// false
}
