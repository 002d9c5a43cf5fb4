package hostile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// definitionRows are definitions.
var definitionRows = []row{
	{name: "errors: a long property with untyped ones", n: 5_000, linear: true, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			below := costFields(n, func(int) *schema.JSONSchemaProps { return &schema.JSONSchemaProps{Description: "no type"} })
			return errorField(strings.Repeat("k", 50_000), below)
		})},
	{name: "errors: untyped ones below each other", n: 9_000, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			return definitionUntyped(n, "c")
		})},
	{name: "errors: unique items below each other", n: 9_000, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			p := errorOf("string")
			for range n {
				p = &schema.JSONSchemaProps{Type: "array", UniqueItems: true, Items: &schema.SchemaOrArray{Schema: p}}
			}
			return errorField("c", p)
		})},
	{name: "errors: lists of item schemas below each other", n: 4_000, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			p := errorOf("string")
			for range n {
				p = &schema.JSONSchemaProps{Type: "array", XListType: errorPtr("map"), XListMapKeys: []string{"k"},
					Items: &schema.SchemaOrArray{Schemas: []*schema.JSONSchemaProps{p}}}
			}
			return errorField("c", p)
		})},
	{name: "errors: many keys of a list", n: 100_000, linear: true, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			list := errorList(errorField("other", errorOf("string")))
			list.XListType = errorPtr("map")
			list.XListMapKeys = given.List(n, func(i int) string { return fmt.Sprintf("key%d", i) })
			return errorField("l", list)
		})},
	{name: "errors: many keys that are not required", n: 9_000, linear: true, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			item := errorOf("object")
			item.Properties = map[string]*schema.JSONSchemaProps{}
			list := errorList(item)
			list.XListType = errorPtr("map")
			for i := range n {
				key := fmt.Sprintf("key%d", i)
				item.Properties[key] = errorOf("string")
				item.Required = append(item.Required, fmt.Sprintf("other%d", i))
				list.XListMapKeys = append(list.XListMapKeys, key)
			}
			return errorField(strings.Repeat("k", 10_000), list)
		})},
	{name: "definition: one costly pattern of many defaults", n: 900, want: "no errors",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			costly := "(?i)^" + strings.Repeat(`[\x{80}-\x{1e900}]?`, 200)
			return errorField("spec", costFields(n, func(int) *schema.JSONSchemaProps {
				return &schema.JSONSchemaProps{Type: "string", Pattern: costly, Default: "a"}
			}))
		})},
	{name: "errors: rules below a long property", n: 4_000, linear: true, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps { return definitionRules(n, "self.x") })},
	{name: "errors: fields of rules below a long property", n: 5_000, linear: true, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps { return definitionRules(n, "") })},
	{name: "errors: many versions with many violations", n: 300, want: "more are not listed", setup: func(n int) func() string {
		d := definitionVersions(n, func(i int) *crd.Validation {
			root := definitionUntyped(100, strings.Repeat("k", 100))
			root.Description = fmt.Sprint(i)
			return &crd.Validation{OpenAPIV3Schema: root}
		})
		return func() string { return errorAnswer(crdcheck.Validate(d)) }
	}},
	{name: "errors: names of labels of a definition", n: 200_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		d := definition(errorOf("object"))
		d.Spec.Names.ShortNames = slices.Repeat([]string{"?"}, n)
		return func() string { return errorAnswer(crdcheck.Validate(d)) }
	}},
	{name: "errors: segments of a path of a webhook", n: 1 << 20, linear: true, want: "more are not listed", setup: func(n int) func() string {
		d := definition(errorOf("object"))
		d.Spec.Conversion = &crd.Conversion{Strategy: crd.ConversionWebhook, ConversionReviewVersions: []string{"v1"},
			WebhookClientConfig: &crd.WebhookClientConfig{Service: &crd.ServiceReference{
				Namespace: "n", Name: "n", Port: 443, Path: errorPtr(strings.Repeat("/", n)),
			}}}
		return func() string { return errorAnswer(crdcheck.Validate(d)) }
	}},
	{name: "errors: a default that breaks its schema", n: 300_000, linear: true, want: "more are not listed",
		setup: definitionSchema(func(n int) *schema.JSONSchemaProps {
			list := errorMap(errorList(errorOf("integer")))
			list.Default = map[string]any{strings.Repeat("k", 10_000): errorItems(n, "x")}
			return errorField("l", list)
		})},
	{name: "errors: columns", n: 30_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		d := definition(errorOf("object"))
		d.Spec.Versions[0].AdditionalPrinterColumns = make([]crd.Column, n)
		return func() string { return errorAnswer(crdcheck.Validate(d)) }
	}},
	{name: "errors: estimates below a long property", n: 4_000, linear: true, want: "rules", setup: func(n int) func() string {
		s, errs := schema.Compile(definitionRules(n, "self == 1"))
		if errs != nil {
			return func() string { return errs.String() }
		}
		return func() string {
			_, errs := cel.Compile(s, nil)
			return fmt.Sprintf("rules with %d errors", len(errs))
		}
	}},
	{name: "errors: the condition of a schema", n: 9_000, want: "more are not listed", setup: func(n int) func() string {
		d := definition(definitionUntyped(n, "c"))
		return func() string {
			settled := crd.CustomResourceDefinition{Status: d.Settle(nil, time.Time{})}
			text := settled.Condition(crd.NonStructuralSchema).Message
			return fmt.Sprintf("%d bytes: %s", len(text), text[max(0, len(text)-100):])
		}
	}},
	{name: "defaults: many of many items", n: 900_000, want: "413", setup: func(n int) func() string {
		return defaultsCreate(defaultsVersion(1_000, int64(1)), `[`+errorJSON(n, "{}")+`]`)
	}},
	{name: "defaults: two of many items", n: 900_000, want: "413", setup: func(n int) func() string {
		return defaultsCreate(defaultsVersion(2, int64(1)), `[`+errorJSON(n, "{}")+`]`)
	}},
	{name: "defaults: one of items to the limit", n: 900_000, linear: true, want: "accepted", setup: func(n int) func() string {
		return defaultsCreate(defaultsVersion(1, int64(1)), `[`+errorJSON(n, "{}")+`]`)
	}},
	{name: "defaults: a long text of many items", n: 900_000, linear: true, want: "413", setup: func(n int) func() string {
		return defaultsCreate(defaultsVersion(1, strings.Repeat("x", 1<<20)), `[`+errorJSON(n, "{}")+`]`)
	}},
	{name: "defaults: a large list of many items", n: 900_000, linear: true, want: "413", setup: func(n int) func() string {
		return defaultsCreate(defaultsVersion(1, errorItems(100_000, int64(1))), `[`+errorJSON(n, "{}")+`]`)
	}},
	{name: "defaults: of defaults of defaults", n: 1_000, want: "413", setup: func(n int) func() string {
		p := errorOf("integer")
		for range 5 {
			p = errorList(errorField("l", p))
			p.Default = errorItems(n, map[string]any{})
		}
		v := defaultsOf(p)
		obj := errorObject(map[string]any{})
		return func() string { return defaultsResult(v.Create(context.Background(), obj)) }
	}},
	{name: "defaults: of nulls", n: 600_000, linear: true, want: "413", setup: func(n int) func() string {
		item := errorOf("string")
		item.Default = strings.Repeat("x", 1_000)
		return defaultsCreate(defaultsOf(errorList(item)), `[`+errorJSON(n, "null")+`]`)
	}},
	{name: "defaults: of values of a map", n: 200_000, linear: true, want: "413", setup: func(n int) func() string {
		item := errorField(strings.Repeat("d", 10_000), &schema.JSONSchemaProps{Type: "integer", Default: int64(1)})
		return defaultsCreate(defaultsOf(errorMap(item)), `{`+errorJSONMembers(n, "{}")+`}`)
	}},
	{name: "defaults: an update", n: 900_000, want: "413", setup: func(n int) func() string {
		v := defaultsVersion(1_000, int64(1))
		obj, old := errorObject(map[string]any{"l": errorItems(n, map[string]any{})}), errorObject(map[string]any{})
		return func() string { return defaultsResult(v.Update(context.Background(), obj, old)) }
	}},
	{name: "defaults: a patch", n: 900_000, want: "413", setup: func(n int) func() string {
		v := defaultsVersion(1_000, int64(1))
		body := []byte(`{"spec":{"l":[` + errorJSON(n, "{}") + `]}}`)
		return func() string {
			return defaultsResult(v.Patch(context.Background(), "application/merge-patch+json", body, errorObject(map[string]any{})))
		}
	}},
	{name: "defaults: a stored object", n: 900_000, want: "500", setup: func(n int) func() string {
		v := defaultsVersion(1_000, int64(1))
		stored := errorObject(map[string]any{"l": errorItems(n, map[string]any{})})
		return func() string { return defaultsResult(v.Read(stored)) }
	}},
	{name: "defaults: Default alone", n: 900_000, linear: true, want: "0 defaults", setup: func(n int) func() string {
		v := defaultsVersion(1_000, int64(1))
		obj := errorObject(map[string]any{"l": errorItems(n, map[string]any{})})
		return func() string {
			out := defaulting.Default(v.Schema(), obj)
			return fmt.Sprintf("%d defaults", len(out["spec"].(map[string]any)["l"].([]any)[0].(map[string]any)))
		}
	}},
}

