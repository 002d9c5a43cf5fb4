package embedded

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// PUF-003, DEF-020: each default is validated where it stands.
func TestStoredDefaults(t *testing.T) {
	for _, c := range []struct{ name, doc, want, err string }{
		{"nothing to do", `{type: object, properties: {a: {type: object, default: {b: 1}, properties: {b: {type: integer}}}}}`, "", ""},
		{"an unknown field", `{type: object, properties: {a: {type: object, default: {b: 1, c: 2}, properties: {b: {type: integer}}}}}`,
			`{type: object, properties: {a: {type: object, default: {b: 1}, properties: {b: {type: integer}}}}}`, ""},
		{"in items and additionalProperties", `{type: object, properties: {
			l: {type: array, items: {type: object, default: {c: 1}}}, m: {type: object, additionalProperties: {type: object, default: {c: 1}}}}}`,
			`{type: object, properties: {
			l: {type: array, items: {type: object, default: {}}}, m: {type: object, additionalProperties: {type: object, default: {}}}}}`, ""},
		{"metadata of an embedded resource", `{type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true,
			x-kubernetes-preserve-unknown-fields: true, default: {apiVersion: v1, kind: K, metadata: {name: x, bogus: 1}}}}}`,
			`{type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true,
			x-kubernetes-preserve-unknown-fields: true, default: {apiVersion: v1, kind: K, metadata: {name: x}}}}}`, ""},
		{"malformed metadata", `{type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, properties: {
			metadata: {type: object, default: {name: x, labels: 1}}}}}}`,
			`{type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, properties: {
			metadata: {type: object, default: {name: x}}}}}}`, ""},
		{"the object's own fields", `{type: object, properties: {kind: {type: string, default: []}, metadata: {type: object, default: {bogus: 1}}}}`,
			`{type: object, properties: {kind: {type: string}, metadata: {type: object, default: {}}}}`, ""},
		{"a root that is no object", `{x-kubernetes-preserve-unknown-fields: true, default: x}`, "",
			"failed to prune default value: object root default value must be of object type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := given.Schema(t, c.doc)
			before := p.Value()
			got, err := StoredDefaults(p, given.Structural(t, c.doc))
			require.Equal(t, before, p.Value())
			switch {
			case c.err != "":
				require.EqualError(t, err, c.err)
			case c.want == "":
				require.NoError(t, err)
				require.Same(t, p, got)
			default:
				require.NoError(t, err)
				require.Equal(t, given.Schema(t, c.want).Value(), got.Value())
			}
		})
	}
}
