package ratchet_test

import (
	"testing"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/validate"
)

// want.errors has the errors as they print, and want.create those that the same object has without an old one. A case
// with a value instead of an object is about a value somewhere in an object: at the path in the part at, if there is
// one.
func TestGolden(t *testing.T) {
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		old := c.Value("old")
		var errs, create field.List
		if c.Has("object") {
			s, obj, old := c.Schema(), c.Object("object"), c.Object("old")
			errs, create = ratchet.Validate(s, obj, old), validate.Validate(s, obj)
		} else {
			var at *field.Path
			if name, ok := c.Text("at"); ok {
				at = field.NewPath(name)
			}
			n, v := c.Node(), c.Value("value")
			errs, create = ratchet.Value(n, at, v, old), validate.Value(n, at, v)
		}
		c.WantLines("want.errors", given.Texts(errs))
		c.WantLines("want.create", given.Texts(create))
	})
}
