package hostile

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// patternRows are regular expressions, in schemas and in rules.
var patternRows = []row{
	{name: "pattern: groups in a schema", n: 6_000, want: "0 errors", setup: func(n int) func() string {
		s, errs := schema.Compile(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
			"a": {Type: "string", Pattern: strings.Repeat("(a|b)?", n)},
		}})
		if errs != nil {
			return func() string { return errs.String() }
		}
		return func() string { return fmt.Sprintf("%d errors", len(validate.Validate(s, map[string]any{"a": "a"}))) }
	}},
}
