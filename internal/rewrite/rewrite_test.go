package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/rewrite"
	"github.com/crdkit/crdkit/schema"
)

const everywhere = `{
  "title": "root", "not": {"title": "not"}, "items": {"title": "items"}, "additionalProperties": {"title": "additionalProperties"},
  "additionalItems": {"title": "additionalItems"}, "properties": {"a": {"title": "a"}, "b": {"title": "b"}},
  "patternProperties": {"a": {"title": "a"}}, "definitions": {"a": {"title": "a"}}, "dependencies": {"a": {"title": "a"}, "b": ["c"]},
  "allOf": [{"title": "0"}, {"title": "1"}], "anyOf": [{"title": "0"}], "oneOf": [{"title": "0"}]
}`

func decode(t *testing.T, text string) *schema.JSONSchemaProps {
	t.Helper()
	p, err := schema.Decode([]byte(text))
	require.NoError(t, err)
	return p
}

func TestChildren(t *testing.T) {
	for _, text := range []string{everywhere, `{"items": [{"title": "0"}, {"title": "1"}]}`} {
		p := decode(t, text)
		same := rewrite.Children(p, func(_ schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps { return q })
		require.Same(t, p, same)
		for changed := range p.Children() { // one of them
			q := rewrite.Children(p, func(at schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps {
				if at != changed {
					return q
				}
				return &schema.JSONSchemaProps{Title: "new"}
			})
			require.Equal(t, decode(t, text), p, "%v", changed)
			now := map[schema.Location]*schema.JSONSchemaProps{}
			for at, child := range q.Children() {
				now[at] = child
			}
			for at, child := range p.Children() {
				if at != changed {
					require.Same(t, child, now[at], "%v", at)
				}
			}
			require.Equal(t, "new", now[changed].Title, "%v", changed)
		}
		all := rewrite.Children(p, func(schema.Location, *schema.JSONSchemaProps) *schema.JSONSchemaProps {
			return &schema.JSONSchemaProps{Title: "new"}
		})
		count := 0
		for at, q := range all.Children() {
			require.Equal(t, "new", q.Title, "%v", at)
			count++
		}
		for range p.Children() {
			count--
		}
		require.Zero(t, count)
		require.Equal(t, p.Dependencies["b"], all.Dependencies["b"])
		require.Equal(t, decode(t, text), p)
	}
}
