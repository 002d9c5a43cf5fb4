package convert_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/convert"
)

func ExampleTextToInt() {
	fmt.Println(convert.TextToInt("+5"))
	fmt.Println(convert.TextToInt("five"))
	// Output:
	// 5 <nil>
	// 0 type conversion error from 'string' to 'int'
}
