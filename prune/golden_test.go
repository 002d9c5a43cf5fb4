package prune_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/prune"
)

// A case has an object, which is the whole of a resource, or a value somewhere in one.
func TestGolden(t *testing.T) {
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		if c.Has("object") {
			s, obj := c.Schema(), c.Object("object")
			c.WantValue("want", prune.Prune(s, obj))
			c.WantLines("want.unknown", prune.Unknown(s, obj))
			return
		}
		n, v := c.Node(), c.Value("value")
		c.WantValue("want", prune.Value(n, v))
		c.WantLines("want.unknown", prune.UnknownValue(n, v))
	})
}
