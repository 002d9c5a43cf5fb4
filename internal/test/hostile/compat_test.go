package hostile

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// compatRows are pairs of definitions that are compared.
var compatRows = []row{
	{name: "compat: many fields with a lower bound", n: 20_000, want: "breaks",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			return costFields(n, func(i int) *schema.JSONSchemaProps {
				p := &schema.JSONSchemaProps{Type: "string", MaxLength: errorPtr(int64(10))}
				if new {
					p.MaxLength = errorPtr(int64(5))
				}
				return p
			})
		})},
	{name: "compat: patterns whose automata are large", n: 2_000, want: "unknown",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			return costFields(n, func(i int) *schema.JSONSchemaProps {
				if new {
					return &schema.JSONSchemaProps{Type: "string", Pattern: fmt.Sprintf("^(b|a)*a(a|b){18}%d?$", i)}
				}
				return &schema.JSONSchemaProps{Type: "string", Pattern: fmt.Sprintf("^(a|b)*a(b|a){18}%d?$", i)}
			})
		})},
	{name: "compat: a choice of many branches in another order", n: 2_000, want: "harmless",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			p := &schema.JSONSchemaProps{Type: "string"}
			for i := range n {
				if new {
					i = n - 1 - i
				}
				p.AnyOf = append(p.AnyOf, &schema.JSONSchemaProps{Pattern: fmt.Sprintf("^a%d", i), MaxLength: errorPtr(int64(i + 5))})
			}
			return p
		})},
	{name: "compat: many choices of many branches", n: 40, want: "findings",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			p := &schema.JSONSchemaProps{Type: "string"}
			for i := range n {
				choice := &schema.JSONSchemaProps{}
				for k := range n {
					branch := &schema.JSONSchemaProps{Pattern: fmt.Sprintf("^(a|b)%d.*%d$", i, k)}
					if new {
						branch.Pattern = fmt.Sprintf("^[ab]%d.*%d$", i, k)
					}
					choice.OneOf = append(choice.OneOf, branch)
				}
				p.AllOf = append(p.AllOf, choice)
			}
			return p
		})},
	{name: "compat: choices below each other", n: 8, want: "findings",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			branch := &schema.JSONSchemaProps{MaxLength: errorPtr(int64(5))}
			if new {
				branch = &schema.JSONSchemaProps{MaxLength: errorPtr(int64(4))}
			}
			for range n {
				branch = &schema.JSONSchemaProps{AnyOf: []*schema.JSONSchemaProps{branch, branch, {Not: branch}}}
			}
			branch.Type = "string"
			return branch
		})},
	{name: "compat: enums of many values", n: 20_000, want: "findings",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			p := &schema.JSONSchemaProps{Type: "integer"}
			for i := range n {
				if new {
					i = n - i
				}
				p.Enum = append(p.Enum, int64(i))
			}
			return p
		})},
	{name: "compat: rules of many conditions", n: 200, want: "findings",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			p := &schema.JSONSchemaProps{Type: "string", MaxLength: errorPtr(int64(10))}
			for i := range n {
				rule := fmt.Sprintf("self != '%d'", i)
				for k := range 100 {
					rule += fmt.Sprintf(" && (self != 'x%d' || self == 'y%d')", k, k)
				}
				if new {
					rule = "(" + rule + ") || self == 'a'"
				}
				p.XValidations = append(p.XValidations, schema.ValidationRule{Rule: rule})
			}
			return p
		})},
	{name: "compat: objects below each other, required", n: 300, want: "findings",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			p := &schema.JSONSchemaProps{Type: "string"}
			if new {
				p.MaxLength = errorPtr(int64(3))
			}
			for range n {
				p = &schema.JSONSchemaProps{Type: "object", Required: []string{"a", "b"}, Properties: map[string]*schema.JSONSchemaProps{"a": p, "b": {Type: "integer"}}}
			}
			return p
		})},
	{name: "compat: a list that has to be long", n: 100_000, want: "unknown",
		setup: compared(func(n int, new bool) *schema.JSONSchemaProps {
			p := &schema.JSONSchemaProps{Type: "array", MinItems: errorPtr(int64(n)), Items: &schema.SchemaOrArray{Schema: &schema.JSONSchemaProps{Type: "string"}}}
			if new {
				p.MinItems = errorPtr(int64(n + 1))
			}
			return p
		})},
}

// compared compares definitions whose spec is made by of. The answer is the worst verdict and the length of the text.
func compared(of func(n int, new bool) *schema.JSONSchemaProps) func(n int) func() string {
	return func(n int) func() string {
		side := func(new bool) *crd.CustomResourceDefinition {
			d := must(crd.Parse([]byte(given.Kind("Namespaced", "widgets.example.com", "Widget", "{type: object, properties: {}}"))))
			d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = of(n, new)
			return d
		}
		old, new := side(false), side(true)
		return func() string {
			r, err := compat.Compare(context.Background(), old, new, nil)
			if err != nil {
				return err.Error()
			}
			return fmt.Sprintf("%s in %d findings, %d bytes", r.Worst(), len(r.Findings), len(r.String()))
		}
	}
}
