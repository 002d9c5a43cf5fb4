package crdtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// recorder takes what a test would say.
type recorder struct {
	testing.TB
	errors, logs []string
	context      context.Context // nil: the background
}

// fatal is what a recorder panics with where a test would end.
type fatal string

func (r *recorder) Context() context.Context {
	if r.context == nil {
		return context.Background()
	}
	return r.context
}

// An endingContext ends after some calls of Err.
type endingContext struct {
	context.Context
	calls int
}

func (c *endingContext) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

func (r *recorder) Helper()                   {}
func (r *recorder) Fatalf(f string, a ...any) { panic(fatal(fmt.Sprintf(f, a...))) }
func (r *recorder) Error(args ...any)         { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Log(args ...any)           { r.logs = append(r.logs, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, a ...any) { r.errors = append(r.errors, fmt.Sprintf(f, a...)) }
func (r *recorder) Logf(f string, a ...any)   { r.logs = append(r.logs, fmt.Sprintf(f, a...)) }

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
	given.JSON(t, s.Coverage()) // it has a JSON form
}

// A rule whose message reads like a server's text about a bound does not count as a violation of that.
func TestCoverageOfRules(t *testing.T) {
	const schema = `{type: object, properties: {name: {type: string, minLength: 3, x-kubernetes-validations: [
		{rule: "self.startsWith('a')", message: name in body should be at least 6 chars long}]}}}`
	s := Parse(t, given.Kind("Cluster", "things.example.com", "Thing", schema))
	object := func(name string) string {
		return `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, name: ` + name + `}`
	}
	run(t, s, Case{Object: object("bbb")})
	require.Zero(t, row(t, s.Coverage(), "name: minLength 3").Failures)
	require.Equal(t, 1, row(t, s.Coverage(), "name: rule self.startsWith('a')").Failures)
	run(t, s, Case{Object: object("aa")})
	require.Equal(t, 1, row(t, s.Coverage(), "name: minLength 3").Failures)
}

// ECT-015, ECT-019: what is missing comes with an object that would do.
func TestRequireCoverage(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	run(t, s, Case{Base: base, Patch: `spec: {size: 11}`})
	r := &recorder{TB: t}
	s.requireCoverage(r, 0.05, nil, false)
	require.Empty(t, r.errors)
	s.requireCoverage(r, 1, nil, false)
	require.Len(t, r.errors, 1)
	require.Equal(t, 1, strings.Count(r.errors[0], "\n\nfor v1 "), "one object")
	for _, want := range []string{
		"crdtest: 7.7% covered, 1 of 13 constraints and rules\n  widgets.demo.example.com v1\n    spec: required: no test violates this\n",
		"    spec: rule !has(self.parts) || self.parts.size() <= self.size: no test breaks this rule\n",
		"    spec.name: rule self == oldSelf: no test meets this rule\n",
		"coverage is below 100.0%",
		"for v1 spec: required:\n    apiVersion: demo.example.com/v1\n    kind: Widget\n    metadata:\n      name: sample\n      namespace: default\n",
	} {
		require.Contains(t, r.errors[0], want)
	}
}

// ECT-015: a run of some tests cannot cover all.
func TestPartialRun(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	r := &recorder{TB: t}
	s.requireCoverage(r, 1, nil, true)
	require.Empty(t, r.errors)
	require.Len(t, r.logs, 1)
	require.Contains(t, r.logs[0], "coverage is below 100.0%, which fails in a run of all tests only")

	for args, want := range map[string]bool{
		"": false, "-test.run=.": false, "-test.run=Foo": true, "-test.skip=Foo": true, "-test.run=^TestA$ -test.skip=": true,
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.String("test.run", "", "")
		flags.String("test.skip", "", "")
		require.NoError(t, flags.Parse(strings.Fields(args)))
		require.Equal(t, want, partialRun(flags), args)
	}
	require.False(t, partialRun(flag.NewFlagSet("", flag.ContinueOnError)))
}

// ECT-015: what counts can be chosen, and what is chosen has to be there.
func TestScope(t *testing.T) {
	s := Parse(t, several("Gadget.a.example.com", "Doodad.a.example.com", "Gadget.b.example.com"))
	count := func(scopes ...Scope) int { return len(s.Coverage().Only(scopes...).Rows) }
	require.Equal(t, 3, count())
	require.Equal(t, 3, count(Scope{}))
	require.Equal(t, 2, count(Scope{Kinds: []string{"Gadget"}}))
	require.Equal(t, 1, count(Scope{Kinds: []string{"Gadget.b.example.com"}}))
	require.Equal(t, 2, count(Scope{Kinds: []string{"Gadget.b.example.com"}}, Scope{Kinds: []string{"Doodad"}}))

	s = Load(t, "testdata/widgets.yaml")
	require.Equal(t, 13, count())
	require.Equal(t, 2, count(Scope{RulesOnly: true}))
	require.Equal(t, 1, count(Scope{RulesOnly: true, Paths: []string{"spec.name"}}))
	require.Equal(t, 1, count(Scope{Paths: []string{".status"}}))
	require.Equal(t, 4, count(Scope{Paths: []string{"spec.parts"}}), "and what is below")
	require.Equal(t, 2, count(Scope{Paths: []string{"spec.parts[0]"}}))
	require.Equal(t, 9, count(Scope{Paths: []string{"spec"}, Except: []string{"spec.size", "spec.name: required"}}))
	require.Equal(t, 13, count(Scope{Versions: []string{"v1"}}))

	r := &recorder{TB: t}
	run(t, s, Case{Base: base, Patch: `spec: {size: 11}`})
	s.requireCoverage(r, 1, []Scope{{Paths: []string{"spec.size"}, Except: []string{"spec.size: minimum 0"}}}, false)
	require.Empty(t, r.errors)
	for _, c := range []struct {
		scope Scope
		want  string
	}{
		{Scope{Kinds: []string{"Widget", "Wigdet"}}, `crdtest: no constraint or rule matches "Wigdet", one of Scope.Kinds`},
		{Scope{Versions: []string{"v1alpha1"}}, `crdtest: no constraint or rule matches "v1alpha1", one of Scope.Versions`},
		{Scope{Paths: []string{"spec.siz"}}, `crdtest: no constraint or rule matches "spec.siz", one of Scope.Paths`},
		{Scope{Except: []string{"spec.size: maximum 11"}}, `crdtest: no constraint or rule matches "spec.size: maximum 11", one of Scope.Except`},
		{Scope{Paths: []string{"status"}, RulesOnly: true}, "crdtest: no constraint or rule matches the scope {Kinds:[] Versions:[] Paths:[status] Except:[] RulesOnly:true}"},
	} {
		r := &recorder{TB: t}
		s.requireCoverage(r, 0, []Scope{c.scope}, true)
		require.Equal(t, []string{c.want}, r.errors)
	}
	for _, share := range []float64{-0.1, 1.1, 95, math.NaN(), math.Inf(1)} {
		r := &recorder{TB: t}
		s.requireCoverage(r, share, nil, true)
		require.Len(t, r.errors, 1)
		require.Contains(t, r.errors[0], "crdtest: the share to cover must be from 0 to 1, not ")
	}
}

// ECT-015: the text about a large definition, or about many, has its bounds.
func TestLargeReport(t *testing.T) {
	var fields strings.Builder
	for i := range 30 {
		fmt.Fprintf(&fields, "f%02d: {type: object, properties: {", i)
		for j := range 30 {
			fmt.Fprintf(&fields, "g%02d: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: self != 'x'}]}, ", j)
		}
		fields.WriteString("}}, ")
	}
	s := Parse(t, strings.ReplaceAll(several("Gadget.a.example.com"), "name: {type: string}", "name: {type: string, maxLength: 3}, pod: {type: object, properties: {"+fields.String()+"}}"))
	text := s.Coverage().String()
	require.Contains(t, text, "crdtest: 0.0% covered, 0 of 3603 constraints and rules\n  gadgets.a.example.com crdtest\n    spec.pod.f00: 30 constraints and 30 rules\n")
	require.Contains(t, text, "    2 more fields: 31 constraints and 30 rules\n  gadgets.a.example.com v1\n    spec.pod.f00: 30 constraints and 30 rules\n")
	require.Less(t, strings.Count(text, "\n"), 70)
	one := s.Coverage().Only(Scope{Versions: []string{"v1"}}).String()
	require.Contains(t, one, "    spec.pod.f00: 30 constraints and 30 rules\n")
	require.Less(t, strings.Count(one, "\n"), 70)
	wide := s.Coverage().Only(Scope{Versions: []string{"v1"}, Paths: []string{"spec.pod.f00", "spec.pod.f01"}}).String()
	require.Less(t, strings.Count(wide, "\n"), 70)

	r := &recorder{TB: t}
	s.requireCoverage(r, 1, nil, false)
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "\n\nfor crdtest spec.name: maxLength 3:\n")
	require.Less(t, strings.Count(r.errors[0], "\n"), 90)

	var kinds []string
	for i := range 60 {
		kinds = append(kinds, fmt.Sprintf("Kind%d.example.com", i))
	}
	text = Parse(t, several(kinds...)).Coverage().String()
	require.Contains(t, text, "    spec.size: 1 constraint\n")
	require.Contains(t, text, "  and 40 more versions of definitions\n")

	var flat strings.Builder
	for i := range 100 {
		fmt.Fprintf(&flat, "f%02d: {type: string, maxLength: 3}, ", i)
	}
	text = Parse(t, strings.ReplaceAll(several("Gadget.a.example.com"), "spec: {type: object,", flat.String()+"spec: {type: object,")).Coverage().String()
	require.Contains(t, text, "    71 more fields: 71 constraints\n")
}

