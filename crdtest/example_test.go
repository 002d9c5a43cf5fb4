package crdtest_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

// runTest runs a test as `go test` does and prints whether it passes, so that the examples show tests that were run.
func runTest(test func(t *testing.T)) {
	stdout := os.Stdout
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = null // what go test prints with -v is not the example's
		defer null.Close()
	}
	all := func(string, string) (bool, error) { return true, nil }
	ok := testing.RunTests(all, []testing.InternalTest{{Name: "Test", F: test}})
	os.Stdout = stdout
	fmt.Println("passed:", ok)
}

// reporter prints what a test reports, for the examples of functions that take a testing.TB.
type reporter struct{ testing.TB }

func (reporter) Helper()                           {}
func (reporter) Context() context.Context          { return context.Background() }
func (reporter) Error(args ...any)                 { fmt.Println(append([]any{"error:"}, args...)...) }
func (reporter) Errorf(format string, args ...any) { fmt.Printf("error: "+format+"\n", args...) }
func (reporter) Log(args ...any)                   { fmt.Println(append([]any{"log:"}, args...)...) }
func (reporter) Logf(format string, args ...any)   { fmt.Printf("log: "+format+"\n", args...) }

// The first lines of most tests.
func Example() {
	runTest(func(t *testing.T) { // func TestWidgets(t *testing.T) {
		crds := crdtest.Load(t, "testdata/widgets.yaml") // or a directory: ../../config/crd/bases
		crds.Accepted(t)

		const base = `spec: {name: a}`
		crds.Run(t, []crdtest.Case{
			{Name: "defaults", Object: base, Want: `spec: {color: red}`},
			{Name: "size is bounded", Base: base, Patch: `spec: {size: 11}`, Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
			{Name: "the name stays", Old: base, Patch: `spec: {name: b}`, Errs: []crdtest.Match{crdtest.RuleFails("spec.name", "self == oldSelf")}},
		})
	})
	// Output: passed: true
}

// Objects and what is expected of them may be structs of the project. The kind is the name of the type. An object that
// a struct cannot leave out, such as an empty status, does not count.
func ExampleCase() {
	type WidgetSpec struct {
		Name  string `json:"name"`
		Size  int32  `json:"size,omitempty"`
		Color string `json:"color,omitempty"`
	}
	type WidgetStatus struct {
		Phase string `json:"phase,omitempty"`
	}
	type Widget struct {
		Spec   WidgetSpec   `json:"spec"`
		Status WidgetStatus `json:"status"`
	}
	runTest(func(t *testing.T) {
		crds := crdtest.Load(t, "testdata/widgets.yaml")
		crds.Run(t, []crdtest.Case{
			{
				Name:   "defaults",
				Object: &Widget{Spec: WidgetSpec{Name: "a"}},
				Want:   &Widget{Spec: WidgetSpec{Name: "a", Size: 3, Color: "red"}},
			},
			{
				Name:   "size is bounded",
				Object: &Widget{Spec: WidgetSpec{Name: "a", Size: 11}},
				Errs:   []crdtest.Match{crdtest.Invalid("spec.size")},
			},
			{
				Name: "the name stays",
				Old:  &Widget{Spec: WidgetSpec{Name: "a"}}, Object: &Widget{Spec: WidgetSpec{Name: "b"}},
				Errs: []crdtest.Match{crdtest.RuleFails("spec.name", "name is immutable")},
			},
		})
	})
	// Output: passed: true
}

// Golden files say what is sent and what comes of it. This one is testdata/color.txtar:
//
//	The color has a default, and so has the size.
//	-- object.yaml --
//	spec: {name: a}
//	-- want.yaml --
//	spec: {color: red, size: 3}
func ExampleRunFiles() {
	runTest(func(t *testing.T) {
		crdtest.RunFiles(t, crdtest.Load(t, "testdata/widgets.yaml"), "testdata")
	})
	// Output: passed: true
}

// Which versions of Kubernetes a project supports is a line of its tests.
func ExampleSet_AcceptedSince() {
	t := reporter{} // a *testing.T
	crds := crdtest.Parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: peers.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Peer, plural: peers}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.address}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              address: {type: string, maxLength: 45}
