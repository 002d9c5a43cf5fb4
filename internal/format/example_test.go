package format_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/format"
)

func ExampleLookup() {
	f := format.Lookup("date-time")
	fmt.Println(f.Name)
	fmt.Println(f.Valid("2026-01-02T03:04:05Z"))
	fmt.Println(f.Valid("2026-01-02 03:04:05"))
	fmt.Println(format.Lookup("DATE"))
	// Output:
	// datetime
	// true
	// false
	// <nil>
}

func ExampleKept() {
	fmt.Println(format.Kept("string", "date-time"))
	fmt.Println(format.Kept("integer", "date-time"))
	fmt.Println(format.Kept("", "uuid")) // no type, or int-or-string
	// Output:
	// true
	// false
	// true
}
