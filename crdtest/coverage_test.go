package crdtest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder takes what a test would say.
type recorder struct {
	testing.TB
	errors, logs []string
	contexts     []context.Context // which the calls of Context return, one after the other; then the background
}

// fatal is what a recorder panics with where a test would end.
type fatal string

func (r *recorder) Context() context.Context {
	if len(r.contexts) == 0 {
		return context.Background()
	}
	ctx := r.contexts[0]
	r.contexts = r.contexts[1:]
	return ctx
}

func (r *recorder) Helper()                   {}
func (r *recorder) Fatalf(f string, a ...any) { panic(fatal(sprintf(f, a...))) }
func (r *recorder) Error(args ...any)         { r.errors = append(r.errors, sprint(args...)) }
func (r *recorder) Log(args ...any)           { r.logs = append(r.logs, sprint(args...)) }
func (r *recorder) Errorf(f string, a ...any) { r.errors = append(r.errors, sprintf(f, a...)) }
func (r *recorder) Logf(f string, a ...any)   { r.logs = append(r.logs, sprintf(f, a...)) }

func run(t *testing.T, s *Set, c Case) {
	_, err := s.try(t.Context(), &c)
	require.NoError(t, err)
}

func row(t *testing.T, r Report, name string) Row {
	i := slices.IndexFunc(r.Rows, func(r Row) bool { return r.name() == name })
	require.GreaterOrEqual(t, i, 0, "%s is not in the report", name)
	return r.Rows[i]
}

// ECT-015: what counts as seen.
func TestCoverage(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	r := s.Coverage()
	var names []string
	for _, row := range r.Rows {
		names = append(names, row.name())
		require.Equal(t, "widgets.demo.example.com", row.Definition)
		require.Equal(t, "v1", row.Version)
		require.False(t, row.Covered())
	}
	require.Equal(t, []string{
		"spec: required", "spec.name: required", `spec.color: enum "red", "green"`, `spec.name: pattern "^[a-z]+$"`, "spec.parts: maxItems 5",
		"spec.parts: listType map of [id]", "spec.parts[*].id: required", "spec.parts[*].label: maxLength 8", "spec.size: minimum 0",
		"spec.size: maximum 10", `status.phase: enum "Up", "Down"`,
		"spec: rule !has(self.parts) || self.parts.size() <= self.size", "spec.name: rule self == oldSelf",
	}, names)
	require.Zero(t, r.Share())

	run(t, s, Case{Base: base, Patch: `spec: {size: 11}`})
	require.Equal(t, 1, row(t, s.Coverage(), "spec.size: maximum 10").Failures)
	require.True(t, row(t, s.Coverage(), "spec.size: maximum 10").Covered())

	const parts, immutable = "spec: rule !has(self.parts) || self.parts.size() <= self.size", "spec.name: rule self == oldSelf"
	run(t, s, Case{Base: base, Patch: `spec: {parts: [{id: 1, label: "123456789"}], size: 0}`})
	require.Zero(t, row(t, s.Coverage(), parts).Failures, "rules are not looked at behind such an error")
	run(t, s, Case{Base: base, Patch: `spec: {parts: [{id: 1}], size: 0}`})
	require.Equal(t, 1, row(t, s.Coverage(), parts).Failures)
	require.True(t, row(t, s.Coverage(), parts).Covered(), "it was true for the object with the large size")
	require.Positive(t, row(t, s.Coverage(), parts).Cost)

	require.Zero(t, row(t, s.Coverage(), immutable).Passes, "nothing was updated")
	run(t, s, Case{Old: base, Patch: `spec: {size: 4}`})
	require.Equal(t, 1, row(t, s.Coverage(), immutable).Passes)
	require.Contains(t, s.Coverage().String(), "    "+immutable+": no test breaks this rule\n")
	run(t, s, Case{Old: base, Patch: `spec: {name: b}`})
	require.True(t, row(t, s.Coverage(), immutable).Covered())

	run(t, s, Case{Old: base, Object: `status: {phase: x}`, Subresource: "status"})
	require.True(t, row(t, s.Coverage(), `status.phase: enum "Up", "Down"`).Covered())
	require.Equal(t, 1.0, Report{}.Share())
	_, err := json.Marshal(s.Coverage())
	require.NoError(t, err)
}

// ECT-015, ECT-019: what is missing comes with an object that would do.
func TestRequireCoverage(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	run(t, s, Case{Base: base, Patch: `spec: {size: 11}`})
	r := &recorder{TB: t}
	s.RequireCoverage(r, 0.05)
	require.Empty(t, r.errors)
	s.RequireCoverage(r, 1)
	require.Len(t, r.errors, 1)
	for _, want := range []string{
		"crdtest: 7.7% covered, 1 of 13 constraints and rules\n  widgets.demo.example.com v1\n    spec: required: no test violates this\n",
		"    spec: rule !has(self.parts) || self.parts.size() <= self.size: no test breaks this rule\n",
		"    spec.name: rule self == oldSelf: no test meets this rule\n",
		"coverage is below 100.0%",
		"for v1 spec.name: required:\n    apiVersion: demo.example.com/v1\n    kind: Widget\n    metadata:\n      name: sample\n      namespace: default\n  > spec: {}\n",
	} {
		require.Contains(t, r.errors[0], want)
	}
}

// ECT-015: what Main prints and writes.
func TestSummarize(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	run(t, s, Case{Base: base, Patch: `spec: {size: 11}`})
	var out strings.Builder
	file := filepath.Join(t.TempDir(), "cover.json")
	require.NoError(t, summarize(&out, file, []*Set{s, Load(t, "testdata/widgets.yaml")}))
	require.True(t, strings.HasPrefix(out.String(), "crdtest: 3.8% covered, 1 of 26 constraints and rules\n"), out.String())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var report Report
	require.NoError(t, json.Unmarshal(data, &report))
	require.Len(t, report.Rows, 26)
	require.Equal(t, 1, row(t, report, "spec.size: maximum 10").Failures)
	require.Error(t, summarize(&out, filepath.Join(file, "x"), nil))
}

