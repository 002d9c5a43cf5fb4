package pattern_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/pattern"
)

func ExampleCompile() {
	p, err := pattern.Compile("^[a-z]+$")
	if err != nil {
		panic(err)
	}
	fmt.Println(p.MatchString("abc"))
	fmt.Println(p.MatchString("abc\n"))
	fmt.Println(p)

	_, err = pattern.Compile("(")
	fmt.Println(err)
	// Output:
	// true
	// false
	// ^[a-z]+$
	// error parsing regexp: missing closing ): `(`
}
