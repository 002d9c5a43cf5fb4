package given

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

var keywords = keyword.Of[schema.JSONSchemaProps]()

// Without returns p without the keyword, or the rule, that an error comes from, with nullable: true if that is missing.
// It fails the test if p does not have the keyword in the place that the cause names.
func Without(t testing.TB, p *schema.JSONSchemaProps, c field.Cause) *schema.JSONSchemaProps {
	t.Helper()
	q, found := without(p, c, "")
	require.True(t, found, "the schema has no %+v", c)
	return q
}

func without(p *schema.JSONSchemaProps, c field.Cause, path string) (q *schema.JSONSchemaProps, found bool) {
	if path == c.Schema {
		copied := *p
		return &copied, remove(&copied, c)
	}
	q = schemadoc.MapChildren(p, func(loc schema.Location, child *schema.JSONSchemaProps) *schema.JSONSchemaProps {
		below := strings.TrimPrefix(path+"."+loc.Path(nil).String(), ".")
		if found || c.Schema != below && !strings.HasPrefix(c.Schema, below+".") {
			return child
		}
		child, found = without(child, c, below)
		return child
	})
	return q, found
}

// remove removes the cause from p itself, and reports whether it was there.
func remove(p *schema.JSONSchemaProps, c field.Cause) bool {
	switch {
	case c.Keyword == "nullable":
		was := p.Nullable
		p.Nullable = true
		return !was
	case c.Rule >= len(p.XValidations) || c.Rule >= 0 && c.Keyword != "x-kubernetes-validations":
		return false
	case c.Rule >= 0:
		p.XValidations = slices.Delete(slices.Clone(p.XValidations), c.Rule, c.Rule+1)
		return true
	}
	i, known := keywords.Find(c.Keyword)
	if !known {
		return false
	}
	value := reflect.ValueOf(p).Elem().Field(i)
	was := !value.IsZero()
	value.SetZero()
	return was
}
