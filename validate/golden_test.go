package validate_test

import (
	"testing"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/validate"
)

// want.errors has the errors as they print, want.types their types. A case with a value instead of an object is about a
// value somewhere in an object: at the path in the part at, if there is one.
func TestGolden(t *testing.T) {
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		var errs field.List
		if c.Has("object") {
			errs = validate.Validate(c.Schema(), c.Object("object"))
		} else {
			var at *field.Path
			if name, ok := c.Text("at"); ok {
				at = field.NewPath(name)
			}
			n, v := c.Node(), c.Value("value")
			errs = append(errs, validate.Value(n, at, v)...)
			errs = append(errs, validate.Embedded(n, at, v)...)
			errs = append(errs, validate.Lists(n, at, v)...)
		}
		var types []string
		for _, e := range errs {
			types = append(types, string(e.Type))
		}
		c.WantLines("want.errors", given.Texts(errs))
		c.WantLines("want.types", types)
	})
}
