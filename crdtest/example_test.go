package crdtest_test

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

// The first lines of most tests. It is not run here: see examples/unittest for a package that is tested so.
func Example() {
	_ = func(t *testing.T) {
		crds := crdtest.Load(t, "../../config/crd/bases/*.yaml")
		crds.Accepted(t)
		const base = `
kind: Widget
spec: {name: a}`
		crds.Run(t, []crdtest.Case{
			{Name: "defaults", Object: base, Want: `spec: {color: red}`},
			{Name: "size is bounded", Base: base, Patch: `spec: {size: 11}`, Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
			{Name: "the name stays", Old: base, Patch: `spec: {name: b}`, Errs: []crdtest.Match{crdtest.RuleFails("spec.name", "self == oldSelf")}},
		})
		crds.RequireCoverage(t, 1.0)
	}
}

// Where there is no test yet, as in TestMain, Open reads definitions.
func ExampleOpen() {
	crds, err := crdtest.Open("testdata/widgets.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(crds.Names(), crds.Skipped())
	// Output: [widgets.demo.example.com] 1
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
