package compat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// definition returns a definition of widgets with the given schema of the spec.
func definition(t testing.TB, spec string) *crd.CustomResourceDefinition {
	t.Helper()
	return given.Definition(t, definitionText(spec))
}

func definitionText(spec string) string {
	return given.Head("Namespaced", "widgets.example.com", "Widget") + `
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: ` + spec + `
          status: {type: object, properties: {ready: {type: boolean}, phase: {type: string}}}
`
}

// object returns a spec as an object.
func object(properties string) string { return "{type: object, properties: {" + properties + "}}" }

// lines returns the findings as lines, without their details.
func lines(r *compat.Report) (out []string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		out = append(out, string(f.Verdict)+": "+f.Name())
	}
	return out
}

// compared compares two definitions.
func compared(t *testing.T, old, new *crd.CustomResourceDefinition, o *compat.Options) *compat.Report {
	t.Helper()
	r, err := compat.Compare(t.Context(), old, new, o)
	require.NoError(t, err)
	return r
}

// holds checks all witnesses with both definitions.
func holds(t *testing.T, old, new *crd.CustomResourceDefinition, r *compat.Report) {
	t.Helper()
	before, err := resource.Compile(old)
	require.NoError(t, err)
	after, err := resource.Compile(new)
	require.NoError(t, err)
	for _, f := range r.Findings {
		if f.Witness == nil {
			require.True(t, f.Request == "definition" || f.Verdict == compat.Unknown || f.Verdict == compat.Harmless, "no witness: %s", f.String())
			continue
		}
		for _, obj := range []map[string]any{f.Witness.Object, f.Witness.Stored} {
			printed := yamltext.Encode(obj)
			back, err := unstructured.Decode([]byte(printed))
			require.True(t, obj == nil || err == nil && jsonval.Equal(obj, back), "printed as another object: %s", printed)
		}
		was, is := ask(before.Version(f.Version), f), ask(after.Version(f.Version), f)
		switch f.Verdict {
		case compat.Breaks:
			require.NoError(t, was.Err(), f.String())
			require.Error(t, is.Err(), f.String())
		case compat.Loosens:
			require.Error(t, was.Err(), f.String())
			require.NoError(t, is.Err(), f.String())
		default:
			require.NoError(t, was.Err(), f.String())
			require.NoError(t, is.Err(), f.String())
			require.NotEqual(t, was.Object, is.Object, f.String())
		}
	}
}

func ask(v *resource.Version, f compat.Finding) resource.Result {
	v = v.With(resource.RequestOptions{Namespace: "default"})
	ctx, w := context.Background(), f.Witness
	switch f.Request {
	case "update":
		return v.Update(ctx, w.Object, w.Stored)
	case "status":
		return v.UpdateStatus(ctx, w.Object, w.Stored)
	}
	return v.Create(ctx, w.Object)
}