`)
	crds.AcceptedSince(t, "1.31")
	crds.AcceptedSince(t, "1.30")
	// Output: error: Kubernetes 1.30: line 1: peers.example.com: field "spec.versions[0].selectableFields" is dropped
}

// The costs of all rules are in a file: making one more expensive changes it.
func ExampleSet_RequireCosts() {
	runTest(func(t *testing.T) { // func TestCosts(t *testing.T) {
		crdtest.Load(t, "testdata/widgets.yaml").RequireCosts(t, "testdata/costs.txt")
	})
	// Output: passed: true
}

// A new release of a definition is held against the one before.
func ExampleSet_AcceptedUpdate() {
	t := reporter{} // a *testing.T
	const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Job, plural: jobs}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              image: {type: string}
              replicas: {type: integer}
`
	before, after := crdtest.Parse(t, definition), crdtest.Parse(t, definition+"        required: [spec]\n")
	after.AcceptedUpdate(t, before)
	after.AcceptedUpdate(t, before, crdtest.Required("spec")) // it is meant
	// Output:
	// error: jobs.example.com: version v1: the minimal sample of the old definition is refused:
	//     Required spec
	// log: jobs.example.com: version v1: the minimal sample of the old definition is refused:
	//     Required spec
}

// Samples are made of the schema alone.
func ExampleSet_Sample() {
	t := reporter{} // a *testing.T
	samples := crdtest.Load(t, "testdata/widgets.yaml").Sample(t, "Widget", "v1")
	fmt.Println(samples.Minimal["spec"])
	for _, b := range samples.Broken[:3] {
		fmt.Printf("%s: %v: %v\n", b.Breaks, b.Object["spec"], b.Errors)
	}
	// Output:
	// map[name:a]
	// spec: required: <nil>: spec: Required value
	// spec.name: required: map[]: spec.name: Required value
	// spec.color: enum "red", "green": map[color: name:a]: spec.color: Unsupported value: "": supported values: "red", "green"
}

// A fuzz test begins with samples, and go test -fuzz FuzzWidget goes on from them:
//
//	func FuzzWidget(f *testing.F) {
//		crdtest.Fuzz(f, crdtest.Load(f, "testdata/widgets.yaml"), "Widget")
//	}
func ExampleFuzz() {
	fuzzWidget := func(f *testing.F) { // func FuzzWidget(f *testing.F) {
		crdtest.Fuzz(f, crdtest.Load(f, "testdata/widgets.yaml"), "Widget")
	}
	_ = fuzzWidget // go test calls it

	t := reporter{} // a *testing.T
	samples := crdtest.Load(t, "testdata/widgets.yaml").Sample(t, "Widget", "v1")
	fmt.Println("seeds of v1: 2 that are accepted and", len(samples.Broken), "that are refused")
	// Output: seeds of v1: 2 that are accepted and 12 that are refused
}

// A package with several test functions has its coverage printed at the end.
func ExampleMain() {
	crds, err := crdtest.Open("testdata/widgets.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	testMain := func(m *testing.M) { crdtest.Main(m, crds) } // func TestMain(m *testing.M) {
	_ = testMain                                             // go test calls it

	fmt.Println(crds.Coverage().Only(crdtest.Scope{RulesOnly: true})) // what it prints, here of rules alone
	// Output:
	// crdtest: 0.0% covered, 0 of 2 constraints and rules
	//   widgets.demo.example.com v1
	//     spec: rule !has(self.parts) || self.parts.size() <= self.size: no test meets this rule
	//     spec.name: rule self == oldSelf: no test meets this rule
}

// A part of a definition, or of several, may be all that is to be covered.
func ExampleScope() {
	t := reporter{} // a *testing.T
	crds := crdtest.Load(t, "testdata/widgets.yaml")
	spec := crdtest.Scope{Kinds: []string{"Widget"}, Paths: []string{"spec"}, Except: []string{"spec.parts"}}
	for _, row := range crds.Coverage().Only(spec).Rows {
		fmt.Println(row.Path, row.Kind)
	}
	// Output:
	// spec required
	// spec.name required
	// spec.color enum
	// spec.name pattern
	// spec.size minimum
	// spec.size maximum
	// spec rule
	// spec.name rule
}

// Where there is no test yet, as in TestMain, Open reads definitions.
func ExampleOpen() {
	crds, err := crdtest.Open("testdata/widgets.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range crds.Definitions() {
		fmt.Println(d.Name())
	}
	// Output: widgets.demo.example.com
}

// A report names what no test has seen.
func ExampleSet_Coverage() {
	crds, err := crdtest.Open("testdata/widgets.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	report := crds.Coverage()
	row := report.Rows[len(report.Rows)-1]
	fmt.Println(row.Version, row.Path, row.Kind, row.Text, row.Covered())
	fmt.Printf("%.0f%% of %d\n", 100*report.Share(), len(report.Rows))
	// Output:
	// v1 spec.name rule self == oldSelf false
	// 0% of 13
}

// How failures print what was expected.
func ExampleMatch() {
	fmt.Println(crdtest.Invalid("spec.size", "less than or equal to 10"))
	fmt.Println(crdtest.Required("spec.name"))
	fmt.Println(crdtest.RuleFails("spec", "self.min <= self.max"))
	// Output:
	// Invalid spec.size: ~"less than or equal to 10"
	// Required spec.name
	// an error spec of the rule ~"self.min <= self.max"
}
