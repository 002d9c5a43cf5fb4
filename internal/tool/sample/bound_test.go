package sample

import (
	"fmt"
	"regexp/syntax"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// Many choices of many branches are not tried without end, with a budget or without.
func TestBoundedChecks(t *testing.T) {
	p := &schema.JSONSchemaProps{Type: "string"}
	for i := range 40 {
		choice := &schema.JSONSchemaProps{}
		for k := range 40 {
			choice.OneOf = append(choice.OneOf, &schema.JSONSchemaProps{Pattern: fmt.Sprintf("^(a|b)%d.*%d$", i, k)})
		}
		p.AllOf = append(p.AllOf, choice)
	}
	d := &crd.CustomResourceDefinition{}
	d.Spec.Group, d.Spec.Scope, d.Spec.Names = "example.com", crd.ClusterScoped, crd.Names{Plural: "things", Kind: "Thing"}
	d.Spec.Versions = []crd.Version{{Name: "v1", Served: true, Storage: true, Schema: &crd.Validation{OpenAPIV3Schema: &schema.JSONSchemaProps{
		Type: "object", Required: []string{"spec"}, Properties: map[string]*schema.JSONSchemaProps{"spec": p}}}}}
	r, err := resource.Compile(d)
	require.NoError(t, err)
	make := func() *Maker {
		return New(r.Version("v1"), nil, map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"}}, false)
	}
	const once = 40 * 41 / checkUnit

	m := make()
	_, err = m.Minimal(t.Context())
	require.Error(t, err)
	require.Greater(t, m.checks, maxChecks)
	require.Less(t, m.checks, maxChecks+100*once)

	m = make()
	budget := 1000
	m.Budget = &budget
	_, err = m.Minimal(t.Context())
	require.Error(t, err)
	require.Less(t, budget, 0)
	require.Greater(t, budget, -2000)
}

// A repetition of nothing in another one, and so on, is not written out.
func TestBoundedSteps(t *testing.T) {
	for _, pattern := range []string{"((((((^)*)*)*)*)*)*x", "((((((a|)*)*)*)*)*)*x", "^((((((a*)*)*)*)*)*)*$"} {
		some := 0
		(&Maker{}).matching(pattern, 0, 2, func(any) bool { some++; return true })
		require.Positive(t, some, pattern)
	}
	re, err := syntax.Parse("((((((^)*)*)*)*)*)*x", syntax.Perl)
	require.NoError(t, err)
	w := writer{repeat: 64, classes: map[*syntax.Regexp][]rune{}, steps: 1000}
	w.write(re)
	require.Equal(t, -1, w.steps)
}