// Common changes with their findings. docs/compat.md lists them.
var changes = []struct {
	name     string
	old, new string // a spec
	want     []string
}{
	{"a new optional field", object(`a: {type: string}`), object(`a: {type: string}, b: {type: integer}`), nil},
	{"a new required field", object(`a: {type: string}`), `{type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}`,
		[]string{"breaks: v1 required spec.b"}},
	{"a new required field with a default", object(`a: {type: string}`), `{type: object, required: [b], properties: {a: {type: string}, b: {type: string, default: x}}}`,
		[]string{"changes: v1 default spec.b"}},
	{"a required field of a new object", object(`a: {type: string}`), object(`a: {type: string}, b: {type: object, required: [c], properties: {c: {type: string}}}`), nil},
	{"a field is removed", object(`a: {type: string}, b: {type: string}`), object(`a: {type: string}`), []string{"loses data: v1 existingFieldRemoval spec.b"}},
	{"a required field becomes optional", `{type: object, required: [a], properties: {a: {type: string}}}`, object(`a: {type: string}`),
		[]string{"loosens: v1 required spec.a"}},
	{"a value of an enum is removed", object(`a: {type: string, enum: [one, two, six]}`), object(`a: {type: string, enum: [six, one]}`), []string{"breaks: v1 enum spec.a"}},
	{"an enum in another order", object(`a: {type: string, enum: [one, two]}`), object(`a: {type: string, enum: [two, one]}`), nil},
	{"a new value of an enum", object(`a: {type: string, enum: [one]}`), object(`a: {type: string, enum: [one, two]}`), []string{"loosens: v1 enum spec.a"}},
	{"a lower maxLength", object(`a: {type: string, maxLength: 10}`), object(`a: {type: string, maxLength: 5}`), []string{"breaks: v1 maxLength spec.a"}},
	{"a maxLength that no string exceeds", object(`a: {type: string, enum: [x, yy]}`), object(`a: {type: string, maxLength: 2, enum: [x, yy]}`), nil},
	{"a maxLength that the pattern implies", object(`a: {type: string, pattern: "^[a-z]{1,5}$"}`), object(`a: {type: string, pattern: "^[a-z]{1,5}$", maxLength: 5}`), nil},
	{"a maxLength below a list without items", object(`a: {type: array, maxItems: 0, items: {type: string}}`), object(`a: {type: array, maxItems: 0, items: {type: string, maxLength: 1}}`), nil},
	{"a bound that moves into allOf", object(`a: {type: string, maxLength: 10}`), object(`a: {type: string, allOf: [{maxLength: 10}]}`), nil},
	{"a pattern that matches the same strings", object(`a: {type: string, pattern: "^(foo|bar)$"}`), object(`a: {type: string, pattern: "^(?:bar|foo)$"}`), nil},
	{"a narrower pattern", object(`a: {type: string, pattern: "^[a-z0-9]+$"}`), object(`a: {type: string, pattern: "^[a-z]+$"}`), []string{"breaks: v1 pattern spec.a"}},
	{"integer to number", object(`a: {type: integer}`), object(`a: {type: number}`), []string{"loosens: v1 type spec.a"}},
	{"number to integer", object(`a: {type: number}`), object(`a: {type: integer}`), []string{"breaks: v1 type spec.a"}},
	{"a default changes", object(`a: {type: string, default: x}`), object(`a: {type: string, default: z}`), []string{"changes: v1 default spec.a"}},
	{"a rule is added", object(`a: {type: integer}, b: {type: integer}`),
		`{type: object, x-kubernetes-validations: [{rule: "!has(self.a) || !has(self.b) || self.a <= self.b"}], properties: {a: {type: integer}, b: {type: integer}}}`,
		[]string{"breaks: v1 rule spec"}},
	{"a rule is loosened", object(`a: {type: integer, x-kubernetes-validations: [{rule: "self < 5"}]}`), object(`a: {type: integer, x-kubernetes-validations: [{rule: "self < 7"}]}`),
		[]string{"loosens: v1 rule spec.a"}},
	{"an equivalent rule", object(`a: {type: array, maxItems: 5, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, x > 0 && x != 5) && size(self) > 1"}]}`),
		object(`a: {type: array, maxItems: 5, items: {type: integer}, x-kubernetes-validations: [{rule: "(1 < self.size())"}, {rule: "self.all(each, !(5 == each) && (0 < each))"}]}`), nil},
	{"a rule that makes a field immutable", object(`a: {type: string}`), object(`a: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`),
		[]string{"breaks: v1 rule update spec.a"}},
	{"a list becomes a map", object(`a: {type: array, items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}`),
		object(`a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}`),
		[]string{"breaks: v1 listType spec.a", "breaks: v1 listType definition spec.a"}},
	{"a new oneOf", object(`a: {type: string}, b: {type: string}`), `{type: object, oneOf: [{required: [a]}, {required: [b]}], properties: {a: {type: string}, b: {type: string}}}`,
		[]string{"breaks: v1 oneOf spec"}},
	{"null is dropped", object(`a: {type: string, nullable: true}`), object(`a: {type: string}`), []string{"loses data: v1 nullable spec.a"}},
	{"unknown fields are dropped", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, object(`a: {type: string}`),
		[]string{"loses data: v1 nullable spec.a", "breaks: v1 type spec.a", "loses data: v1 existingFieldRemoval spec[*]"}},
	{"fields have schemas where all were preserved", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, object(`a: {type: object, properties: {b: {type: string}}}`),
		[]string{"loses data: v1 nullable spec.a", "breaks: v1 type spec.a", "loses data: v1 existingFieldRemoval spec.a[*]", "loses data: v1 existingFieldRemoval spec[*]"}},
	{"a lower maximum and a field that is required, beside unknown fields", object(`m: {type: integer, maximum: 100}, r: {type: string}, u: {type: object, x-kubernetes-preserve-unknown-fields: true}`),
		`{type: object, required: [r], properties: {m: {type: integer, maximum: 50}, r: {type: string}, u: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`,
		[]string{"breaks: v1 maximum spec.m", "breaks: v1 required spec.r", "breaks: v1 required update spec.r"}},
	{"a lower maximum and a new required field", object(`m: {type: integer, maximum: 100}`), `{type: object, required: [r], properties: {m: {type: integer, maximum: 50}, r: {type: string}}}`,
		[]string{"breaks: v1 maximum spec.m", "breaks: v1 required spec.r"}},
	{"a maxItems, and a list becomes a map", object(`a: {type: array, items: {type: object, required: [k], properties: {k: {type: string}}}}`),
		object(`a: {type: array, maxItems: 1, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}`),
		[]string{"breaks: v1 listType definition spec.a", "breaks: v1 maxItems spec.a", "breaks: v1 object spec.a"}},
	{"a default for a field that is immutable", object(`a: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`),
		object(`a: {type: string, default: x, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`), []string{"changes: v1 default spec.a", "breaks: v1 default update spec.a"}},
	{"a default for a field that may be set once", object(`a: {type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true}]}`),
		object(`a: {type: string, default: x, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true}]}`),
		[]string{"changes: v1 default spec.a", "breaks: v1 default update spec.a"}},
	{"an anyOf that all values match", object(`a: {type: string}`), object(`a: {type: string, anyOf: [{maxLength: 5}, {minLength: 3}]}`), nil},
	{"an anyOf of a required field and its absence", object(`a: {type: string}`), `{type: object, anyOf: [{required: [a]}, {not: {required: [a]}}], properties: {a: {type: string}}}`, nil},
	{"descriptions", object(`a: {type: string, description: before, title: A}`), object(`a: {type: string, description: after}`), nil},
}

