package hostile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// errorRows are objects and definitions with many or long errors.
var errorRows = []row{
	{name: "errors: a long key above wrong integers", n: 2_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorMap(errorOf("integer"))))
		obj := map[string]any{strings.Repeat("k", 100_000): errorMembers(n, "x")}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: wrong items", n: 400_000, linear: true, want: "390000 more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorList(errorOf("integer"))))
		obj := map[string]any{"a": errorItems(n, "x")}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: an enum of many values", n: 10_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		values := make([]any, n)
		for i := range values {
			values[i] = fmt.Sprintf("value-%d", i)
		}
		s := errorSchema(errorMap(errorList(&schema.JSONSchemaProps{Type: "string", Enum: values})))
		obj := map[string]any{"a": errorItems(max(1, n/10), "x")}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: aliases of one long string", n: 3 << 20, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorList(&schema.JSONSchemaProps{Type: "string", Pattern: "^b$"})))
		obj := map[string]any{"a": errorItems(10_000, strings.Repeat("a", n))}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: a long pattern", n: 1 << 20, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorList(&schema.JSONSchemaProps{Type: "string", Pattern: "^" + strings.Repeat("b", n) + "$"})))
		obj := map[string]any{"a": errorItems(n/4, "a")}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: long names of required fields", n: 400_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorList(&schema.JSONSchemaProps{Type: "object", Required: []string{strings.Repeat("r", 100_000)},
			Properties: map[string]*schema.JSONSchemaProps{"b": errorOf("string")}})))
		obj := map[string]any{"a": errorItems(n, map[string]any{})}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: a long type", n: 400_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s, err := schema.CompileLoose(errorMap(errorList(errorOf(strings.Repeat("t", 100_000)))))
		if err != nil {
			return func() string { return err.Error() }
		}
		obj := map[string]any{"a": errorItems(n, "x")}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: branches that say the same", n: 2_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		p := errorMap(&schema.JSONSchemaProps{XPreserveUnknownFields: errorPtr(true)})
		for range n {
			p.AdditionalProperties.Schema.AllOf = append(p.AdditionalProperties.Schema.AllOf, &schema.JSONSchemaProps{MinProperties: errorPtr(int64(5))})
		}
		s := errorSchema(p)
		obj := map[string]any{strings.Repeat("k", 100_000): map[string]any{}}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: forbidden keys", n: 300_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s, err := schema.CompileLoose(errorMap(&schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{}}))
		if err != nil {
			return func() string { return err.Error() }
		}
		obj := map[string]any{strings.Repeat("k", 100_000): errorMembers(n, "x")}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: deep below each other", n: 9_000, want: "more are not listed", setup: func(n int) func() string {
		p := errorOf("object")
		p.Required, p.Properties = []string{"r"}, map[string]*schema.JSONSchemaProps{"r": errorOf("string")}
		var v any = map[string]any{}
		for range min(n, 1_000) {
			p = &schema.JSONSchemaProps{Type: "object", MinProperties: errorPtr(int64(2)), Properties: map[string]*schema.JSONSchemaProps{"c": p}}
			v = map[string]any{"c": v}
		}
		s := errorSchema(errorMap(errorMap(p)))
		obj := map[string]any{"a": errorMembers(max(1, n/100), v)}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: duplicates in sets", n: 300_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		set := errorList(errorOf("string"))
		set.XListType = errorPtr("set")
		s := errorSchema(errorMap(errorMap(set)))
		obj := map[string]any{strings.Repeat("k", 1_000): errorMembers(n/2, []any{"x", "x"})}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: large duplicates in sets", n: 3 << 20, linear: true, want: "more are not listed", setup: func(n int) func() string {
		set := errorList(errorOf("string"))
		set.XListType = errorPtr("set")
		s := errorSchema(errorMap(errorMap(set)))
		long := strings.Repeat("x", n)
		obj := map[string]any{"a": errorMembers(1_000, []any{long, long})}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: embedded resources", n: 100_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorList(&schema.JSONSchemaProps{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: errorPtr(true)})))
		labels := map[string]any{"metadata": map[string]any{"labels": map[string]any{"?": "?", "!": "!"}}}
		obj := map[string]any{strings.Repeat("k", 10_000): errorItems(n, labels)}
		return func() string { return errorAnswer(validate.Validate(s, obj)) }
	}},
	{name: "errors: ratcheting", n: 400_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorMap(errorList(errorOf("integer"))))
		key := strings.Repeat("k", 100_000)
		obj, old := map[string]any{key: errorItems(n, "x")}, map[string]any{key: errorItems(n, "y")}
		return func() string { return errorAnswer(ratchet.RatchetedValidate(s, obj, old)) }
	}},
}

// errorAnswer makes all that can be made of a list, and returns how long it is, and its last error.
func errorAnswer(errs field.List) string {
	if len(errs) == 0 {
		return "no errors"
	}
	status := errs.Status("example.com", "Widget", "w")
	data, err := json.Marshal(status)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d errors, %d bytes of text, %d of JSON; %.200s", len(errs), len(errs.Err().Error()), len(data), errs[len(errs)-1])
}

func errorSchema(p *schema.JSONSchemaProps) *schema.Structural {
	s, errs := schema.Compile(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"o": p}})
	if errs != nil {
		panic(errs.String())
	}
	n := *s.Root.Props[0].Node // the root itself may not have additionalProperties
	return &schema.Structural{Root: &n, NodeCount: s.NodeCount}
}

func errorOf(typ string) *schema.JSONSchemaProps { return &schema.JSONSchemaProps{Type: typ} }

func errorMap(values *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	return &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{Allows: true, Schema: values}}
}

func errorList(items *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	return &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: items}}
}

func errorItems(n int, v any) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = v
	}
	return items
}

func errorMembers(n int, v any) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m[fmt.Sprintf("m%d", i)] = v
	}
	return m
}

func errorPtr[T any](v T) *T { return &v }
