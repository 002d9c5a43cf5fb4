package defaulting_test

import (
	"testing"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/test/given"
)

// want is what Default makes of the object, want.fill what Fill does, want.nulls what DropNulls does.
func TestGolden(t *testing.T) {
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		if !c.Has("object") {
			c.WantValue("want", defaulting.Value(c.Node(), c.Value("value")))
			return
		}
		s, obj := c.Schema(), c.Object("object")
		c.WantValue("want", defaulting.Default(s, obj))
		if c.Has("want.fill") {
			c.WantValue("want.fill", defaulting.Fill(s, obj))
		}
		if c.Has("want.nulls") {
			c.WantValue("want.nulls", defaulting.DropNulls(s, obj))
		}
	})
}