func TestChanges(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			old, new := definition(t, c.old), definition(t, c.new)
			r := compared(t, old, new, nil)
			require.Equal(t, c.want, lines(r), r.String())
			holds(t, old, new, r)
			again := compared(t, old, new, nil)
			require.Equal(t, r, again)
		})
	}
}

var definitionChanged = strings.Replace(given.Head("Namespaced", "widgets.example.com", "Widget"),
	"kind: Widget}", "singular: widget, kind: Widget, listKind: WidgetList, shortNames: [w]}", 1) + `
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    selectableFields: [{jsonPath: .spec.a}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, size: {type: integer}}}, status: {type: object, properties: {size: {type: integer}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, m: {type: integer}}}}}}
status:
  storedVersions: [v1]
  conditions: [{type: Established, status: "True"}]
`

// versionsChanged are the versions of definitionChanged as far as they say which of them is stored.
var versionsChanged = definitionChanged[strings.Index(definitionChanged, "storage: true"):strings.Index(definitionChanged, "    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, m")]

// Changes of the definition outside of its schemas.
var definitionChanges = []struct {
	name, before, after string
	want                []string
}{
	{"the scope", "scope: Namespaced", "scope: Cluster", []string{"breaks: scope definition spec.scope"}},
	{"a short name", ", shortNames: [w]", "", []string{"breaks: names definition spec.names.shortNames"}},
	{"a version is not served", "- name: v2\n    served: true", "- name: v2\n    served: false", []string{"breaks: v2 servedVersionRemoval definition"}},
	{"a subresource", ", scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}", "", []string{"breaks: v1 subresource definition subresources.scale"}},
	{"a field to select by", "selectableFields: [{jsonPath: .spec.a}]", "selectableFields: []", []string{"breaks: v1 selectableField definition selectableFields"}},
	{"a status subresource", "    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, m: {type: integer}}}}}}",
		"    subresources: {status: {}}\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, m: {type: integer}}}}}}",
		[]string{"breaks: v2 subresource definition subresources.status"}},
	{"the schemas of apiVersion, kind and metadata", "{type: object, properties: {spec: {type: object, properties: {a: {type: string}, m",
		"{type: object, properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, spec: {type: object, properties: {a: {type: string}, m", nil},
	{"a maxLength of the name", "{type: object, properties: {spec: {type: object, properties: {a: {type: string}, m",
		"{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 3}}}, spec: {type: object, properties: {a: {type: string}, m",
		[]string{"breaks: v2 maxLength metadata.name"}},
	{"a conversion webhook", "  versions:\n", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/convert'}}}\n  versions:\n",
		[]string{"unknown: v2 conversion"}},
	{"another version is stored, which has other fields", versionsChanged, strings.NewReplacer("storage: true", "storage: false", "storage: false", "storage: true").Replace(versionsChanged),
		[]string{"loses data: v1 existingFieldRemoval spec.size", "loses data: v1 existingFieldRemoval status status", "changes: v2 additionalProperties spec.m"}},
	{"descriptions", "type: object, properties: {spec", "type: object, description: x, properties: {spec", nil},
}

