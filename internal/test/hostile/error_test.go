package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// errorRows are objects and definitions with many or long errors.
var errorRows = []row{
	{name: "errors: a long key above wrong integers", n: 2_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		return errorInvalid(errorMap(errorOf("integer")), map[string]any{strings.Repeat("k", 100_000): errorMembers(n, "x")})
	}},
	{name: "errors: wrong items", n: 400_000, linear: true, want: "390000 more are not listed", setup: func(n int) func() string {
		return errorInvalid(errorList(errorOf("integer")), map[string]any{"a": errorItems(n, "x")})
	}},
	{name: "errors: an enum of many values", n: 10_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		values := given.List(n, func(i int) any { return fmt.Sprintf("value-%d", i) })
		return errorInvalid(errorList(&schema.JSONSchemaProps{Type: "string", Enum: values}), map[string]any{"a": errorItems(max(1, n/10), "x")})
	}},
	{name: "errors: aliases of one long string", n: 3 << 20, linear: true, want: "too large", setup: func(n int) func() string {
		obj := map[string]any{"a": errorItems(10_000, strings.Repeat("a", n))}
		return errorInvalid(errorList(&schema.JSONSchemaProps{Type: "string", Pattern: "^b$"}), obj)
	}},
	{name: "errors: a long pattern", n: 1 << 20, linear: true, want: "more are not listed", setup: func(n int) func() string {
		pattern := "^" + strings.Repeat("b", n) + "$"
		return errorInvalid(errorList(&schema.JSONSchemaProps{Type: "string", Pattern: pattern}), map[string]any{"a": errorItems(n/4, "a")})
	}},
	{name: "errors: long names of required fields", n: 400_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		item := errorField("b", errorOf("string"))
		item.Required = []string{strings.Repeat("r", 100_000)}
		return errorInvalid(errorList(item), map[string]any{"a": errorItems(n, map[string]any{})})
	}},
	{name: "errors: a long type", n: 400_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		return errorInvalid(errorList(errorOf(strings.Repeat("t", 100_000))), map[string]any{"a": errorItems(n, "x")})
	}},
	{name: "errors: branches that say the same", n: 2_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		p := &schema.JSONSchemaProps{XPreserveUnknownFields: errorPtr(true)}
		p.AllOf = given.List(n, func(int) *schema.JSONSchemaProps { return &schema.JSONSchemaProps{MinProperties: errorPtr(int64(5))} })
		return errorInvalid(p, map[string]any{strings.Repeat("k", 100_000): map[string]any{}})
	}},
	{name: "errors: forbidden keys", n: 300_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		p := &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{}}
		return errorInvalid(p, map[string]any{strings.Repeat("k", 100_000): errorMembers(n, "x")})
	}},
	{name: "errors: deep below each other", n: 9_000, want: "more are not listed", setup: func(n int) func() string {
		p := errorField("r", errorOf("string"))
		p.Required = []string{"r"}
		var v any = map[string]any{}
		for range min(n, 1_000) {
			p, v = errorField("c", p), map[string]any{"c": v}
			p.MinProperties = errorPtr(int64(2))
		}
		return errorInvalid(errorMap(p), map[string]any{"a": errorMembers(max(1, n/100), v)})
	}},
	{name: "errors: duplicates in sets", n: 300_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		set := errorList(errorOf("string"))
		set.XListType = errorPtr("set")
		return errorInvalid(errorMap(set), map[string]any{strings.Repeat("k", 1_000): errorMembers(n/2, []any{"x", "x"})})
	}},
	{name: "errors: large duplicates in sets", n: 3 << 20, linear: true, want: "too large", setup: func(n int) func() string {
		set := errorList(errorOf("string"))
		set.XListType = errorPtr("set")
		long := strings.Repeat("x", n)
		return errorInvalid(errorMap(set), map[string]any{"a": errorMembers(1_000, []any{long, long})})
	}},
	{name: "errors: embedded resources", n: 100_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		labels := map[string]any{"metadata": map[string]any{"labels": map[string]any{"?": "?", "!": "!"}}}
		return errorInvalid(errorEmbedded(), map[string]any{strings.Repeat("k", 10_000): errorItems(n, labels)})
	}},
	{name: "errors: ratcheting", n: 400_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		s := errorSchema(errorList(errorOf("integer")))
		key := strings.Repeat("k", 100_000)
		obj, old := map[string]any{key: errorItems(n, "x")}, map[string]any{key: errorItems(n, "y")}
		return func() string { return errorAnswer(ratchet.Validate(s, obj, old)) }
	}},
	{name: "errors: a create", n: 400_000, linear: true, want: "390001 more are not listed", setup: func(n int) func() string {
		return errorCreate(errorVersion(), errorBody(`"l":[`+errorJSON(n, `"x"`)+`]`))
	}},
	{name: "errors: a create that blocks rules beyond the limit", n: 400_000, want: "rules were not run", setup: func(n int) func() string {
		v, body := errorVersion(), errorBody(`"e":[`+errorJSON(n, `-1`)+`],"l":["x"]`)
		return func() string {
			r := v.With(resource.RequestOptions{Limit: field.Limit{Errors: 10}}).CreateBody(context.Background(), body)
			if r.Cost == 0 {
				return "rules were not run: " + errorResult(r)
			}
			return errorResult(r)
		}
	}},
	{name: "errors: an update", n: 400_000, linear: true, want: "390001 more are not listed", setup: func(n int) func() string {
		v := errorVersion()
		obj := errorObject(map[string]any{"l": errorItems(n, "x")})
		old := errorObject(map[string]any{"l": errorItems(n, "y")})
		return func() string { return errorResult(v.Update(context.Background(), obj, old)) }
	}},
	{name: "errors: an update of the status", n: 400_000, linear: true, want: "390001 more are not listed", setup: func(n int) func() string {
		v := errorVersion()
		old := errorObject(map[string]any{})
		obj := errorObject(map[string]any{})
		obj["status"] = map[string]any{"l": errorItems(n, "x")}
		return func() string { return errorResult(v.UpdateStatus(context.Background(), obj, old)) }
	}},
	{name: "errors: a patch", n: 400_000, linear: true, want: "390001 more are not listed", setup: func(n int) func() string {
		v, old := errorVersion(), errorObject(map[string]any{})
		body := []byte(`{"spec":{"l":[` + errorJSON(n, `"x"`) + `]}}`)
		return func() string {
			return errorResult(v.Patch(context.Background(), "application/merge-patch+json", body, old))
		}
	}},
	{name: "errors: false rules", n: 100_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		v := errorVersion()
		obj := errorObject(map[string]any{"r": errorItems(n, strings.Repeat("x", 100))})
		return func() string { return errorResult(v.Create(context.Background(), obj)) }
	}},
	{name: "errors: warnings of rules", n: 100_000, linear: true, want: "too large", setup: func(n int) func() string {
		v := errorVersion()
		items := errorItems(n, strings.Repeat("x", 1_000))
		obj := errorObject(map[string]any{"r": items, "l": []any{int64(1)}})
		return func() string {
			return errorResult(v.Update(context.Background(), obj, errorObject(map[string]any{"r": items})))
		}
	}},
	{name: "errors: warnings of unknown fields", n: 200_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		body := errorBody(`"` + strings.Repeat("k", 10_000) + `":1,"m":{"` + strings.Repeat("k", 10_000) + `":{` + errorJSONMembers(n, `1`) + `}}`)
		return errorCreate(errorVersion(), body)
	}},
	{name: "errors: strict unknown fields", n: 200_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		v := errorVersion().With(resource.RequestOptions{FieldValidation: resource.FieldValidationStrict})
		return errorCreate(v, errorBody(`"m":{"`+strings.Repeat("k", 10_000)+`":{`+errorJSONMembers(n, `1`)+`}}`))
	}},
	{name: "errors: strict unknown fields of a patch", n: 200_000, linear: true, want: "1 errors", setup: func(n int) func() string {
		v := errorVersion().With(resource.RequestOptions{FieldValidation: resource.FieldValidationStrict})
		body := []byte(`{"spec":{"m":{"` + strings.Repeat("k", 10_000) + `":{` + errorJSONMembers(n, `1`) + `}}}}`)
		return func() string {
			return errorResult(v.Patch(context.Background(), "application/merge-patch+json", body, errorObject(map[string]any{})))
		}
	}},
	{name: "errors: duplicate keys of YAML", n: 100_000, want: "more are not listed", setup: func(n int) func() string {
		v := errorVersion().With(resource.RequestOptions{ContentType: "application/yaml"})
		body := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nspec:\n" + strings.Repeat("  a: 1\n", n)
		return errorCreate(v, []byte(body))
	}},
	{name: "errors: unknown fields of embedded metadata", n: 30_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		body := errorBody(`"e":{"` + strings.Repeat("k", 10_000) + `":[` + errorJSON(n, `{"apiVersion":"v1","kind":"K","metadata":{"a":1,"b":2}}`) + `]}`)
		return errorCreate(errorVersion(), body)
	}},
	{name: "errors: labels", n: 200_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		v, obj := errorVersion(), errorObject(map[string]any{})
		obj["metadata"].(map[string]any)["labels"] = errorNamed("?%d", n, "?")
		return func() string { return errorResult(v.Create(context.Background(), obj)) }
	}},
	{name: "errors: warnings of finalizers", n: 300_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		v, obj := errorVersion(), errorObject(map[string]any{})
		obj["metadata"].(map[string]any)["finalizers"] = patternTexts(n, "f")
		return func() string { return errorResult(v.Create(context.Background(), obj)) }
	}},
	{name: "cancel: an update of valid items", n: 200_000, timed: true, want: "in time", setup: func(n int) func() string {
		v := defaultsVersion(1, int64(1))
		return errorCanceled(v, func(i int) any { return map[string]any{"p0": int64(i)} }, func(i int) any { return map[string]any{} }, n)
	}},
	{name: "cancel: an update of wrong items", n: 200_000, timed: true, want: "in time", setup: func(n int) func() string {
		v := errorVersion()
		return errorCanceled(v, func(i int) any { return "x" }, func(i int) any { return "y" }, n)
	}},
	{name: "cancel: an update of items with unknown fields", n: 200_000, timed: true, want: "in time", setup: func(n int) func() string {
		v := defaultsVersion(1, int64(1))
		unknown := func(i int) any { return map[string]any{"p0": int64(i), "u": int64(i)} }
		return errorCanceled(v, unknown, unknown, n)
	}},
	{name: "cancel: an update of a map list", n: 100_000, timed: true, want: "in time", setup: func(n int) func() string {
		list := errorList(&schema.JSONSchemaProps{Type: "object", Required: []string{"a"}, Properties: map[string]*schema.JSONSchemaProps{
			"a": errorOf("integer"), "b": errorOf("string"),
		}})
		list.XListType, list.XListMapKeys = errorPtr("map"), []string{"a"}
		return errorCanceled(defaultsOf(list), func(i int) any { return map[string]any{"a": int64(i), "b": int64(1)} },
			func(i int) any { return map[string]any{"a": int64(i), "b": int64(2)} }, n)
	}},
	{name: "errors: labels of a converted object", n: 200_000, linear: true, want: "more are not listed", setup: func(n int) func() string {
		labels := errorNamed("?%d", n, "?")
		return errorConversion(func(obj map[string]any) { obj["metadata"].(map[string]any)["labels"] = labels })
	}},
	{name: "errors: a long name of a converted object", n: 12 << 20, linear: true, want: "more bytes", setup: func(n int) func() string {
		return errorConversion(func(obj map[string]any) { obj["metadata"].(map[string]any)["name"] = strings.Repeat("x", n) })
	}},
	{name: "errors: a converted object without a kind", n: 12 << 20, linear: true, want: "more bytes", setup: func(n int) func() string {
		return errorConversion(func(obj map[string]any) { obj["kind"], obj["x"] = "", strings.Repeat("\x00", n/6) })
	}},
	{name: "errors: a failure of a converter", n: 12 << 20, linear: true, want: "more bytes", setup: func(n int) func() string {
		text := strings.Repeat("x", n)
		failing := conversion.ConverterFunc(func(context.Context, []map[string]any, string) ([]map[string]any, error) {
			return nil, errors.New(text)
		})
		return func() string { return errorConverted(failing) }
	}},
	{name: "errors: a message of a webhook", n: 12 << 20, linear: true, want: "more bytes", setup: func(n int) func() string {
		response := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"u","result":{"status":"Failed","message":"` +
			strings.Repeat("x", n) + `"}}}`
		return errorWebhook(response)
	}},
	{name: "errors: a uid of a webhook", n: 12 << 20, linear: true, want: "more bytes", setup: func(n int) func() string {
		return errorWebhook(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"` + strings.Repeat(`\n`, n/2) + `"}}`)
	}},
}

// errorCanceled is the call that updates a list of n items, and cancels that after 20 ms. An update that is done before
// is in time, and so is one that ends with its present step (SECURITY.md), of which the longest goes through the whole
// object.
func errorCanceled(v *resource.Version, item, old func(i int) any, n int) func() string {
	obj, was := errorObject(map[string]any{"l": given.List(n, item)}), errorObject(map[string]any{"l": given.List(n, old)})
	return func() string {
		text := cancelled(250*time.Millisecond, func(ctx context.Context) string { return fmt.Sprint(v.Update(ctx, obj, was).Failure) })
		if strings.HasPrefix(text, "done before") {
			return "in time: " + text
		}
		return text
	}
}

// errorConversion is the call that converts an object, which change spoils on its way.
func errorConversion(change func(obj map[string]any)) func() string {
	spoiling := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, to string) ([]map[string]any, error) {
		for _, obj := range objects {
			obj["apiVersion"] = to
			change(obj)
		}
		return objects, nil
	})
	return func() string { return errorConverted(spoiling) }
}

func errorWebhook(response string) func() string {
	d := errorConverting()
	hook := d.Webhook(func() string { return "u" }, func(context.Context, []byte) ([]byte, error) { return []byte(response), nil })
	return func() string { return errorConverted(hook) }
}

// errorConverting is a definition of two versions.
func errorConverting() *conversion.Definition {
	c := definition(errorOf("object"))
	c.Spec.Versions = append(c.Spec.Versions, crd.Version{Name: "v2", Served: true, Schema: c.Spec.Versions[0].Schema})
	c.Spec.Conversion = &crd.Conversion{Strategy: crd.ConversionWebhook, ConversionReviewVersions: []string{"v1"},
		WebhookClientConfig: &crd.WebhookClientConfig{URL: errorPtr("https://example.com")}}
	return must(conversion.Compile(c))
}

// errorConverted converts an object, and returns the end of the refusal as it is sent.
func errorConverted(conv conversion.Converter) string {
	_, refused := errorConverting().Convert(context.Background(), conv, errorObject(map[string]any{}), "example.com/v2")
	if refused == nil {
		return "converted"
	}
	data, err := json.Marshal(refused)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d bytes, %d of JSON: ...%s", len(refused.Error()), len(data), refused.Error()[max(0, len(refused.Error())-100):])
}

// errorVersion is a version whose schema breaks easily.
func errorVersion() *resource.Version {
	ruled := errorOf("string")
	ruled.MaxLength = errorPtr(int64(1_000))
	ruled.XValidations = []schema.ValidationRule{{Rule: "self == 'y'", Message: strings.Repeat("m", 1_000)}}
	spec := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"l": errorList(errorOf("integer")),
		"r": errorList(ruled),
		"m": errorMap(errorField("a", errorOf("integer"))),
		"e": errorMap(errorEmbedded()),
	}}
	status := errorField("l", errorList(errorOf("integer")))
	d := definition(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"spec": spec, "status": status}})
	d.Spec.Versions[0].Subresources = &crd.Subresources{Status: &crd.SubresourceStatus{}}
	return must(resource.Compile(d)).Version("v1")
}

func errorObject(spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": spec,
		"metadata": map[string]any{"name": "w", "namespace": "n"}}
}

// errorBody returns the JSON of an object with those members in its spec.
func errorBody(spec string) []byte {
	return []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"spec":{` + spec + `}}`)
}

