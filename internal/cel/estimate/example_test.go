package estimate_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

func ExampleEstimator_Cost() {
	props, err := schema.Decode([]byte(`{type: object, properties: {names: {type: array, maxItems: 10, items: {type: string, maxLength: 63}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, errs := schema.Compile(props)
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	self := types.Scope(plan.Root(s))
	rule, err := new(check.Checker).Rule(`self.names.all(n, n.startsWith('www.'))`, self, false, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := estimate.Estimator{Functions: eval.StaticCost}
	fmt.Println(e.Cost(rule.AST, self))
	// Output:
	// 53
}
