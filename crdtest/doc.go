// Package crdtest is for the tests of projects with CustomResourceDefinitions: it reports what a Kubernetes API server
// would do with the definitions and with custom objects, in milliseconds and without a server.
//
//	func TestWidget(t *testing.T) {
//		crds := crdtest.Load(t, "../../config/crd/bases/*.yaml")
//		crds.Accepted(t) // what kubectl apply would print; rules must fit the budget
//
//		const base = `
//	kind: Widget
//	spec: {size: 3, name: a}`
//
//		crds.Run(t, []crdtest.Case{
//			{Name: "defaults", Object: base, Want: `spec: {color: red}`},
//			{Name: "size is bounded", Base: base, Patch: `spec: {size: 11}`,
//				Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
//			{Name: "unknown fields are dropped", Base: base, Patch: `spec: {sise: 1}`, Pruned: []string{"spec.sise"}},
//			{Name: "the name stays", Old: base, Patch: `spec: {name: b}`,
//				Errs: []crdtest.Match{crdtest.RuleFails("spec.name", "self == oldSelf")}},
//			{Name: "a struct", Object: &v1.Widget{Spec: v1.WidgetSpec{Name: "a"}}},
//		})
//		crds.RequireCoverage(t, 1.0) // each rule seen true and false, each constraint violated
//	}
//
// The directory examples/unittest of this module has a complete tested package, with a tutorial.
//
// # Overview
//
//   - [Load], [LoadFS], [Parse] and [Open] read definitions into a [Set]; [New] makes one from a registry.
//   - [Set.AcceptedSince] checks which versions of Kubernetes accept the definitions unchanged.
//   - [Set.Accepted] and [Set.AcceptedUpdate] check whether a server accepts them, as new definitions and as updates,
//     and whether the new ones accept objects of the old ones.
//   - [Set.RunOn] runs cases on servers of several versions of Kubernetes, and [Set.For] is a set for one of them.
//   - [Set.Run] checks objects, each with a [Case]. [RunFiles] reads cases from golden files, and [RunOpenShiftSuite]
//     from test suites in the format of OpenShift's API repository.
//   - [Set.Lint] checks for what a server accepts and users regret, such as an immutable field that two updates change.
//   - [Set.RoundTrips] converts objects from each served version to each other one and back, by the converter of the set
//     ([New]), and reports what is lost.
//   - [Set.RequireCosts] keeps the estimated costs of rules in a file, so that a review shows a rule that becomes more
//     expensive.
//   - [Set.Coverage], [Set.RequireCoverage] and [Main] report which constraints and rules no test has exercised. A
//     [Scope] selects those that count.
//   - [Set.Sample] makes objects from a schema alone: valid ones, and for each constraint and rule one that violates
//     only that. [Set.WriteSamples] writes them as golden files, and [Fuzz] uses them as seeds.
//
// # Objects and errors
//
// Objects are YAML or JSON in a string, or Go values; their numbers are converted to a server's (see package
// unstructured). If a case leaves out an object's type or name, they are filled in: the kind of a Go struct is the name
// of its type. Errors are compared by type and path if a [Match] has nothing else: the texts of messages differ between
// Kubernetes versions. A field that the schema does not know fails a case unless it is listed in Pruned, because it is
// usually a typo in the test; a server drops it silently.
//
// # Failures
//
// The text of a failure begins with the line of the case, lists the differences, and shows the object as validated:
// lines with an error are marked with >, and values that the schema has added are marked as defaults. The text is
// deterministic.
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
// A Set is immutable except for what it records for [Set.Coverage], and may be used by parallel tests. Cases are not
// modified. The package has two flags, -crdtest.update and -crdtest.coverprofile. The environment variable
// CRDTEST_UPDATE=1 is equivalent to the first, and works with ./..., where packages without crdtest do not know the
// flag. The package writes files only for these, and does not use the network.
//
// # Cost
//
// Definitions are compiled when the first case needs them, rules when the first object needs them; after that a case
// takes tens of microseconds. Coverage evaluates each rule on each object again, when it is called. Samples of a
// definition with a hundred rules take seconds.
//
// # Parity
//
// This package follows Kubernetes 1.37, or the version of [Set.For]. Its clauses are those of the family ECT:
// docs/internals/behaviour.md in the repository lists them with their tests. Results are those of packages crdcheck and
// resource, whose documentation applies.
package crdtest