// defaultsVersion is a version with a list whose items have that many properties with that default.
func defaultsVersion(properties int, value any) *resource.Version {
	return defaultsOf(errorList(costFields(properties, func(int) *schema.JSONSchemaProps {
		return &schema.JSONSchemaProps{XPreserveUnknownFields: errorPtr(true), Default: value}
	})))
}

// defaultsOf is a version with that schema of a property.
func defaultsOf(p *schema.JSONSchemaProps) *resource.Version {
	return compiled(definition(errorField("spec", errorField("l", p)))).Version("v1")
}

// defaultsCreate is the call that creates an object with a value of that property, in JSON.
func defaultsCreate(v *resource.Version, value string) func() string {
	body := errorBody(`"l":` + value)
	return func() string { return defaultsResult(v.CreateBody(context.Background(), body)) }
}

func defaultsResult(r resource.Result) string {
	if s := r.Status(); s != nil {
		return fmt.Sprintf("%d: %.200s", s.Code, s.Message)
	}
	return "accepted"
}

// definitionSchema is the setup of a row that checks a definition with a schema.
func definitionSchema(of func(n int) *schema.JSONSchemaProps) func(n int) func() string {
	return func(n int) func() string {
		d := definition(of(n))
		return func() string { return errorAnswer(crdcheck.Validate(d)) }
	}
}

