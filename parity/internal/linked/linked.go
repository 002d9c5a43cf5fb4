// Package linked runs the programs below it. Each works on a definition or schema and an object, and shows what a
// program pays for what it imports.
package linked

import (
	"fmt"
	"os"
)

// Main calls run with the first two arguments. Without them the program ends at once, which leaves what it pays for
// importing.
func Main(run func(document, object []byte) error) {
	if len(os.Args) < 3 {
		return
	}
	if err := run([]byte(os.Args[1]), []byte(os.Args[2])); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
