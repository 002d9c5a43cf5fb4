package text_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/text"
)

func ExampleFormat_Append() {
	args := []any{"disk", 1234.5}
	f := text.ParseFormat("%s: %.1f GB, 100%%")
	out, err := f.Append(nil, len(args), func(dst []byte, c text.Clause, arg int) ([]byte, error) {
		switch x := args[arg].(type) {
		case string:
			if c.Verb == 's' {
				return append(dst, x...), nil
			}
			return dst, text.VerbError(c.Verb, "string")
		case float64:
			if c.Verb == 'f' {
				return text.AppendFixed(dst, x, c.Precision), nil
			}
			return dst, text.VerbError(c.Verb, "double")
		}
		return dst, text.VerbError(c.Verb, "dyn")
	})
	fmt.Println(string(out), err)
	// Output: disk: 1,234.5 GB, 100% <nil>
}
