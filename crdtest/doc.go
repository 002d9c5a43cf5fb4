// Package crdtest is for the tests of projects that have CustomResourceDefinitions: it says what a Kubernetes API server would do with the
// definitions and with custom objects, in milliseconds and without a server.
//
//	func TestWidget(t *testing.T) {
//		crds := crdtest.Load(t, "../../config/crd/bases/*.yaml")
//		crds.Accepted(t) // what kubectl apply would say, the budget of rules included
//
//		const base = `
//	kind: Widget
//	spec: {size: 3, name: a}`
//
//		crds.Run(t, []crdtest.Case{
//			{Name: "defaults", Object: base, Want: `spec: {color: red}`},
//			{Name: "size is bounded", Base: base, Patch: `spec: {size: 11}`, Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
//			{Name: "unknown fields go", Base: base, Patch: `spec: {sise: 1}`, Pruned: []string{"spec.sise"}},
//			{Name: "the name stays", Old: base, Patch: `spec: {name: b}`, Errs: []crdtest.Match{crdtest.RuleFails("spec.name", "self == oldSelf")}},
//			{Name: "a struct", Object: &v1.Widget{Spec: v1.WidgetSpec{Name: "a"}}},
//		})
//		crds.RequireCoverage(t, 1.0) // each rule seen true and false, each constraint violated
//	}
//
// The directory examples/unittest of this module is a whole package that is tested so, with a tutorial.
//
// # What there is
//
//   - [Load], [LoadFS], [Parse] and [Open] read definitions, as a [Set]; [New] makes one of a registry.
//   - [Set.AcceptedSince] asks which versions of Kubernetes take the definitions as they are.
//   - [Set.Accepted] and [Set.AcceptedUpdate] ask whether a server takes them, anew and in the place of old ones, and whether the new ones
//     take objects of the old ones.
//   - [Set.Run] asks about objects, a [Case] each; [RunFiles] takes cases from golden files, and [RunOpenShiftSuite] from the suites that the
//     API repository of OpenShift has.
//   - [Set.RequireCosts] keeps the estimated costs of rules in a file, so that a rule that becomes dearer shows in a review.
//   - [Set.Coverage], [Set.RequireCoverage] and [Main] tell which constraints and rules no test has seen at work. A [Scope] says which of
//     them count.
//   - [Set.Sample] makes objects from a schema alone: valid ones, and one for each constraint and rule that breaks just that.
//     [Set.WriteSamples] makes golden files of them, and [Fuzz] starts from them.
//
// # Objects and errors
//
// Objects are YAML or JSON in a string, or Go values; their numbers become those of a server (see package unstructured). What a case does
// not say of an object's type and name is filled in: the kind of a Go struct is the name of its type. Errors are compared by type and
// path, if a [Match] has no more than that: the texts of messages differ between versions of Kubernetes. A field that the schema does not
// know fails a case unless it is named in Pruned, since it is a typing mistake of the test most of the time; a server drops it without a
// word.
//
// # Failures
//
// The text of a failure begins with the line of the case, lists what differs, and shows the object as it was judged: lines with an error
// have a >, and what the schema has added is marked as a default. It is the same each time.
//
//	widget_test.go:31: create Widget demo.example.com/v1: errors differ (-want +got)
//	    - Invalid spec.size: ~"less than or equal to 10"
//	    + Required spec.name
//	    object after defaulting and pruning:
//	        kind: Widget
//	      > spec:
//	          color: red  # default
//
// # Mutation and concurrency
//
// A Set is immutable but for the notes that [Set.Coverage] counts, and may be used by parallel tests. Nothing that a case has is
// modified. The package has two flags, -crdtest.update and -crdtest.coverprofile. The environment variable CRDTEST_UPDATE=1 is as good as
// the first, and works with ./..., where packages without crdtest do not know the flag. It writes files for these alone, and uses no
// network.
//
// # Cost
//
// Definitions are compiled when the first case needs them, rules when the first object meets them; a case takes some ten microseconds then.
// Coverage judges each object again by each rule, when it is asked for. Samples of a definition with a hundred rules take seconds.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family ECT: docs/behaviour.md in the repository lists them with
// their tests. The answers are those of packages crdcheck and resource, with what these say of themselves.
package crdtest