// ECT-015: what Main prints and writes.
func TestSummarize(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	run(t, s, Case{Base: base, Patch: `spec: {size: 11}`})
	var out strings.Builder
	file := filepath.Join(t.TempDir(), "cover.json")
	require.NoError(t, summarize(&out, file, []*Set{s, Load(t, "testdata/widgets.yaml")}))
	require.True(t, strings.HasPrefix(out.String(), "crdtest: 3.8% covered, 1 of 26 constraints and rules\n"), out.String())
	data := given.File(t, file)
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
	judge, err := s.definitions[0].maker("v1")
	require.NoError(t, err)
	for _, obj := range []map[string]any{samples.Minimal, samples.Full} {
		require.NoError(t, judge.validate(t.Context(), obj).Err())
	}
	var names []string
	for _, b := range samples.Broken {
		names = append(names, b.Breaks)
		require.Len(t, b.Errors, 1, b.Breaks)
		require.Equal(t, strings.Contains(b.Breaks, "oldSelf"), b.Old != nil, b.Breaks)
	}
	require.Len(t, names, len(s.Coverage().Rows)-1)
	require.NotNil(t, s.Sample(t, "", "v1alpha1").Minimal, "a version without a schema to speak of")

	s = Parse(t, given.OldHead("Namespaced", "things.example.com", "Thing")+"  version: v1\n")
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
	valid := &endingContext{t.Context(), math.MaxInt} // counts the calls until the valid objects are found
	_, err := s.definitions[0].samples(valid, "v1")
	require.NoError(t, err)
	for _, tt := range []struct {
		kind, version string
		context       context.Context
		want          string
	}{
		{"Gadget", "", nil, "crdtest: no definition has the kind Gadget: the kinds are Widget"},
		{"Widget", "v9", nil, "crdtest: widgets.demo.example.com has no version v9, but v1, v1alpha1"},
		{"Widget", "v1", ended,
			"crdtest: no valid object of widgets.demo.example.com was found: Internal error occurred: context canceled"},
		{"Widget", "v1", &endingContext{t.Context(), math.MaxInt - valid.calls}, "crdtest: context canceled"},
	} {
		require.PanicsWithValue(t, fatal(tt.want), func() { s.Sample(&recorder{TB: t, context: tt.context}, tt.kind, tt.version) })
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
	const refused = "widgets.demo.example.com: version v1: an object that the old definition accepts is refused:\n    "
	require.Equal(t, []string{
		"widgets.demo.example.com: version v1: the minimal sample of the old definition is refused:\n    Required spec",
		"widgets.demo.example.com: version v1: the full sample of the old definition is refused:\n    NotSupported spec.color: supported values: \"red\", \"green\"",
		refused + "Required spec.name",
		refused + "Invalid spec.name: spec.name in body should match '^[a-z]+$'",
		refused + "Invalid spec.size: spec.size in body should be less than or equal to 10",
	}, r.errors, "a server takes the definition, but not the objects")
	require.Empty(t, r.logs)
	s.AcceptedUpdate(r, s)
	require.Equal(t, "widgets.demo.example.com: version v1: the samples of the old definition are accepted", r.logs[0])

	meant := []Match{Required("spec"), NotSupported(".spec.color"), {Path: "spec.name"}, Invalid("spec.size")}
	r = &recorder{TB: t}
	s.AcceptedUpdate(r, old, meant...)
	require.Empty(t, r.errors, "what is meant is logged")
	require.Len(t, r.logs, 5)
	r = &recorder{TB: t}
	s.AcceptedUpdate(r, old, append(meant, Invalid("spec.nothing"))...)
	require.Equal(t, []string{"no object of the old definitions is refused with Invalid spec.nothing"}, r.errors)

	gadgets := several("Gadget.a.example.com")
	required := strings.ReplaceAll(gadgets, "spec: {type: object,", "spec: {type: object, required: [name],")
	r = &recorder{TB: t}
	Parse(t, required).AcceptedUpdate(r, Parse(t, gadgets))
	require.Equal(t, []string{
		"gadgets.a.example.com: version crdtest: an object that the old definition accepts is refused:\n    Required spec.name",
		"gadgets.a.example.com: version v1: an object that the old definition accepts is refused:\n    Required spec.name",
	}, r.errors, "a field that is newly required in what is optional itself")
	r = &recorder{TB: t}
	Parse(t, strings.ReplaceAll(gadgets, "properties: {name:", "properties: {other: {type: object, required: [a], properties: {a: {type: string, maxLength: 3}}}, name:")).
		AcceptedUpdate(r, Parse(t, gadgets))
	require.Empty(t, r.errors, "a field that old does not know is in no object")

	var many strings.Builder
	for i := range 15 {
		fmt.Fprintf(&many, "f%02d: {type: string}, ", i)
	}
	old15 := strings.ReplaceAll(gadgets, "name: {type: string}", many.String()+"name: {type: string}")
	r = &recorder{TB: t}
	Parse(t, strings.ReplaceAll(old15, ": {type: string}, f", ": {type: string, maxLength: 2}, f")).AcceptedUpdate(r, Parse(t, old15))
	require.Len(t, r.errors, maxRefused+1)
	require.Regexp(t, `^gadgets.a.example.com: [0-9]+ more objects that the old definition accepts are refused$`, r.errors[maxRefused])

	ruled := strings.ReplaceAll(several("Gadget.a.example.com"), "openAPIV3Schema: {type: object,",
		"openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: has(self.spec), message: a spec is needed}],")
	r = &recorder{TB: t}
	Parse(t, ruled).AcceptedUpdate(r, Parse(t, several("Gadget.a.example.com")))
	require.Len(t, r.errors, 2, "a rule in both versions")
	r = &recorder{TB: t}
	Parse(t, ruled).AcceptedUpdate(r, Parse(t, several("Gadget.a.example.com")), RuleFails("", "a spec is needed"))
	require.Empty(t, r.errors)

	r = &recorder{TB: t}
	Parse(t, strings.Replace(before, "name: v1", "name: v2", 1)).AcceptedUpdate(r, old)
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "status.storedVersions[0]: Invalid value")
	require.Equal(t, []string{"widgets.demo.example.com: version v1: widgets.demo.example.com has no version v1, but v2"}, r.logs)
	r = &recorder{TB: t}
	Parse(t, strings.Replace(before, "scope: Namespaced", "scope: Nowhere", 1)).AcceptedUpdate(r, Parse(t, strings.ReplaceAll(before, "widgets", "others")))
	require.NotEmpty(t, r.errors, "a new definition is validated as one")
}

