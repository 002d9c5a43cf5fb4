package crdcheck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/given"
)

// The quick check finds what is certainly valid, and leaves everything else to the walk of the whole schema.
func TestValidDefaults(t *testing.T) {
	const leaf = `{type: object, properties: {spec: {type: object, properties: {a: `
	for _, row := range []struct {
		schema string
		valid  bool
	}{
		{leaf + `{type: string, default: x}}}}}`, true},
		{leaf + `{type: string, maxLength: 1, default: xx}}}}}`, false},
		{leaf + `{type: array, items: {type: object, properties: {b: {type: integer, default: 1}}}}}}}}`, true},
		{leaf + `{type: array, items: {type: object, properties: {b: {type: integer, default: x}}}}}}}}`, false},
		{leaf + `{type: object, default: {}, properties: {b: {type: string, default: x}}}}}}}`, true},
		{leaf + `{type: object, default: {}, properties: {b: {type: string, enum: [y], default: x}}}}}}}`, false},
		{leaf + `{type: object, default: {c: 1}, properties: {b: {type: string}}}}}}}`, false},
		{leaf + `{type: object, additionalProperties: {type: string, default: 1}}}}}}`, true}, // not checked
		{leaf + `{type: object, x-kubernetes-embedded-resource: true, properties: {b: {type: string, default: x}}}}}}}`, true},
		{leaf + `{type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: string, default: x}}}}}}}`, false},
		{leaf + `{type: object, x-kubernetes-embedded-resource: true, properties: {}, default: {kind: ""}}}}}}`, false},
		{`{type: object, properties: {kind: {type: string, default: x}}}`, false},
		{`{type: object, properties: {metadata: {type: object, properties: {name: {type: string, default: x}}}}}`, false},
		{`{type: object, default: {}}`, false},
		{`{type: object}`, true},
	} {
		p := given.Schema(t, row.schema)
		require.Equal(t, row.valid, validDefaults(p, true), row.schema)
		if row.valid {
			s := &compiledSchema{props: p, facts: facts{hasDefault: true}, isStructural: true}
			require.NotNil(t, s.structural()) // so that all of it is walked
			require.Empty(t, defaultErrors(s, true, field.Limit{}), row.schema)
		}
	}
	require.True(t, validDefaults(given.Schema(t, leaf+`{type: object, default: {c: 1}, properties: {b: {type: string}}}}}}}`), false),
		"unknown fields are only errors if they must be pruned")
}