// Findings about the definition. Clauses: CMP-005, CMP-008.
func TestDefinition(t *testing.T) {
	text := definitionChanged
	for _, c := range definitionChanges {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, text, c.before)
			r := compared(t, given.Definition(t, text), given.Definition(t, strings.Replace(text, c.before, c.after, 1)), nil)
			require.Equal(t, c.want, lines(r), r.String())
		})
	}

	t.Run("a stored version is removed", func(t *testing.T) {
		old := given.Definition(t, text)
		new := given.Definition(t, text)
		new.Spec.Versions = new.Spec.Versions[1:]
		new.Spec.Versions[0].Storage = true
		r := compared(t, old, new, nil)
		require.Contains(t, lines(r), "breaks: v1 servedVersionRemoval definition")
		require.Contains(t, lines(r), "breaks: v1 storedVersionRemoval definition")
		require.Equal(t, compat.Breaks, r.Worst())
	})

	t.Run("a version that only one side serves", func(t *testing.T) {
		served := strings.Replace(text, "m: {type: integer}", "m: {type: string}", 1)
		unserved := strings.Replace(text, "- name: v2\n    served: true", "- name: v2\n    served: false", 1)
		r := compared(t, given.Definition(t, unserved), given.Definition(t, served), nil)
		require.Empty(t, lines(r))
		r = compared(t, given.Definition(t, served), given.Definition(t, unserved), nil)
		require.Equal(t, []string{"breaks: v2 servedVersionRemoval definition"}, lines(r))
	})
	t.Run("versions", func(t *testing.T) {
		r, err := compat.Versions(t.Context(), given.Definition(t, text), nil)
		require.NoError(t, err)
		require.Equal(t, []string{
			"loses data: v1 to v2 existingFieldRemoval spec.size", "loses data: v1 to v2 existingFieldRemoval update status",
			"loses data: v2 to v1 existingFieldRemoval spec.m",
		}, lines(r), r.String())
	})
}

