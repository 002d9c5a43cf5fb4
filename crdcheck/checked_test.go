package crdcheck_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// A schema without rules is compiled on first use, to the same result as that of schema.Compile.
func TestSchemaOfChecked(t *testing.T) {
	for name, props := range map[string]string{
		"without rules":   `{type: object, properties: {a: {type: string, default: b}, c: {type: string, pattern: "^[a-z]$"}}}`,
		"with rules":      `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: self != "c"}]}}}`,
		"of all versions": `{type: object, properties: {a: {type: array, items: {type: integer, enum: [1, 2]}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := given.Definition(t, change{schema: props}.document(t))
			checked := crdcheck.Compile(d)
			require.NoError(t, checked.Errors().Err())
			found := make([]*schema.Structural, 8)
			var wait sync.WaitGroup
			for i := range found {
				wait.Go(func() { found[i] = checked.Schema("v1") })
			}
			wait.Wait()
			want, errs := schema.Compile(d.Spec.Versions[0].Schema.OpenAPIV3Schema)
			require.NoError(t, errs.Err())
			require.Equal(t, want, found[0])
			for _, s := range found {
				require.Same(t, found[0], s)
			}
			obj := map[string]any{"a": "c"}
			rules, _ := cel.Compile(want, nil)
			broken := rules.Evaluate(t.Context(), obj, nil, nil)
			require.Equal(t, broken, checked.Rules("v1").Evaluate(t.Context(), obj, nil, nil))
			require.Equal(t, strings.Contains(props, "rule:"), len(broken.Errors) > 0)
			require.Equal(t, rules.Costs(), checked.Rules("v1").Costs())
			require.Nil(t, checked.Schema("v2"))
			require.Nil(t, checked.Rules("v2"))
		})
	}
}

// A schema that is too large to compile is refused even if it is not used.
func TestMoreThanASchemaHolds(t *testing.T) {
	props := func(properties int, enum ...any) *schema.JSONSchemaProps {
		p := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"e": {Type: "string", Enum: enum}}}
		for i := range properties - 1 {
			p.Properties[strconv.Itoa(i)] = &schema.JSONSchemaProps{Type: "string"}
		}
		return p
	}
	for _, tt := range []struct {
		name  string
		props *schema.JSONSchemaProps
		ok    bool
	}{
		{"as many properties as an object may have", props(65_534, "a"), true},
		{"one more", props(65_535, "a"), false},
		{"an enum with a value that is no JSON", props(1, "a", make(chan int)), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := given.Definition(t, lamp)
			d.Spec.Versions[0].Schema.OpenAPIV3Schema = tt.props
			checked := crdcheck.Compile(d)
			_, errs := schema.Compile(tt.props)
			if tt.ok {
				require.NoError(t, errs.Err())
				require.NoError(t, checked.Errors().Err())
				require.NotNil(t, checked.Schema("v1"))
				return
			}
			require.Len(t, checked.Errors(), 1)
			require.Equal(t, "spec.validation.openAPIV3Schema", checked.Errors()[0].Field)
			require.Equal(t, errs[0].Detail, checked.Errors()[0].Detail)
			require.Nil(t, checked.Schema("v1"))
		})
	}
}
