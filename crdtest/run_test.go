package crdtest

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/registry"
)

const base = `
apiVersion: demo.example.com/v1
kind: Widget
spec: {size: 3, name: a}`

// before is the definition of widgets as it was when sizes had no bound and colors were other ones.
var before = given.Head("Namespaced", "widgets.demo.example.com", "Widget") + `
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      name: {type: string}, size: {type: integer}, color: {type: string, default: blue}}}}}}}
`

type widget struct {
	Spec struct {
		Name string `json:"name"`
		Size uint8  `json:"size,omitempty"`
	} `json:"spec"`
}

func TestRun(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	s.Accepted(t)
	typed := &widget{}
	typed.Spec.Name, typed.Spec.Size = "a", 4
	s.Run(t, []Case{
		{Name: "defaults, and a part of what is stored: ECT-006, ECT-009", Object: base, Want: `spec: {color: red}`},
		{Name: "all that is stored: ECT-009", Object: base, Want: `spec: {color: red, name: a, size: 3}`, WantExact: true},
		{Name: "a bound by a merge patch: ECT-008", Base: base, Patch: `spec: {size: 11}`, Errs: []Match{Invalid("spec.size", "less than or equal to 10")}},
		{Name: "and by a JSON patch: ECT-008", Base: base, Patch: `[{op: remove, path: /spec/name}]`, Errs: []Match{Required("spec.name")}},
		{Name: "an unknown field is dropped: ECT-011", Base: base, Patch: `spec: {sise: 1}`, Pruned: []string{"spec.sise"}},
		{Name: "a transition rule: ECT-007, ECT-010", Old: base, Patch: `spec: {name: b}`, Errs: []Match{RuleFails("spec.name", "self == oldSelf")}},
		{Name: "a rule by its place: ECT-010", Base: base, Patch: `spec: {size: 0, parts: [{id: 1}]}`,
			Errs: []Match{RuleFails("spec", "spec.x-kubernetes-validations[0]")}},
		{Name: "what was stored under another definition may stay: ECT-007", OldCRD: before, Old: `{kind: Widget, spec: {name: a, size: 99}}`,
			Patch: `spec: {name: a, color: red}`, Want: `spec: {size: 99, color: red}`},
		{Name: "but nothing new may be wrong: ECT-007", OldCRD: []byte(before), Old: `{kind: Widget, spec: {name: a, size: 99}}`,
			Patch: `spec: {color: blue, size: 98}`, Errs: []Match{Invalid("spec.size")}},
		{Name: "a struct: ECT-005", Object: typed, Want: map[string]any{"spec": map[string]any{"size": 4}}},
		{Name: "JSON: ECT-005", Object: json.RawMessage(`{"spec": {"name": "a"}}`)},
		{Name: "bytes: ECT-005", Object: []byte(base)},
		{Name: "the version: ECT-006", Version: "v1alpha1", Object: `spec: {anything: goes}`, Warnings: []string{"demo.example.com/v1alpha1 Widget is deprecated; use demo.example.com/v1 Widget"}},
		{Name: "no warnings: ECT-011", Object: base, Warnings: []string{}},
		{Name: "the status: ECT-007", Old: base, Object: `{spec: {size: 99}, status: {phase: Up}}`, Subresource: "status", Want: `{spec: {size: 3}, status: {phase: Up}}`},
		{Name: "a status that is wrong: ECT-007", Old: base, Object: `status: {phase: Sideways}`, Subresource: "status", Errs: []Match{NotSupported("status.phase")}},
		{Name: "the scale: ECT-007", Old: base, Object: `spec: {replicas: 7}`, Subresource: "scale", Want: `spec: {size: 7}`},
		{Name: "a scale that is wrong: ECT-007", Old: base, Object: `spec: {replicas: -1}`, Subresource: "scale", Errs: []Match{Invalid("spec.size", "greater than"), Invalid(".spec.size")}},
		{Name: "the same item twice: ECT-010", Base: base, Patch: `spec: {parts: [{id: 1}, {id: 1}]}`, Errs: []Match{Duplicate("spec.parts[1]")}},
		{Name: "a rule by its message: ECT-010", Base: base, Patch: `spec: {size: 0, parts: [{id: 1}]}`, Errs: []Match{RuleFails("spec", "too many parts")}},
		{Name: "paths with a dot in front: ECT-010", Base: base, Patch: `spec: {size: 11, sise: 1}`, Errs: []Match{Invalid(".spec.size")}, Pruned: []string{".spec.sise"}},
		{Name: "other types of errors: ECT-010", Base: base, Patch: `spec: {color: no, name: 1, parts: [{id: 1, label: 123456789}, {id: 2, label: "123456789"}]}`,
			Errs: []Match{TypeInvalid("spec.name"), {Type: "FieldValueTypeInvalid", Path: "spec.color"}, NotSupported("spec.color"), TooLong("spec.parts[1].label"), TypeInvalid("spec.parts[0].label", "must be of type string")}},
		{Name: "too many: ECT-010", Base: base, Patch: `spec: {size: 9, parts: [{id: 1}, {id: 2}, {id: 3}, {id: 4}, {id: 5}, {id: 6}]}`, Errs: []Match{TooMany("spec.parts")}},
		{Name: "a forbidden change: ECT-010", Old: `{metadata: {deletionTimestamp: "2020-01-01T00:00:00Z", finalizers: [a.io/b]}, spec: {name: a}}`,
			Patch: `metadata: {finalizers: [a.io/b, a.io/c]}`, Errs: []Match{Forbidden("metadata.finalizers", "being deleted"), Forbidden("metadata.finalizers")}},
		{Name: "a refusal that is no list of errors: ECT-010", Base: base, Old: `{metadata: {name: one}, spec: {name: a}}`, Patch: `{metadata: {name: other}, spec: {name: a}}`,
			Errs: []Match{{Type: "BadRequest", Detail: "does not match the name on the URL"}}},
		{Name: "two errors that fit one match, which fits only one: ECT-010", Base: base, Patch: `spec: {size: 11, name: A}`,
			Errs: []Match{{}, Invalid("spec.size")}},
	})
}

