package quantity_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
)

func ExampleParse() {
	for _, s := range []string{"1.5k", "1500m", "8Ei", "1K"} {
		q, err := quantity.Parse(s)
		fmt.Println(q.Float(), q.IsInteger(), err)
	}
	// Output:
	// 1500 true <nil>
	// 1.5 false <nil>
	// 9.223372036854776e+18 false <nil>
	// 0 true unable to parse quantity's suffix
}

func ExampleQuantity_Add() {
	far, _ := quantity.Parse("1e2000000000")
	small, _ := quantity.Parse("1n")
	sum := far.Add(small)
	fmt.Println(sum.Compare(far), sum.Sub(far).Equal(small))
	// Output: 1 true
}