// definitionRules returns a schema with n properties below a long one, each with that rule.
func definitionRules(n int, rule string) *schema.JSONSchemaProps {
	below := costFields(n, func(int) *schema.JSONSchemaProps { return costRuled(errorOf("integer"), rule) })
	return errorField(strings.Repeat("k", 200_000), below)
}

// definitionUntyped returns the schema of an object with n schemas without a type below each other.
func definitionUntyped(n int, key string) *schema.JSONSchemaProps {
	p := &schema.JSONSchemaProps{}
	for range n {
		p = &schema.JSONSchemaProps{Properties: map[string]*schema.JSONSchemaProps{key: p}}
	}
	return errorField("c", p)
}

// definitionVersions returns a definition of n versions.
func definitionVersions(n int, of func(i int) *crd.Validation) *crd.CustomResourceDefinition {
	d := definition(nil)
	d.Spec.Versions = given.List(n, func(i int) crd.Version {
		return crd.Version{Name: fmt.Sprintf("v%d", i+1), Served: true, Storage: i == 0, Schema: of(i)}
	})
	return d
}

// definition returns a definition that is in order but for its schema.
func definition(p *schema.JSONSchemaProps) *crd.CustomResourceDefinition {
	return &crd.CustomResourceDefinition{
		APIVersion: crd.APIVersionV1,
		Metadata:   map[string]any{"name": "widgets.example.com"},
		Spec: crd.Spec{
			Group: "example.com", Scope: crd.NamespaceScoped, PreserveUnknownFields: errorPtr(false),
			Names:    crd.Names{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []crd.Version{{Name: "v1", Served: true, Storage: true, Schema: &crd.Validation{OpenAPIV3Schema: p}}},
		},
	}
}
