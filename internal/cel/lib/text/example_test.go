package text_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/text"
)

func ExampleSubstringTo() {
	fmt.Println(text.SubstringTo("世界 hello", 1, 5))
	fmt.Println(text.SubstringTo("世界", 2, 1))
	// Output:
	// 界 he <nil>
	//  invalid substring range. start: 2, end: 1
}

func ExampleIndexOfFrom() {
	fmt.Println(text.IndexOfFrom("世界, 世界", "界", 2))
	// Output: 5 <nil>
}
