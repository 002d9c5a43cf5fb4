package crdcheck

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
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
		{leaf + `{type: object, default: {kind: x}, properties: {b: {type: string}}}}}}}`, false},
		{leaf + `{type: object, default: {metadata: {name: 1}}, properties: {metadata: {type: object}}}}}}}`, false},
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
		require.Equal(t, row.valid, inspected(t, p).validDefaults(true, plan.Revision{}), row.schema)
		if row.valid {
			s := &compiledSchema{props: p, facts: facts{hasDefault: true}, isStructural: true}
			require.NotNil(t, s.structural()) // so that all of it is walked
			require.Empty(t, defaultErrors(s, true, field.Limit{}), row.schema)
		}
	}
	require.True(t, inspected(t, given.Schema(t, leaf+`{type: object, default: {c: 1}, properties: {b: {type: string}}}}}}}`)).validDefaults(false, plan.Revision{}),
		"unknown fields are only errors if they must be pruned")
}

func inspected(t *testing.T, p *schema.JSONSchemaProps) *facts {
	t.Helper()
	found, fault := inspectSchema(p, true)
	require.Empty(t, fault)
	return &found
}

// The quick check finds nothing valid in which the walk of the whole schema has an error.
func TestValidDefaultsOfMadeUpSchemas(t *testing.T) {
	random := rand.New(rand.NewPCG(24, 1))
	valid, faulty := 0, 0
	for range 20_000 {
		p := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
			"spec": madeUpSchema(random, 3), "status": madeUpSchema(random, 3),
		}}
		if _, errs := schema.Compile(p); errs != nil {
			continue
		}
		s := &compiledSchema{props: p, facts: facts{hasDefault: true}, isStructural: true}
		require.NotNil(t, s.structural()) // so that all of it is walked
		if errs := defaultErrors(s, true, field.Limit{}); len(errs) > 0 {
			faulty++
			require.False(t, inspected(t, p).validDefaults(true, plan.Revision{}), "%v", errs)
		} else if inspected(t, p).validDefaults(true, plan.Revision{}) {
			valid++
		}
	}
	require.Greater(t, valid, 2_000)
	require.Greater(t, faulty, 2_000)
}

// madeUpSchema returns a schema of at most that depth, with defaults.
func madeUpSchema(random *rand.Rand, depth int) *schema.JSONSchemaProps {
	p := &schema.JSONSchemaProps{Type: []string{"string", "integer", "object", "array"}[random.IntN(4)]}
	if depth == 0 {
		p.Type = []string{"string", "integer"}[random.IntN(2)]
	}
	switch p.Type {
	case "string":
		p.Pattern = []string{"", "^[a-z]*$"}[random.IntN(2)]
	case "array":
		p.Items = &schema.SchemaOrArray{Schema: madeUpSchema(random, depth-1)}
	case "object":
		p.XEmbeddedResource = random.IntN(3) == 0
		p.Properties = map[string]*schema.JSONSchemaProps{}
		for range random.IntN(3) {
			p.Properties[madeUpName(random)] = madeUpSchema(random, depth-1)
		}
		if len(p.Properties) == 0 {
			preserve := true
			p.XPreserveUnknownFields = &preserve
		}
	}
	if random.IntN(3) == 0 {
		p.Default = madeUpDefault(random, p)
	}
	return p
}

func madeUpName(random *rand.Rand) string {
	return []string{"a", "b", "kind", "metadata"}[random.IntN(4)]
}

// madeUpDefault returns a value that p mostly describes.
func madeUpDefault(random *rand.Rand, p *schema.JSONSchemaProps) any {
	typ := p.Type
	if random.IntN(20) == 0 {
		typ = ""
	}
	switch typ {
	case "string":
		return []string{"a", "B"}[random.IntN(8)/7]
	case "integer":
		return int64(random.IntN(3))
	case "array":
		return []any{madeUpDefault(random, p.Items.Schema)}
	case "object":
		obj := map[string]any{}
		for name, q := range p.Properties {
			obj[name] = madeUpDefault(random, q)
		}
		if random.IntN(8) == 0 {
			obj[madeUpName(random)] = "A"
		}
		return obj
	}
	return true
}