// ECT-019: samples are valid, and each of the others is refused for what it breaks.
func TestSample(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	samples := s.Sample(t, "Widget", "")
	require.Equal(t, []string{"spec.size: minimum 0"}, samples.Missing, "the scale has a word to say about -1, too")
	require.Equal(t, map[string]any{"name": "a"}, samples.Minimal["spec"])
	require.Contains(t, samples.Full, "status")
	d := s.definitions[0]
	for _, obj := range []map[string]any{samples.Minimal, samples.Full} {
		require.NoError(t, d.judge(t.Context(), "v1", obj))
	}
	var names []string
	for _, b := range samples.Broken {
		names = append(names, b.Breaks)
		require.Len(t, b.Errors, 1, b.Breaks)
		require.Equal(t, strings.Contains(b.Breaks, "oldSelf"), b.Old != nil, b.Breaks)
	}
	require.Len(t, names, len(s.Coverage().Rows)-1)
	require.NotNil(t, s.Sample(t, "", "v1alpha1").Minimal, "a version without a schema to speak of")

	s = Parse(t, `{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: things.example.com},
		spec: {group: example.com, version: v1, names: {kind: Thing, plural: things}}}`)
	samples = s.Sample(t, "", "")
	require.NotNil(t, samples.Minimal, "no schema at all")
	require.Empty(t, samples.Broken)
	s.Run(t, []Case{{Name: "anything goes", Object: `spec: {a: 1}`, Want: `spec: {a: 1}`}})
	require.Empty(t, s.Coverage().Rows)
}

// ECT-019: what ends a test that asks for samples.
func TestSampleFails(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		kind, version string
		contexts      []context.Context
		want          string
	}{
		{"Gadget", "", nil, `crdtest: no definition of the kind Gadget in the group "": there are widgets.demo.example.com`},
		{"Widget", "v9", nil, "crdtest: widgets.demo.example.com has no version v9, but v1, v1alpha1"},
		{"Widget", "v1", []context.Context{ended},
			"crdtest: no valid object of widgets.demo.example.com was found: Internal error occurred: context canceled"},
		{"Widget", "v1", []context.Context{t.Context(), ended}, "crdtest: context canceled"},
	} {
		require.PanicsWithValue(t, fatal(tt.want), func() { s.Sample(&recorder{TB: t, contexts: tt.contexts}, tt.kind, tt.version) })
	}
}

// ECT-002: what a server would refuse, by line.
func TestAccepted(t *testing.T) {
	r := &recorder{TB: t}
	Load(t, "testdata/widgets.yaml").Accepted(r)
	require.Empty(t, r.errors)

	const things = `# a comment
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - name: Size
      type: huge
      jsonPath: .spec.size
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size:
                type: integer
                default: "3"
              text:
                type: string
                reedOnly: true
                x-kubernetes-validations:
                - rule: self.size() > 0
                - rule: self.sise() > 0
              list:
                type: array
`
	r = &recorder{TB: t}
	Parse(t, things).Accepted(r)
	structural := strings.Replace(things, "type: array", "type: string", 1)
	Parse(t, structural).Accepted(r) // with a structure, more is looked at, and the rules when all else is right
	Parse(t, strings.Replace(structural, `default: "3"`, "default: 3", 1)).Accepted(r)
	all := strings.Join(r.errors, "\n")
	for _, want := range []string{
		"line 17: things.example.com: spec.additionalPrinterColumns[0].type: ",
		"line 28: things.example.com: spec.validation.openAPIV3Schema.properties[spec].properties[size].default: ",
		"line 34: things.example.com: spec.validation.openAPIV3Schema.properties[spec].properties[text].x-kubernetes-validations[1].rule: ",
		"line 35: things.example.com: spec.validation.openAPIV3Schema.properties[spec].properties[list].items: Required value",
		`line 3: things.example.com: strict decoding error: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.text.reedOnly"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}

// ECT-003: an update, and what becomes of objects.
func TestAcceptedUpdate(t *testing.T) {
	s, old := Load(t, "testdata/widgets.yaml"), Parse(t, before)
	r := &recorder{TB: t}
	s.AcceptedUpdate(r, old)
	require.Empty(t, r.errors)
	require.Len(t, r.logs, 2)
	require.Contains(t, r.logs[0], "widgets.demo.example.com: version v1: the minimal sample of the old definition is refused: ")
	s.AcceptedUpdate(r, s)
	require.Equal(t, "widgets.demo.example.com: version v1: the samples of the old definition are accepted", r.logs[2])

	r = &recorder{TB: t}
	Parse(t, strings.Replace(before, "name: v1", "name: v2", 1)).AcceptedUpdate(r, old)
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "status.storedVersions[0]: Invalid value")
	require.Equal(t, []string{"widgets.demo.example.com: version v1: widgets.demo.example.com has no version v1, but v2"}, r.logs)
	r = &recorder{TB: t}
	Parse(t, strings.Replace(before, "scope: Namespaced", "scope: Nowhere", 1)).AcceptedUpdate(r, Parse(t, strings.ReplaceAll(before, "widgets", "others")))
	require.NotEmpty(t, r.errors, "a new definition is judged as one")
}

// ECT-016: what a fuzzer starts from, and that it finds nothing.
func FuzzWidget(f *testing.F) {
	s, err := Open("testdata/widgets.yaml")
	require.NoError(f, err)
	Fuzz(f, s, "Widget")
}