// ECT-012: what people read when a test fails.
func TestFailures(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	for _, c := range []struct {
		name string
		c    Case
		want string
	}{{
		name: "errors",
		c:    Case{Base: base, Patch: `spec: {size: 11, name: null}`, Errs: []Match{Invalid("spec.size", "less than or equal to 10"), Duplicate("spec.parts[0]"), RuleFails("spec", "x > 1")}},
		want: `create Widget demo.example.com/v1: errors differ (-want +got)
    - Duplicate spec.parts[0]
    - an error spec of the rule ~"x > 1"
        rules were not evaluated, because of the other errors
    + Required spec.name
      Invalid spec.size: spec.size in body should be less than or equal to 10
    object after defaulting and pruning:
        apiVersion: demo.example.com/v1
        kind: Widget
        metadata:
          generation: 1
          name: test
          namespace: default
      > spec:
          color: red  # default
      >   size: 11
`,
	}, {
		name: "a rule",
		c:    Case{Base: base, Patch: `spec: {size: 0, parts: [{id: 1}]}`},
		want: `create Widget demo.example.com/v1: errors differ (-want +got)
    + Invalid spec: too many parts
        by the rule spec.x-kubernetes-validations[0]: !has(self.parts) || self.parts.size() <= self.size
    object after defaulting and pruning:
        apiVersion: demo.example.com/v1
        kind: Widget
        metadata:
          generation: 1
          name: test
          namespace: default
      > spec:
          color: red  # default
          name: a
          parts:
            - id: 1
          size: 0
`,
	}, {
		name: "what is stored, what is dropped, and warnings",
		c:    Case{Old: base, Patch: `spec: {sise: 1, size: 4}`, Want: `{spec: {color: green, other: [1], parts: 1}}`, Warnings: []string{"beware"}},
		want: `update Widget demo.example.com/v1: the answer differs (-want +got)
    - spec.color: "green"
    + spec.color: "red"
    - spec.other: [1]
    - spec.parts: 1
    and the dropped fields differ (-want +got)
    + spec.sise
    and the warnings differ (-want +got)
    - beware
    object after defaulting and pruning:
        apiVersion: demo.example.com/v1
        kind: Widget
        metadata:
          generation: 2
          name: test
          namespace: default
        spec:
          color: red  # default
          name: a
          size: 4
`,
	}} {
		t.Run(c.name, func(t *testing.T) {
			for range 3 { // the same bytes each time
				got, err := s.try(context.Background(), &c.c)
				require.NoError(t, err)
				require.Equal(t, c.want, got)
			}
		})
	}

	exact, err := s.try(t.Context(), &Case{Object: base, Want: `spec: {name: a, size: 3}`, WantExact: true})
	require.NoError(t, err)
	require.Contains(t, exact, "    + spec.color: \"red\"\n", "ECT-009: a field too many")
}