// ECT-016: what a fuzzer starts from, and that it finds nothing.
func FuzzWidget(f *testing.F) {
	s, err := Open("testdata/widgets.yaml")
	require.NoError(f, err)
	Fuzz(f, s, "Widget")
}

// ECT-019: a program that is no test gets the same samples, and errors.
func TestSamplesOfPrograms(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	samples, err := s.Samples(t.Context(), "Widget", "v1")
	require.NoError(t, err)
	require.Equal(t, s.Sample(t, "Widget", "v1"), samples)
	_, err = s.Samples(t.Context(), "Gadget", "")
	require.EqualError(t, err, "no definition has the kind Gadget: the kinds are Widget")
}

// Constraints that are too deep are counted.
func TestDeepCoverage(t *testing.T) {
	const levels = 600
	s := Parse(t, given.Kind("Namespaced", "widgets.example.com", "Widget", "{type: object, properties: {spec: "+
		strings.Repeat("{type: object, properties: {a: ", levels)+"{type: string, maxLength: 3}"+strings.Repeat("}}", levels)+"}}"))
	r := s.Coverage()
	require.Empty(t, r.Rows)
	require.Equal(t, levels+2-501, r.NotLooked)
	require.Contains(t, r.String(), "101 schemas are too deep, and were not looked at")
}