// errorJSON returns n items or members.
func errorJSON(n int, item string) string {
	return strings.TrimSuffix(strings.Repeat(item+",", n), ",")
}

// errorJSONMembers returns n members of different names.
func errorJSONMembers(n int, value string) string {
	return strings.TrimSuffix(settledNames(`"m%d":`+value+",", n), ",")
}

// errorResult makes all that can be made of an answer, and returns how long it is, its last error and its last warning.
func errorResult(r resource.Result) string {
	text, size := "accepted", 0
	switch s := r.Status(); {
	case len(r.Errors) > 0:
		text = errorAnswer(r.Errors)
	case s != nil:
		text = fmt.Sprintf("%d bytes of a refusal, ...%s", len(s.Message), s.Message[max(0, len(s.Message)-200):])
	}
	for _, w := range r.Warnings {
		size += len(w)
	}
	if size > 0 {
		text += fmt.Sprintf("; %d warnings of %d bytes; %.200s", len(r.Warnings), size, r.Warnings[len(r.Warnings)-1])
	}
	if r.Err() != nil && r.Err().Error() == "" {
		return "an error without a text"
	}
	return text
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

// errorInvalid is the call that validates an object with such values.
func errorInvalid(values *schema.JSONSchemaProps, obj map[string]any) func() string {
	s := errorSchema(values)
	return func() string { return errorAnswer(validate.Validate(s, obj)) }
}

// errorCreate is the call that creates the object in a body.
func errorCreate(v *resource.Version, body []byte) func() string {
	return func() string { return errorResult(v.CreateBody(context.Background(), body)) }
}

// errorSchema returns the schema of an object with such values.
func errorSchema(values *schema.JSONSchemaProps) *schema.Structural {
	s := must(schema.CompileLoose(errorMap(values))) // the root of a structural schema may not have additionalProperties
	plan.Root(s).Has &^= plan.ResourceRoot
	return s
}

func errorOf(typ string) *schema.JSONSchemaProps { return &schema.JSONSchemaProps{Type: typ} }

func errorMap(values *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	return &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{Allows: true, Schema: values}}
}

func errorList(items *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	return &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: items}}
}

// errorField returns the schema of an object with one property.
func errorField(name string, p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	return &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{name: p}}
}

// errorEmbedded returns the schema of a list of resources.
func errorEmbedded() *schema.JSONSchemaProps {
	return errorList(&schema.JSONSchemaProps{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: errorPtr(true)})
}

func errorItems(n int, v any) []any { return slices.Repeat([]any{v}, n) }

func errorMembers(n int, v any) map[string]any { return errorNamed("m%d", n, v) }

func errorNamed(format string, n int, v any) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m[fmt.Sprintf(format, i)] = v
	}
	return m
}

// must returns v. An input that cannot be made is a fault of its row.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func errorPtr[T any](v T) *T { return &v }