// ECT-009: a Go struct cannot leave out an object; what is absent matches an empty one, unless all of it is wanted.
func TestTypedWant(t *testing.T) {
	type part struct {
		ID    int       `json:"id"`
		Extra struct{}  `json:"extra"`
		When  time.Time `json:"when,omitzero"`
	}
	type full struct {
		Metadata struct {
			CreationTimestamp *time.Time `json:"creationTimestamp"`
			Labels            struct {
				None struct{} `json:"none"`
			} `json:"labels"`
		} `json:"metadata"`
		Spec struct {
			Name  string `json:"name"`
			Parts []part `json:"parts,omitempty"`
		} `json:"spec"`
		Status struct {
			Phase string `json:"phase,omitempty"`
		} `json:"status"`
	}
	s := Load(t, "testdata/widgets.yaml")
	want := full{}
	want.Spec.Name, want.Spec.Parts = "a", []part{{ID: 1}}
	const object = `{kind: Widget, spec: {name: a, parts: [{id: 1}]}}`
	s.Run(t, []Case{
		{Name: "value", Object: object, Want: want},
		{Name: "pointer", Object: object, Want: &want},
	})
	fails := func(c Case, lines string) {
		t.Helper()
		text, err := s.try(t.Context(), &c)
		require.NoError(t, err)
		require.Contains(t, text, lines)
	}
	fails(Case{Object: object, Want: want, WantExact: true}, "    - status: {}\n")
	fails(Case{Object: object, Want: `{status: {}}`}, "    - status: {}\n")
	fails(Case{Object: object, Want: map[string]any{"status": map[string]any{}}}, "    - status: {}\n")
	want.Status.Phase = "Up"
	fails(Case{Object: object, Want: want}, "    - status: {phase: \"Up\"}\n")
	want = full{}
	fails(Case{Object: object, Want: want}, "    - spec.name: \"\"\n")
}

// ECT-012: why a match about a rule finds no error.
func TestHints(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	for _, c := range []struct {
		name string
		c    Case
		want string
	}{
		{"no such rule", Case{Object: base, Errs: []Match{RuleFails(".spec.name", "self != oldSelf")}},
			"no rule of v1 has that in its text or its message; there is spec.name.x-kubernetes-validations[0]: self == oldSelf"},
		{"no such rule, none there", Case{Object: base, Errs: []Match{RuleFails("spec.size", "x")}}, "no rule of v1 has that in its text or its message\n"},
		{"it holds", Case{Object: base, Errs: []Match{RuleFails("spec", "parts.size()")}}, "the rule spec.x-kubernetes-validations[0] does not fail for this object"},
		{"by its message", Case{Object: base, Errs: []Match{RuleFails("spec", "too many")}}, "the rule spec.x-kubernetes-validations[0] does not fail for this object"},
		{"a transition rule", Case{Object: base, Errs: []Match{RuleFails("spec.name", "oldSelf")}}, "the rule spec.name.x-kubernetes-validations[0] needs an old object: set Old"},
		{"another path", Case{Old: base, Patch: `spec: {name: b}`, Errs: []Match{RuleFails("spec", "oldSelf")}},
			"the rule spec.name.x-kubernetes-validations[0] fails, but as Invalid spec.name: the name is immutable"},
		{"other errors", Case{Object: `kind: Widget`, Errs: []Match{RuleFails("spec", "parts")}}, "rules were not evaluated, because of the other errors"},
	} {
		text, err := s.try(t.Context(), &c.c)
		require.NoError(t, err)
		require.Contains(t, text, c.want, c.name)
	}
}