// Versions with a converter lose only what the converter loses. Clauses: CMP-008.
func TestConvertedVersions(t *testing.T) {
	text := strings.Replace(definitionChanged, "  versions:\n",
		"  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/convert'}}}\n  versions:\n", 1)
	names := map[string]string{"example.com/v1": "size", "example.com/v2": "m"}
	renames := func(keeps bool) conversion.ConverterFunc {
		return func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
			for _, obj := range objects {
				from := names[obj["apiVersion"].(string)]
				obj["apiVersion"] = apiVersion
				if spec, ok := obj["spec"].(map[string]any); ok {
					if v, has := spec[from]; has && keeps {
						spec[names[apiVersion]] = v
					}
					delete(spec, from)
				}
				delete(obj, "status")
			}
			return objects, nil
		}
	}
	verdicts := func(c conversion.Converter) (found []string) {
		r, err := compat.Versions(t.Context(), given.Definition(t, text), &compat.Options{Converter: c})
		require.NoError(t, err)
		for _, f := range r.Findings {
			if f.Verdict != compat.Unknown {
				found = append(found, string(f.Verdict)+": "+f.Name())
			}
		}
		return found
	}
	require.Empty(t, verdicts(renames(true)))
	require.Equal(t, []string{"loses data: v1 to v2 object", "loses data: v2 to v1 object"}, verdicts(renames(false)))
}

