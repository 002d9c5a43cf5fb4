package namedformat_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/namedformat"
)

func ExampleFormat_Validate() {
	f := namedformat.Lookup("dns1123Label")
	fmt.Println(f.Validate("my-name"), f.Validate("my.name"))
	// Output: [] [must not contain dots]
}