// An error that says that rules were not evaluated can be told from the others.
func TestRulesSkipped(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	v, _, err := s.definitions[0].version("v1")
	require.NoError(t, err)
	result := v.Create(t.Context(), map[string]any{"apiVersion": "demo.example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "b"}})
	var skipped []string
	for _, e := range result.Errors {
		if e.RulesSkipped() {
			skipped = append(skipped, e.Error())
		}
	}
	require.Len(t, result.Errors, 2)
	require.Equal(t, []string{"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; " +
		"correct the existing errors to complete validation"}, skipped)
	require.False(t, (*field.Error)(nil).RulesSkipped())
}

// ECT-005, ECT-006: what is no case at all names the field.
func TestWrongCases(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	for _, c := range []struct {
		c    Case
		want string
	}{
		{Case{}, "Object: set Object, Base or Old"},
		{Case{Object: "spec: {name: a", Name: "x"}, "Object: unstructured: "},
		{Case{Object: "a: 1\na: 2"}, "Object: yaml: unmarshal errors:"},
		{Case{Object: 1}, "Object: unstructured: a value of type int encodes as a number, not as an object"},
		{Case{Object: base, Patch: "a: 1"}, "Object: it cannot be set together with Base or Patch"},
		{Case{Base: base, Patch: "[{op: remove, path: /nothing}]"}, "Patch: "},
		{Case{Base: base, Patch: "a: [", Old: base}, "Patch: "},
		{Case{Base: "a: ["}, "Base: "},
		{Case{Old: "a: [", Object: base}, "Old: "},
		{Case{Object: base, Want: "a: ["}, "Want: "},
		{Case{Object: base, Subresource: "status"}, "Old: the status of an object can only be updated: set the stored object"},
		{Case{Object: base, Old: base, Subresource: "logs"}, `Subresource: "logs" is neither status nor scale`},
		{Case{Object: base, OldCRD: before}, "OldCRD: it needs Old, which is not set"},
		{Case{Object: base, Old: `{kind: Widget, spec: {size: many}}`, OldCRD: before}, "OldCRD: the old object is not valid under it: "},
		{Case{Object: base, Old: base, OldCRD: 1}, "OldCRD: a value of type int is neither the name of a file nor a manifest nor a *Set"},
		{Case{Object: base, Old: base, OldCRD: "testdata/nothing.yaml"}, "OldCRD: stat testdata/nothing.yaml: "},
		{Case{Object: "kind: Gadget"}, "no definition has the kind Gadget: the kinds are Widget"},
		{Case{Object: "{kind: Widget, apiVersion: other.example.com/v1}"}, "no definition has the kind Widget in the group other.example.com: the definitions are widgets.demo.example.com"},
		{Case{Object: "{kind: Widget, apiVersion: demo.example.com/v7}"}, "widgets.demo.example.com has no version v7, but v1, v1alpha1"},
	} {
		_, err := s.try(t.Context(), &c.c)
		require.ErrorContains(t, err, c.want)
	}
}

// ECT-012: the line of a case.
func TestCaseLine(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	data := given.File(t, file)
	line := 1 + strings.Count(string(data[:strings.Index(string(data), `Name: "a struct: ECT-005"`)]), "\n")
	require.Equal(t, "run_test.go:"+strconv.Itoa(line)+": ", caseLine(file, "a struct: ECT-005"))
	require.Empty(t, caseLine(file, "no such"+" name"))
	require.Empty(t, caseLine("nothing.go", "a"))
	require.Empty(t, caseLine(file, ""))
}

// ECT-004: one set for parallel tests.
func TestParallel(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			s.Run(t, []Case{{Name: "good", Object: base}, {Name: "bad", Base: base, Patch: `spec: {size: 11}`, Errs: []Match{Invalid("spec.size")}}})
			s.Coverage()
		})
	}
}

// ECT-001: what can be loaded, and the errors for everything else.
func TestLoad(t *testing.T) {
	widgets := given.File(t, "testdata/widgets.yaml")
	s := Load(t, "testdata/widgets.yaml", "testdata/*.yaml")
	require.Equal(t, []string{"widgets.demo.example.com"}, s.names())

	files := fstest.MapFS{"crds/a.yaml": {Data: widgets}, "b.yaml": {Data: widgets}, "helm.yaml": {Data: []byte("# x\n{{- if .Values.crds }}\nkind: A\n{{ end }}")},
		"none.yaml": {Data: []byte("apiVersion: v1\nkind: ConfigMap\n")}, "bad.yaml": {Data: []byte("a: 1\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: 1")}}
	require.Equal(t, []string{"widgets.demo.example.com"}, LoadFS(t, files, "crds/*.yaml").names())
	list := Parse(t, `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b"}, "spec": {}}]}`)
	require.Equal(t, []string{"a.b"}, list.names())

	require.Equal(t, []string{"widgets.demo.example.com"}, LoadFS(t, files, "crds").names(), "a directory")
	require.Equal(t, []string{"widgets.demo.example.com"}, Load(t, "testdata").names(), "a directory")
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"crds/a.yaml", "b.yaml"}, "b.yaml:5: two definitions are called widgets.demo.example.com: the other one is at crds/a.yaml:5"},
		{[]string{"helm.yaml"}, "helm.yaml:2: {{ begins a template, of Helm for example, which is not YAML"},
		{[]string{"none.yaml"}, "no CustomResourceDefinition in none.yaml, which has 1 other documents"},
		{[]string{"bad.yaml"}, "bad.yaml:1: crd: "},
		{[]string{"gone.yaml"}, "gone.yaml: file does not exist"},
	} {
		_, err := newSet(registry.LoadFS(files, c.names...))
		require.ErrorContains(t, err, c.want)
	}
	_, err := Open("testdata/nothing*.yaml")
	require.ErrorContains(t, err, "no file matches testdata/nothing*.yaml")
	_, err = Open("[")
	require.ErrorContains(t, err, "syntax error in pattern")
}