// Clauses: CMP-006.
func TestOptions(t *testing.T) {
	old := definition(t, object(`a: {type: string}`))
	new := definition(t, object(`a: {type: string, x-kubernetes-validations: [{rule: "self.matches('^(a|.*[^q].*|q{0,7}|q{9,})$') || self.size() != 8"}]}`))

	// compare compares two definitions, with an existing object that has the given spec.
	compare := func(t *testing.T, old, new *crd.CustomResourceDefinition, spec string) *compat.Report {
		t.Helper()
		const head = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: x, namespace: default}, spec: "
		obj := given.Object(t, head+spec+"}")
		r := compared(t, old, new, &compat.Options{Objects: []map[string]any{obj}})
		holds(t, old, new, r)
		return r
	}
	t.Run("existing objects", func(t *testing.T) {
		r := compare(t, old, new, "{a: qqqqqqqq}")
		require.Equal(t, compat.Breaks, r.Worst(), r.String())
	})
	t.Run("existing objects are minimized", func(t *testing.T) {
		const items = "{type: array, items: {type: object, properties: {k: {type: string}, v: {type: string}}}}"
		old, new := definition(t, object("l: "+items+", o: {type: object, properties: {x: {type: integer}}}")), definition(t, object(
			"l: "+strings.Replace(items, "v: {type: string}", `v: {type: string, x-kubernetes-validations: [{rule: "self.matches('^(a|.*[^q].*|q{0,7}|q{9,})$') || self.size() != 8"}]}`, 1)+
				", o: {type: object, properties: {x: {type: integer}}}"))
		r := compare(t, old, new, "{l: [{k: '1', v: a}, {k: '2', v: qqqqqqqq}, {k: '3', v: b}, {k: '3', v: b}], o: {x: 1}}")
		i := slices.IndexFunc(r.Findings, func(f compat.Finding) bool { return f.Verdict == compat.Breaks && f.Request == "create" })
		require.GreaterOrEqual(t, i, 0, r.String())
		require.Equal(t, map[string]any{"l": []any{map[string]any{"v": "qqqqqqqq"}}}, r.Findings[i].Witness.Object["spec"], r.String())
	})
	t.Run("a required list is made empty", func(t *testing.T) {
		const spec = "{type: object, required: [l], properties: {l: {type: array, items: {type: string}}, a: {type: string%s}}}"
		old, new := definition(t, fmt.Sprintf(spec, "")), definition(t, fmt.Sprintf(spec, ", maxLength: 1"))
		r := compare(t, old, new, "{l: [x], a: long}")
		for _, f := range r.Findings {
			require.Equal(t, []any{}, f.Witness.Object["spec"].(map[string]any)["l"], "not null: %s", r)
		}
	})
	t.Run("no effort", func(t *testing.T) {
		r := compared(t, old, new, &compat.Options{Effort: 1})
		require.Equal(t, []string{"unknown: v1 rule spec.a"}, lines(r))
		r = compared(t, definition(t, object(`a: {type: string}, b: {type: string}`)),
			definition(t, object(`a: {type: string, maxLength: 1}, b: {type: string, maxLength: 1}`)), &compat.Options{Effort: 20})
		require.Equal(t, []string{"breaks: v1 maxLength spec.a", "unknown: v1 maxLength spec.b"}, lines(r))
		for _, fields := range [][2]string{
			{`a: {type: object}, b: {type: object}`, `a: {type: object, x-kubernetes-preserve-unknown-fields: true},
				b: {type: object, x-kubernetes-preserve-unknown-fields: true}`},
			{`a: {type: string}, b: {type: string}`, `a: {type: string, nullable: true}, b: {type: string, nullable: true}`},
		} {
			old, new := definition(t, object(fields[0])), definition(t, object(fields[1]))
			r = compared(t, old, new, &compat.Options{Effort: 1})
			require.Len(t, r.Findings, 2)
			require.Equal(t, "There was no effort left.", r.Findings[1].Detail, r.String())
		}
	})
	t.Run("harmless", func(t *testing.T) {
		r := compared(t, definition(t, object(`a: {type: string, maxLength: 5}`)),
			definition(t, object(`a: {type: string, allOf: [{maxLength: 5}]}`)), &compat.Options{Harmless: true})
		require.Equal(t, []string{"harmless: v1 schema spec.a"}, lines(r))
	})
	t.Run("nothing to compare", func(t *testing.T) {
		_, err := compat.Compare(t.Context(), nil, old, nil)
		require.EqualError(t, err, "compat: a definition is missing")
		_, err = compat.Versions(t.Context(), nil, nil)
		require.EqualError(t, err, "compat: a definition is missing")
		_, err = compat.Compare(t.Context(), &crd.CustomResourceDefinition{}, old, nil)
		require.ErrorContains(t, err, "compat: the old definition: ")
	})
	t.Run("an ended context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := compat.Compare(ctx, old, new, nil)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// Rules that a server refuses are compared as text, in addition to the finding about the refusal.
func TestInvalidRules(t *testing.T) {
	for _, rule := range []string{"has(self)", "has(1)", "self.all(x, has(x))", "has(self.a, self.b)", "self.map", "[].all()"} {
		without := definition(t, object("a: {type: string}"))
		with := definition(t, fmt.Sprintf(`{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: %q}]}`, rule))
		compare := func(old *crd.CustomResourceDefinition) []string {
			r := compared(t, old, with, nil)
			holds(t, old, with, r)
			return slices.DeleteFunc(lines(r), func(line string) bool { return strings.Contains(line, " definition ") })
		}
		require.Empty(t, compare(with), rule)
		require.Equal(t, []string{"breaks: v1 rule spec", "breaks: v1 rule update spec"}, compare(without), rule)
	}
}

// For a rule about a field that both sides require, the field is never absent.
func TestRuleAboutRequiredField(t *testing.T) {
	const spec = "{type: object, required: [a], properties: {a: {type: object}}}"
	const ruled = `{type: object, required: [a], x-kubernetes-validations: [{rule: "!has(self.a)"}], properties: {a: {type: object}}}`
	old, new := definition(t, spec), definition(t, ruled)
	r := compared(t, old, new, nil)
	require.Equal(t, compat.Breaks, r.Worst(), r.String())
	holds(t, old, new, r)
}

// A default of the root has no effect, since objects are never null.
func TestRootDefault(t *testing.T) {
	text := definitionText("{type: object}")
	old := given.Definition(t, text)
	new := given.Definition(t, strings.Replace(text, "        type: object\n", "        type: object\n        default: {spec: {}}\n", 1))
	for _, sides := range [][2]*crd.CustomResourceDefinition{{old, new}, {new, old}} {
		r := compared(t, sides[0], sides[1], nil)
		holds(t, sides[0], sides[1], r)
	}
}
