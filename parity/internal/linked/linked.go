// Package linked has the main function of the programs in its subdirectories. Each of them handles a definition or
// schema and an object, and shows what its imports cost in size and startup time.
package linked

import (
	"fmt"
	"os"
)

// Main calls run with the first two arguments. Without arguments the program exits at once, so that only the cost of
// its imports is measured.
func Main(run func(document, object []byte) error) {
	if len(os.Args) < 3 {
		return
	}
	if err := run([]byte(os.Args[1]), []byte(os.Args[2])); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
